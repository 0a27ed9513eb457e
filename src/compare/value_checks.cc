// Checks of a row's values, whatever their order: two modes, and runs far from the rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>

#include "compare/checks.h"
#include "compare/phrases.h"
#include "core/text.h"
#include "stats/dip.h"
#include "stats/fisher_exact.h"
#include "stats/modes.h"
#include "stats/outliers.h"

namespace schedlab::compare {

namespace {

std::string name_of(const Runs& runs, std::string_view otherwise) {
  return runs.empty() ? std::string(otherwise) : runs.front()->arm;
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

// The instrument's step, or where it is not known and values repeat, the smallest one seen.
double step_of(const Metric& metric, std::span<const double> sorted) {
  if (metric.resolution > 0) return metric.resolution;
  bool repeats = false;
  double smallest = HUGE_VAL;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    repeats = repeats || gap == 0;
    if (gap > 0) smallest = std::min(smallest, gap);
  }
  return repeats && std::isfinite(smallest) ? smallest : 0;
}

// Every k-th of the sorted values: the shape stays, and the dip's cost is bounded.
std::vector<double> thinned(std::vector<double> sorted) {
  constexpr std::size_t kMost = 20'000;
  if (sorted.size() <= kMost) return sorted;
  std::vector<double> kept;
  kept.reserve(kMost);
  for (std::size_t i = 0; i < kMost; ++i)
    kept.push_back(sorted[i * sorted.size() / kMost]);
  return kept;
}

// Of one arm. Whether it warns.
bool check_dip(Row& row, const ArmSummary& arm, const std::string& name) {
  if (arm.values.size() < kDipRuns) return false;
  std::vector<double> sorted = arm.values;
  std::sort(sorted.begin(), sorted.end());
  sorted = thinned(std::move(sorted));
  const double step = step_of(row.metric, sorted);
  const auto test = stats::dip_test(sorted, step);
  if (!test) return false;
  const bool at_end = test->p <= stats::kDipSmallestP;
  const std::string p =
      at_end ? fmt::format("p at most {}", stats::kDipSmallestP) : p_text(test->p);
  Check check;
  check.name = "dip";
  check.warns = test->p < kCheckLevel;
  check.sentence = fmt::format("{}: Hartigan's dip {:.3f} of {} runs, {}: {}",
                               name,
                               test->dip,
                               arm.values.size(),
                               p,
                               check.warns ? "more than one mode" : "one mode is enough");
  if (check.warns) {
    check.flag = fmt::format("{}: more than one mode (dip {:.3f}, {})", name, test->dip, p);
  }
  check.figures = {{"dip", test->dip}, {"p", test->p}, {"step", step}};
  const bool warns = check.warns;
  add_check(row, std::move(check));
  return warns;
}

// Of one arm: the two clusters around its widest gap, if they are far apart.
std::optional<stats::TwoModes> check_gap(Row& row, const ArmSummary& arm, const std::string& name) {
  const double middle = std::min(row.base.median, row.contender.median);
  const double smallest_gap = std::max(2 * row.metric.resolution, row.delta * std::abs(middle));
  const auto modes = stats::find_two_modes(arm.values, smallest_gap);
  if (!modes) return modes;
  Check check;
  check.name = "modes";
  check.warns = true;
  check.flag = name + ": " + describe(*modes, arm.values.size(), row.metric.unit);
  check.sentence = check.flag + ", split at the widest gap";
  check.figures = {{"lower", modes->lower.centre},
                   {"lower_runs", static_cast<double>(modes->lower.count)},
                   {"upper", modes->upper.centre},
                   {"upper_runs", static_cast<double>(modes->upper.count)},
                   {"boundary", modes->boundary}};
  add_check(row, std::move(check));
  return modes;
}

void check_shares(Row& row, double boundary) {
  const auto n = static_cast<std::int64_t>(row.base.values.size());
  const auto m = static_cast<std::int64_t>(row.contender.values.size());
  const std::int64_t above_base = count_above(row.base.values, boundary);
  const std::int64_t above_new = count_above(row.contender.values, boundary);
  const double p = stats::fisher_exact(above_base, n, above_new, m);
  const std::string shares = fmt::format("upper {}/{} against {}/{}", above_base, n, above_new, m);
  Check check;
  check.name = "shares";
  check.warns = p < kAlarmLevel;
  check.sentence = fmt::format("{}, Fisher's exact p {:.3g}", shares, p);
  if (check.warns) {
    check.flag = fmt::format("shares of the modes differ: {} (p {:.3g})", shares, p);
  }
  check.figures = {{"p", p},
                   {"base_upper", static_cast<double>(above_base)},
                   {"new_upper", static_cast<double>(above_new)}};
  add_check(row, std::move(check));
}

std::string milliseconds(const std::optional<Nanos>& time) {
  if (!time) return "not known";
  return fmt::format("{:.0f} ms", static_cast<double>(time->count()) / 1e6);
}

// "foreign CPU 420 ms, steal 0 ms, throttled 0 times, 1200 interrupts"
std::string disturbance(const RunRecord& run) {
  const NoiseDeltas& noise = run.noise;
  const auto count = [](const std::optional<std::int64_t>& events) {
    return events ? fmt::format("{}", *events) : std::string("unknown");
  };
  if (!noise.foreign_cpu && !noise.steal && !noise.throttle_events && !noise.interrupts) {
    return "what else the machine did is not known";
  }
  return fmt::format("foreign CPU {}, steal {}, throttled {} times, {} interrupts",
                     milliseconds(noise.foreign_cpu),
                     milliseconds(noise.steal),
                     count(noise.throttle_events),
                     count(noise.interrupts));
}

struct Outlier {
  std::size_t at = 0;  // of the arm's runs
  double z = 0;        // modified
  bool by_gesd = false;
};

struct ArmOutliers {
  std::vector<Outlier> runs;  // the farthest first
  std::size_t marked = 0;     // of them those that warn
};

ArmOutliers find_outliers(std::span<const double> values) {
  ArmOutliers found;
  const auto scores = stats::modified_z_scores(values);
  if (!scores) return found;
  std::set<std::size_t> by_gesd;
  const bool enough = values.size() >= kGesdRuns;
  if (enough) {
    const auto gesd = stats::generalised_esd(values, {.alpha = kCheckLevel});
    for (std::size_t i = 0; gesd && i < gesd->outliers; ++i)
      by_gesd.insert(gesd->steps[i].index);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double z = (*scores)[i];
    const bool gesd = by_gesd.contains(i);
    if (!gesd && std::abs(z) <= stats::kModifiedZMark) continue;
    found.runs.push_back({i, z, gesd});
    if (gesd || (!enough && std::abs(z) > kFewRunsMark)) ++found.marked;
  }
  std::stable_sort(found.runs.begin(), found.runs.end(), [](const Outlier& a, const Outlier& b) {
    return std::abs(a.z) > std::abs(b.z);
  });
  return found;
}

std::vector<double> logs_or_values(std::span<const double> values, bool has_logs) {
  std::vector<double> out(values.begin(), values.end());
  if (has_logs) {
    for (double& value : out)
      value = std::log(value);
  }
  return out;
}

std::string describe_outlier(const Outlier& outlier,
                             const RunRecord& run,
                             double value,
                             Unit unit) {
  return fmt::format("block {} run {}: {} (modified z {:+.1f}{}; {})",
                     run.block + 1,
                     run.position + 1,
                     format_value(value, unit),
                     outlier.z,
                     outlier.by_gesd ? ", GESD" : "",
                     disturbance(run));
}

// Of one arm; how many warn.
std::size_t check_arm_outliers(Row& row,
                               const std::string& name,
                               const Runs& runs,
                               std::span<const double> values,
                               bool has_logs) {
  constexpr std::size_t kShown = 3;
  constexpr std::size_t kFewest = 5;
  if (values.size() < kFewest) return 0;
  const ArmOutliers found = find_outliers(logs_or_values(values, has_logs));
  if (found.runs.empty()) return 0;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(kShown, found.runs.size()); ++i) {
    const Outlier& outlier = found.runs[i];
    parts.push_back(
        describe_outlier(outlier, *runs[outlier.at], values[outlier.at], row.metric.unit));
  }
  if (found.runs.size() > kShown)
    parts.push_back(fmt::format("and {} more", found.runs.size() - kShown));
  Check check;
  check.name = "outliers";
  check.sentence = fmt::format("{}: {} far from the other {}: {}",
                               name,
                               plural(found.runs.size(), "run"),
                               values.size() - found.runs.size(),
                               join(parts, "; "));
  check.figures = {{"runs", static_cast<double>(found.runs.size())},
                   {"marked", static_cast<double>(found.marked)},
                   {"largest_z", found.runs.front().z}};
  check.warns = found.marked > 0 && !row.two_modes;
  add_check(row, std::move(check));
  return row.two_modes ? 0 : found.marked;
}

}  // namespace

