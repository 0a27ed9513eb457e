#include "compare/unpaired.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "compare/effect.h"
#include "stats/blocks_needed.h"
#include "stats/rank_sum.h"
#include "stats/student_t.h"
#include "stats/summary.h"

namespace schedlab::compare {

namespace {

bool vary(std::span<const double> x, std::span<const double> y) {
  return !without_spread(x) || !without_spread(y);
}

// C(n + m, n): how many ways the replicates could have been dealt to the arms.
double arrangements(std::size_t n, std::size_t m) {
  double ways = 1;
  for (std::size_t i = 1; i <= n; ++i)
    ways *= static_cast<double>(m + i) / static_cast<double>(i);
  return ways;
}

void set_by_arrangements(Effect& effect, double difference, const Row& row) {
  const double ways = arrangements(row.base_levels.size(), row.contender_levels.size());
  effect.interval95 = {effect.ratio, effect.ratio};
  effect.interval90 = effect.interval95;
  effect.p_value = difference == 0 ? 1 : std::min(1.0, 2 / ways);
  effect.p_tost = std::abs(difference) < std::log1p(row.delta) ? 1 / ways : 1;
}

double squared(double value) {
  return value * value;
}

// Further replicates of each arm, taking the arms' spreads together as that of a difference.
std::optional<std::int64_t> further_boots(const Row& row, double alpha) {
  const Effect& effect = *row.effect;
  const double share = effect.p_adjusted > 0 ? effect.p_value / effect.p_adjusted : 1;
  const auto now = static_cast<std::int64_t>(replicates_of(row));
  const double sd = std::sqrt(squared(stats::standard_deviation(row.base_levels)) +
                              squared(stats::standard_deviation(row.contender_levels)));
  const auto needed = stats::blocks_needed(
      std::log(effect.ratio),
      sd,
      now,
      {.margin = std::log1p(row.delta), .alpha_change = alpha * share, .alpha_same = alpha});
  if (!needed) return std::nullopt;
  return *needed - now;
}

}  // namespace

std::optional<Effect> estimate_unpaired_effect(const Row& row, double alpha) {
  const std::span<const double> base(row.base_levels);
  const std::span<const double> contender(row.contender_levels);
  if (base.size() < kFewestBoots || contender.size() < kFewestBoots) return std::nullopt;
  const double difference = stats::mean(contender) - stats::mean(base);
  Effect effect;
  effect.ratio = ratio_of(difference);
  effect.hodges_lehmann = ratio_of(stats::hodges_lehmann_shift(contender, base));
  if (const auto interval = stats::hodges_lehmann_shift_interval(contender, base, 1 - alpha)) {
    effect.hl_interval95 = ratios_of(*interval);
  }
  const auto t = stats::welch_t(contender, base);
  if (!t || !vary(base, contender)) {
    set_by_arrangements(effect, difference, row);
  } else {
    set_by_t(effect, *t, std::log1p(row.delta), alpha);
  }
  effect.p_adjusted = effect.p_value;
  return effect;
}

void decide_unpaired(Row& row, double alpha) {
  // An effect is only there when both arms have boots enough.
  settle(row, alpha, /*enough=*/true, further_boots);
}

}  // namespace schedlab::compare
