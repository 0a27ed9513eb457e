#include "compare/case_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "compare/admission.h"
#include "compare/diagnostics.h"
#include "compare/rows.h"
#include "core/text.h"

namespace schedlab::compare {

namespace {

// Case names in plan order; cases that the plan does not name follow as they were first run.
std::vector<std::string> case_order(const Experiment& experiment, const Runs& a, const Runs& b) {
  std::vector<std::string> order;
  std::set<std::string_view> known;
  for (const std::string& name : experiment.cases) {
    if (known.insert(name).second) order.push_back(name);
  }
  for (const Runs* runs : {&a, &b}) {
    for (const RunRecord* run : *runs) {
      if (known.insert(run->case_name).second) order.push_back(run->case_name);
    }
  }
  return order;
}

std::unordered_map<std::string_view, Runs> by_case(const Runs& runs) {
  std::unordered_map<std::string_view, Runs> cases;
  for (const RunRecord* run : runs)
    cases[run->case_name].push_back(run);
  return cases;
}

std::vector<PairedCase> pair_cases(const Experiment& experiment,
                                   const Runs& base,
                                   const Runs& contender) {
  auto base_cases = by_case(base);
  auto contender_cases = by_case(contender);
  std::vector<PairedCase> cases;
  for (const std::string& name : case_order(experiment, base, contender)) {
    cases.push_back(pair_case(name, std::move(base_cases[name]), std::move(contender_cases[name])));
  }
  return cases;
}

// A case without a usable run in one arm cannot have rows; the note says why. Empty: it can.
std::string why_no_rows(const PairedCase& paired, const Options& options) {
  const auto missing = [&](const Runs& runs, const std::string& arm) -> std::string {
    if (runs.empty()) return fmt::format("{}: arm {} has no run: no row", paired.name, arm);
    if (!usable(runs).empty()) return {};
    return fmt::format("{}: arm {}: {}: no row", paired.name, arm, failures(runs));
  };
  const std::string base = missing(paired.base, options.base_arm);
  return base.empty() ? missing(paired.contender, options.new_arm) : base;
}

std::string incomplete_note(const PairedCase& paired) {
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(kShown, paired.incomplete.size());
  const std::span<const std::string> first(paired.incomplete.data(), shown);
  return fmt::format("{}: {} of {} blocks incomplete, not used ({}{})",
                     paired.name,
                     paired.incomplete.size(),
                     paired.incomplete.size() + paired.blocks.size(),
                     join(first, "; "),
                     shown < paired.incomplete.size() ? "; ..." : "");
}

// Base before new in every block, or after: then whatever drifts counts as effect.
bool never_alternates(const PairedCase& paired) {
  constexpr std::size_t kFewest = 5;  // below it, chance makes such an order too
  std::size_t earlier = 0;
  std::size_t later = 0;
  for (const PairedBlock& block : paired.blocks) {
    const auto place = [](const Runs& runs) {
      double sum = 0;
      for (const RunRecord* run : runs)
        sum += run->position;
      return sum / static_cast<double>(runs.size());
    };
    earlier += place(block.base) < place(block.contender) ? 1U : 0U;
    later += place(block.base) > place(block.contender) ? 1U : 0U;
  }
  const std::size_t blocks = paired.blocks.size();
  return blocks >= kFewest && (earlier == blocks || later == blocks);
}

// How many different values an arm's blocks have of `place`.
std::size_t count_distinct(const PairedCase& paired, std::size_t PairedBlock::*place) {
  std::set<std::size_t> places;
  for (const PairedBlock& block : paired.blocks)
    places.insert(block.*place);
  return places.size();
}

std::string replication_note(const PairedCase& paired) {
  const Replication& replication = paired.replication;
  const bool builds = replication.unit == ReplicateUnit::Build;
  const std::string why =
      builds ? "an arm has several builds" : std::string("the arms booted apart");
  if (replication.paired) {
    return fmt::format("{}: {}: {} blocks are {} replicates, one per {} of each",
                       paired.name,
                       why,
                       paired.blocks.size(),
                       count_distinct(paired, &PairedBlock::replicate),
                       builds ? "build" : "boot");
  }
  return fmt::format("{}: {}: {} {}s of {} against {} of {}, unpaired",
                     paired.name,
                     why,
                     count_distinct(paired, &PairedBlock::base_unit),
                     builds ? "build" : "boot",
                     paired.base.front()->arm,
                     count_distinct(paired, &PairedBlock::contender_unit),
                     paired.contender.front()->arm);
}

void add_case_notes(const PairedCase& paired, std::vector<std::string>& notes) {
  if (!paired.incomplete.empty()) notes.push_back(incomplete_note(paired));
  if (paired.replication.unit != ReplicateUnit::Block) notes.push_back(replication_note(paired));
  if (never_alternates(paired)) {
    notes.push_back(fmt::format("{}: the arms never changed places: a drift would count as effect",
                                paired.name));
  }
}

// What holds for several cases, said once: "case 1, case 2: text".
class CasesByText {
 public:
  void add(const std::string& text, const std::string& case_name) {
    const auto known = std::find_if(
        entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.text == text; });
    if (known == entries_.end()) {
      entries_.push_back({text, {case_name}});
    } else {
      known->cases.push_back(case_name);
    }
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    constexpr std::size_t kShown = 4;
    std::vector<std::string> out;
    for (const Entry& entry : entries_) {
      const std::size_t shown = std::min(kShown, entry.cases.size());
      const std::string names = join(std::span(entry.cases).first(shown), ", ");
      const std::size_t rest = entry.cases.size() - shown;
      const std::string more = rest > 0 ? fmt::format(" and {} more cases", rest) : "";
      out.push_back(names + more + ": " + entry.text);
    }
    return out;
  }

 private:
  struct Entry {
    std::string text;
    std::vector<std::string> cases;
  };

  std::vector<Entry> entries_;  // in the order of their first case
};

}  // namespace

Result<Table> build_table(const Experiment& experiment,
                          const Runs& base,
                          const Runs& contender,
                          const Options& options,
                          const SampleLookup& samples) {
  Table table;
  CasesByText cases_of_programs;
  table.cases = pair_cases(experiment, base, contender);
  for (const PairedCase& paired : table.cases) {
    const std::string nothing = why_no_rows(paired, options);
    if (!nothing.empty()) {
      table.notes.push_back(nothing);
      continue;
    }
    SCHEDLAB_ASSIGN_OR_RETURN(const std::string programs, check_case(paired));
    if (!programs.empty()) cases_of_programs.add(programs, paired.name);
    CaseRows rows = build_rows(paired, options, samples, experiment);
    std::move(rows.rows.begin(), rows.rows.end(), std::back_inserter(table.rows));
    std::move(rows.notes.begin(), rows.notes.end(), std::back_inserter(table.notes));
    add_case_notes(paired, table.notes);
  }
  const std::vector<std::string> folded = cases_of_programs.lines();
  table.notes.insert(table.notes.end(), folded.begin(), folded.end());
  return table;
}

std::set<std::int32_t> complete_blocks(const std::vector<PairedCase>& cases) {
  std::optional<std::set<std::int32_t>> common;
  for (const PairedCase& paired : cases) {
    if (paired.base.empty() || paired.contender.empty()) continue;
    std::set<std::int32_t> here;
    for (const PairedBlock& block : paired.blocks) {
      if (!common || common->contains(block.number)) here.insert(block.number);
    }
    common = std::move(here);
  }
  return common.value_or(std::set<std::int32_t>());
}

}  // namespace schedlab::compare