void add_check(Row& row, Check check) {
  if (check.warns && !check.flag.empty()) row.flags.push_back(check.flag);
  row.checks.push_back(std::move(check));
}

void check_modes(Row& row, const PairedCase& paired) {
  const std::string base = name_of(paired.base, "base");
  const std::string contender = name_of(paired.contender, "new");
  const auto in_base = check_gap(row, row.base, base);
  const auto in_new = check_gap(row, row.contender, contender);
  if (in_base || in_new) check_shares(row, in_base ? in_base->boundary : in_new->boundary);
  const bool dips_base = check_dip(row, row.base, base);
  const bool dips_new = check_dip(row, row.contender, contender);
  row.two_modes = in_base || in_new || dips_base || dips_new;
}

void check_outliers(Row& row, const PairedCase& paired, const MetricBlocks& data) {
  const std::string base = name_of(paired.base, "base");
  const std::string contender = name_of(paired.contender, "new");
  const std::vector<double> of_base = all_values(data.base);
  const std::vector<double> of_new = all_values(data.contender);
  const std::size_t in_base = check_arm_outliers(
      row, base, all_runs(data.blocks, &PairedBlock::base), of_base, data.has_logs());
  const std::size_t in_new = check_arm_outliers(
      row, contender, all_runs(data.blocks, &PairedBlock::contender), of_new, data.has_logs());
  if (in_base + in_new == 0) return;
  row.flags.push_back(fmt::format("outliers: {} {} of {} runs, {} {} of {}",
                                  base,
                                  in_base,
                                  of_base.size(),
                                  contender,
                                  in_new,
                                  of_new.size()));
}

}  // namespace schedlab::compare
