#include "compare/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "compare/effect.h"
#include "core/text.h"
#include "stats/fisher_exact.h"
#include "stats/modes.h"
#include "stats/summary.h"
#include "stats/trend.h"

namespace schedlab::compare {

namespace {

constexpr double kSpreadLimit = 0.10;  // CV
constexpr double kCanaryLimit = 0.05;  // of the median
constexpr double kAlarmLevel = 0.05;   // of the diagnostics' own tests

std::string percent(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

std::string signed_percent(double fraction) {
  return fmt::format("{:+.1f} %", 100 * fraction);
}

std::string describe(const stats::TwoModes& modes, std::size_t n, Unit unit) {
  return fmt::format("two modes: {} ({}/{}) {} ({}/{})",
                     format_value(modes.upper.centre, unit),
                     modes.upper.count,
                     n,
                     format_value(modes.lower.centre, unit),
                     modes.lower.count,
                     n);
}

std::int64_t count_above(const std::vector<double>& values, double boundary) {
  return std::count_if(values.begin(), values.end(), [&](double v) { return v > boundary; });
}

void flag_modes(Row& row, std::string_view base_name, std::string_view new_name) {
  const double middle = std::min(row.base.median, row.contender.median);
  const double smallest_gap = std::max(2 * row.metric.resolution, row.delta * std::abs(middle));
  const auto in_base = stats::find_two_modes(row.base.values, smallest_gap);
  const auto in_new = stats::find_two_modes(row.contender.values, smallest_gap);
  const auto n = static_cast<std::int64_t>(row.base.values.size());
  const auto m = static_cast<std::int64_t>(row.contender.values.size());
  if (in_base) {
    row.flags.push_back(fmt::format(
        "{}: {}", base_name, describe(*in_base, row.base.values.size(), row.metric.unit)));
  }
  if (in_new) {
    row.flags.push_back(fmt::format(
        "{}: {}", new_name, describe(*in_new, row.contender.values.size(), row.metric.unit)));
  }
  row.two_modes = in_base || in_new;
  if (!row.two_modes) return;
  const double boundary = in_base ? in_base->boundary : in_new->boundary;
  const std::int64_t above_base = count_above(row.base.values, boundary);
  const std::int64_t above_new = count_above(row.contender.values, boundary);
  const double p = stats::fisher_exact(above_base, n, above_new, m);
  if (p < kAlarmLevel) {
    row.flags.push_back(
        fmt::format("shares of the modes differ: upper {}/{} against {}/{} (p {:.3g})",
                    above_base,
                    n,
                    above_new,
                    m,
                    p));
  }
}

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

// Mean of the last third less that of the first.
double rise(std::span<const double> levels) {
  const std::size_t third = std::max<std::size_t>(1, levels.size() / 3);
  return stats::mean(levels.last(third)) - stats::mean(levels.first(third));
}

void flag_drift(Row& row, std::span<const double> levels) {
  const stats::Trend machine = stats::mann_kendall(levels);
  if (machine.p_two_sided < kAlarmLevel) {
    row.flags.push_back(
        fmt::format("drift: both arms {} from the first to the last third (p {:.2g})",
                    signed_percent(std::expm1(rise(levels))),
                    machine.p_two_sided));
  }
  const stats::Trend effect = stats::mann_kendall(row.log_ratios);
  if (effect.p_two_sided < kAlarmLevel) {
    row.flags.push_back(
        fmt::format("effect drifts: {} from the first to the last third of the blocks (p {:.2g})",
                    signed_percent(std::expm1(rise(row.log_ratios))),
                    effect.p_two_sided));
  }
}

void flag_few_or_constant(Row& row, const PairedCase& paired) {
  const std::size_t n = row.log_ratios.size();
  const bool boots = paired.replicates < paired.blocks.size();
  const std::string_view unit = boots ? "boot pair" : "complete block";
  // Runs without a ratio have their flag: no number of blocks would help them.
  const bool without_ratio = !row.effect && n == 0 && !row.base.values.empty();
  if (n < kFewestBlocks && !without_ratio) {
    row.flags.push_back(fmt::format("{} {}{}: {}a verdict needs {}",
                                    n,
                                    unit,
                                    n == 1 ? "" : "s",
                                    n < 2 ? "an interval needs 2, " : "",
                                    kFewestBlocks));
  }
  if (n >= 2 && without_spread(row.log_ratios)) {
    row.flags.emplace_back("every block gave the same ratio: sign test in place of t");
  }
}

std::vector<double> canaries(const Runs& runs) {
  std::vector<double> times;
  for (const RunRecord* run : runs) {
    if (run->canary && run->canary->count() > 0) {
      times.push_back(static_cast<double>(run->canary->count()));
    }
  }
  return times;
}

void flag_canary(std::vector<std::string>& flags, const PairedCase& paired) {
  const std::vector<double> base = canaries(paired.base);
  const std::vector<double> contender = canaries(paired.contender);
  if (!base.empty() && !contender.empty()) {
    const double apart = stats::median(contender) / stats::median(base) - 1;
    if (std::abs(apart) > kCanaryLimit) {
      flags.push_back(
          fmt::format("canary: median time in {} {} of {}'s: the CPU's own speed differed",
                      paired.contender.front()->arm,
                      signed_percent(apart),
                      paired.base.front()->arm));
    }
  }
  std::vector<double> all = base;
  all.insert(all.end(), contender.begin(), contender.end());
  const double middle = stats::median(all);
  std::size_t off = 0;
  double worst = 0;
  for (const double time : all) {
    const double away = time / middle - 1;
    off += std::abs(away) > kCanaryLimit ? 1U : 0U;
    if (std::abs(away) > std::abs(worst)) worst = away;
  }
  if (off > 0) {
    flags.push_back(fmt::format("canary: {} of {} runs off the median by over 5 % (worst {})",
                                off,
                                all.size(),
                                signed_percent(worst)));
  }
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
  for (const RunRecord* run : runs) {
    const std::set<std::string> distinct(run->output.notes.begin(), run->output.notes.end());
    for (const std::string& note : distinct) {
      const auto known = std::find_if(
          counts.begin(), counts.end(), [&](const NoteCount& count) { return count.note == note; });
      if (known == counts.end()) {
        counts.push_back({note, 1});
      } else {
        ++known->runs;
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

void add_row_flags(Row& row, const PairedCase& paired, std::span<const double> block_levels) {
  const std::string base = paired.base.empty() ? "base" : paired.base.front()->arm;
  const std::string contender = paired.contender.empty() ? "new" : paired.contender.front()->arm;
  flag_few_or_constant(row, paired);
  flag_resolution(row);
  flag_modes(row, base, contender);
  flag_spread(row, row.base, base);
  flag_spread(row, row.contender, contender);
  if (row.effect) flag_drift(row, block_levels);
}

std::vector<std::string> case_flags(const PairedCase& paired, std::int32_t online_cpus) {
  std::vector<std::string> flags;
  for (const Runs* runs : {&paired.base, &paired.contender}) {
    const std::string failed = failures(*runs);
    if (!failed.empty()) flags.push_back(runs->front()->arm + ": " + failed);
  }
  flag_disturbed(flags, paired.base, online_cpus);
  flag_disturbed(flags, paired.contender, online_cpus);
  flag_canary(flags, paired);
  flag_run_notes(flags, paired);
  return flags;
}

}  // namespace schedlab::compare
