#include "compare/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

#include "compare/effect.h"
#include "compare/phrases.h"
#include "compare/unpaired.h"
#include "core/text.h"

namespace schedlab::compare {

namespace {

constexpr double kSpreadLimit = 0.10;  // CV

void flag_spread(Row& row, const ArmSummary& arm, std::string_view name) {
  if (arm.cv > kSpreadLimit) {
    row.flags.push_back(fmt::format("{}: spread {} (CV)", name, percent(arm.cv)));
  }
}

void flag_resolution(Row& row) {
  const double middle = std::min(row.base.median, row.contender.median);
  row.resolution_limited =
      row.metric.resolution > 0 && middle > 0 && row.metric.resolution / middle > row.delta;
  if (!row.resolution_limited) return;
  row.flags.push_back(
      fmt::format("resolution-limited: one step is {}, {} of the median; the means differ by {}",
                  format_value(row.metric.resolution, row.metric.unit),
                  percent(row.metric.resolution / middle),
                  format_value(std::abs(row.contender.mean - row.base.mean), row.metric.unit)));
}

std::string_view replicate_noun(const Replication& replication) {
  switch (replication.unit) {
    case ReplicateUnit::Block:
      return "complete block";
    case ReplicateUnit::Boot:
      return replication.conditional.empty() ? "boot pair" : "boot";
    case ReplicateUnit::Build:
      return replication.conditional.empty() ? "build pair" : "build";
  }
  return {};
}

// Runs without a ratio have their flag: no number of blocks would help them.
void flag_few(Row& row) {
  const std::size_t n = replicates_of(row);
  if (!row.effect && n == 0 && !row.base.values.empty()) return;
  if (!row.replication.paired) {
    if (n >= kFewestBoots) return;
    row.flags.push_back(fmt::format("{} and {} replicates: an interval needs {} of each arm",
                                    row.base_levels.size(),
                                    row.contender_levels.size(),
                                    kFewestBoots));
  } else if (n < kFewestBlocks) {
    row.flags.push_back(fmt::format("{}: {}a verdict needs {}",
                                    plural(n, replicate_noun(row.replication)),
                                    n < 2 ? "an interval needs 2, " : "",
                                    kFewestBlocks));
  }
}

void flag_constant(Row& row) {
  if (row.log_ratios.size() < 2 || !without_spread(row.log_ratios)) return;
  row.flags.emplace_back("every block gave the same ratio: sign test in place of t");
}

void flag_disturbed(std::vector<std::string>& flags, const Runs& runs, std::int32_t online_cpus) {
  const Runs used = usable(runs);
  const auto disturbed = std::count_if(used.begin(), used.end(), [&](const RunRecord* run) {
    return is_disturbed(*run, online_cpus);
  });
  if (disturbed == 0) return;
  flags.push_back(
      fmt::format("{}: {} of {} runs disturbed", used.front()->arm, disturbed, used.size()));
}

struct NoteCount {
  std::string note;
  std::size_t runs = 0;
};

// Distinct notes, those of most runs first, else as first seen.
std::vector<NoteCount> note_counts(const Runs& runs) {
  std::vector<NoteCount> counts;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const RunRecord* run : runs) {
    const std::set<std::string_view> distinct(run->output.notes.begin(), run->output.notes.end());
    for (const std::string_view note : distinct) {
      const auto [known, is_new] = places.try_emplace(note, counts.size());
      if (is_new) {
        counts.push_back({std::string(note), 1});
      } else {
        ++counts[known->second].runs;
      }
    }
  }
  std::stable_sort(counts.begin(), counts.end(), [](const NoteCount& a, const NoteCount& b) {
    return a.runs > b.runs;
  });
  return counts;
}

constexpr std::size_t kNotesShown = 3;   // of an arm
constexpr std::size_t kNoteWidth = 160;  // of one

void flag_notes_of_arm(std::vector<std::string>& flags,
                       const std::vector<NoteCount>& counts,
                       const Runs& runs) {
  const std::string& arm = runs.front()->arm;
  const std::size_t shown = std::min(kNotesShown, counts.size());
  for (const NoteCount& count : std::span(counts).first(shown)) {
    flags.push_back(fmt::format(
        "{}: {} of {} runs: {}", arm, count.runs, runs.size(), printable(count.note, kNoteWidth)));
  }
  if (counts.size() > shown) {
    flags.push_back(fmt::format("{}: and {} more", arm, counts.size() - shown));
  }
}

// What the runs say of themselves. A note of every run of both arms is said once.
void flag_run_notes(std::vector<std::string>& flags, const PairedCase& paired) {
  const Runs base_runs = usable(paired.base);
  const Runs new_runs = usable(paired.contender);
  if (base_runs.empty() || new_runs.empty()) return;
  std::vector<NoteCount> of_base = note_counts(base_runs);
  std::vector<NoteCount> of_new = note_counts(new_runs);
  std::vector<std::string> common;
  std::erase_if(of_base, [&](const NoteCount& count) {
    const bool everywhere = count.runs == base_runs.size() &&
                            std::erase_if(of_new, [&](const NoteCount& other) {
                              return other.note == count.note && other.runs == new_runs.size();
                            }) > 0;
    if (everywhere) common.push_back(count.note);
    return everywhere;
  });
  const std::size_t shown = std::min(kNotesShown, common.size());
  for (const std::string& note : std::span(common).first(shown))
    flags.push_back("every run: " + printable(note, kNoteWidth));
  if (common.size() > shown) {
    flags.push_back(fmt::format("every run: and {} more", common.size() - shown));
  }
  flag_notes_of_arm(flags, of_base, base_runs);
  flag_notes_of_arm(flags, of_new, new_runs);
}

}  // namespace

std::string failures(const Runs& runs) {
  std::map<Outcome, int> counts;
  const RunRecord* first = nullptr;
  int failed = 0;
  for (const RunRecord* run : runs) {
    if (run->outcome == Outcome::Ok) continue;
    if (first == nullptr) first = run;
    ++counts[run->outcome];
    ++failed;
  }
  if (first == nullptr) return {};
  std::string kinds;
  for (const auto& [outcome, count] : counts) {
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, to_string(outcome));
  }
  const std::string reason =
      first->failure.empty() ? "" : "; first: " + printable(first->failure, 80);
  return fmt::format("{} of {} runs not used ({}{})", failed, runs.size(), kinds, reason);
}

void add_row_flags(Row& row) {
  flag_few(row);
  flag_constant(row);
  flag_resolution(row);
}

void add_spread_flags(Row& row, const PairedCase& paired) {
  flag_spread(row, row.base, paired.base.front()->arm);
  flag_spread(row, row.contender, paired.contender.front()->arm);
}

std::vector<std::string> run_flags(const PairedCase& paired, std::int32_t online_cpus) {
  std::vector<std::string> flags;
  for (const Runs* runs : {&paired.base, &paired.contender}) {
    const std::string failed = failures(*runs);
    if (!failed.empty()) flags.push_back(runs->front()->arm + ": " + failed);
  }
  flag_disturbed(flags, paired.base, online_cpus);
  flag_disturbed(flags, paired.contender, online_cpus);
  return flags;
}

std::vector<std::string> note_flags(const PairedCase& paired) {
  std::vector<std::string> flags;
  flag_run_notes(flags, paired);
  return flags;
}

}  // namespace schedlab::compare
