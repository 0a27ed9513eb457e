#include "compare/environment_diff.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "core/text.h"

namespace schedlab::compare {

namespace {

using Values = std::set<std::string>;

struct Seen {
  Values base;
  Values contender;
};

std::set<std::string> hashes_of(const Runs& runs) {
  std::set<std::string> hashes;
  for (const RunRecord* run : runs) {
    for (const std::string* hash : {&run->environment_before, &run->environment_after}) {
      if (!hash->empty()) hashes.insert(*hash);
    }
  }
  return hashes;
}

void collect(std::string_view text, Values Seen::*arm, std::map<std::string, Seen>& items) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos || tab == 0) continue;
    (items[std::string(line.substr(0, tab))].*arm).emplace(trim(line.substr(tab + 1)));
  }
}

std::string joined(const Values& values) {
  if (values.empty()) return "(absent)";
  const std::vector<std::string> parts(values.begin(), values.end());
  return join(parts, " | ");
}

void read_captures(const std::set<std::string>& hashes,
                   Values Seen::*arm,
                   const EnvironmentLookup& lookup,
                   std::map<std::string, Seen>& items,
                   std::vector<std::string>& notes) {
  for (const std::string& hash : hashes) {
    const auto text = lookup(hash);
    if (text) {
      collect(*text, arm, items);
    } else {
      notes.push_back(fmt::format("environment {}: {}", hash, text.error().message));
    }
  }
}

}  // namespace

EnvironmentReport environment_differences(const Runs& base,
                                          const Runs& contender,
                                          const EnvironmentLookup& lookup) {
  EnvironmentReport report;
  const std::set<std::string> of_base = hashes_of(base);
  const std::set<std::string> of_contender = hashes_of(contender);
  if (of_base.empty() || of_contender.empty() || !lookup) {
    report.notes.emplace_back("environment not captured in both arms: differences are not known");
    return report;
  }
  std::map<std::string, Seen> items;
  read_captures(of_base, &Seen::base, lookup, items, report.notes);
  read_captures(of_contender, &Seen::contender, lookup, items, report.notes);
  std::vector<std::string> changed;
  for (const auto& [item, seen] : items) {
    if (seen.base != seen.contender) {
      report.differences.push_back({item, joined(seen.base), joined(seen.contender)});
    } else if (seen.base.size() > 1) {
      changed.push_back(item);
    }
  }
  if (!changed.empty()) {
    report.notes.push_back("environment changed on the way, in both arms: " + join(changed, ", "));
  }
  return report;
}

}  // namespace schedlab::compare
