// Checks of the canary: a fixed work unit before each run, which shows the CPU's own speed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "compare/checks.h"
#include "compare/phrases.h"
#include "stats/summary.h"
#include "stats/trend.h"

namespace schedlab::compare {

namespace {

constexpr double kCanaryLimit = 0.05;  // of the median

std::vector<double> canaries(const Runs& runs) {
  std::vector<double> times;
  for (const RunRecord* run : runs) {
    if (run->canary && run->canary->count() > 0) {
      times.push_back(static_cast<double>(run->canary->count()));
    }
  }
  return times;
}

// Both arms' in the order made.
std::vector<double> canaries_in_order(const PairedCase& paired) {
  Runs runs = paired.base;
  runs.insert(runs.end(), paired.contender.begin(), paired.contender.end());
  std::stable_sort(runs.begin(), runs.end(), [](const RunRecord* a, const RunRecord* b) {
    return a->block != b->block ? a->block < b->block : a->position < b->position;
  });
  return canaries(runs);
}

Check arms_apart(const PairedCase& paired,
                 const std::vector<double>& base,
                 const std::vector<double>& contender) {
  const double apart = stats::median(contender) / stats::median(base) - 1;
  Check check;
  check.name = "canary_apart";
  check.warns = std::abs(apart) > kCanaryLimit;
  check.sentence =
      fmt::format("canary, a fixed work unit before each run: median {} in {}, {} in {} ({})",
                  format_value(stats::median(base), Unit::Nanoseconds),
                  paired.base.front()->arm,
                  format_value(stats::median(contender), Unit::Nanoseconds),
                  paired.contender.front()->arm,
                  signed_percent(apart));
  if (check.warns) {
    check.flag = fmt::format("canary: median time in {} {} of {}'s: the CPU's own speed differed",
                             paired.contender.front()->arm,
                             signed_percent(apart),
                             paired.base.front()->arm);
  }
  check.figures = {{"apart", apart}};
  return check;
}

Check restless(const std::vector<double>& all) {
  const double middle = stats::median(all);
  std::size_t off = 0;
  double worst = 0;
  for (const double time : all) {
    const double away = time / middle - 1;
    off += std::abs(away) > kCanaryLimit ? 1U : 0U;
    if (std::abs(away) > std::abs(worst)) worst = away;
  }
  Check check;
  check.name = "canary";
  check.warns = off > 0;
  check.sentence = fmt::format("canary: {} of {} runs off the median by over 5 % (worst {})",
                               off,
                               all.size(),
                               signed_percent(worst));
  if (check.warns) check.flag = check.sentence;
  check.figures = {{"median_ns", middle}, {"off", static_cast<double>(off)}, {"worst", worst}};
  return check;
}

Check drift_of(const std::vector<double>& all) {
  constexpr double kLeastDrift = 0.01;  // many runs make the smallest drift certain
  const stats::Trend trend = stats::mann_kendall(all);
  const std::size_t third = std::max<std::size_t>(1, all.size() / 3);
  const std::span<const double> times(all);
  const double drift = stats::median(times.last(third)) / stats::median(times.first(third)) - 1;
  Check check;
  check.name = "canary_drift";
  check.warns = trend.p_two_sided < kCheckLevel && std::abs(drift) > kLeastDrift;
  check.sentence =
      fmt::format("canary: {} from the first to the last third (Mann-Kendall tau {:+.2f}, {})",
                  signed_percent(drift),
                  trend.tau,
                  p_text(trend.p_two_sided));
  if (check.warns) {
    check.flag = fmt::format(
        "canary drifts: {} over the runs (p {:.2g})", signed_percent(drift), trend.p_two_sided);
  }
  check.figures = {{"drift", drift}, {"tau", trend.tau}, {"p", trend.p_two_sided}};
  return check;
}

}  // namespace

std::vector<Check> canary_checks(const PairedCase& paired) {
  const std::vector<double> base = canaries(paired.base);
  const std::vector<double> contender = canaries(paired.contender);
  const std::vector<double> all = canaries_in_order(paired);
  std::vector<Check> checks;
  if (all.empty()) return checks;
  if (!base.empty() && !contender.empty()) checks.push_back(arms_apart(paired, base, contender));
  checks.push_back(restless(all));
  checks.push_back(drift_of(all));
  return checks;
}

}  // namespace schedlab::compare
