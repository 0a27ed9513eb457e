#include "compare/effect.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/blocks_needed.h"
#include "stats/equivalence.h"
#include "stats/false_discovery.h"
#include "stats/signed_rank.h"
#include "stats/student_t.h"
#include "stats/summary.h"

namespace schedlab::compare {

namespace {

double half_to_the(std::size_t n) {
  return std::ldexp(1.0, -static_cast<int>(std::min<std::size_t>(n, 1000)));
}

void set_by_sign_test(Effect& effect, double log_ratio, std::size_t n, double margin) {
  effect.interval95 = {effect.ratio, effect.ratio};
  effect.interval90 = effect.interval95;
  effect.p_value = log_ratio == 0 ? 1 : half_to_the(n - 1);
  effect.p_tost = std::abs(log_ratio) < margin ? half_to_the(n) : 1;
}

// With no spread only the number of blocks holds a decision back: 2^-n must fall below a level.
std::int64_t blocks_for_sign_test(const Row& row, double alpha_same, double alpha_change) {
  const double log_ratio = row.log_ratios.front();
  const bool small = std::abs(log_ratio) < std::log1p(row.delta);
  std::size_t n = std::max(row.log_ratios.size() + 1, kFewestBlocks);
  while ((small ? half_to_the(n) : half_to_the(n - 1)) >= (small ? alpha_same : alpha_change))
    ++n;
  return static_cast<std::int64_t>(n);
}

std::optional<std::int64_t> further_blocks(const Row& row, double alpha) {
  const Effect& effect = *row.effect;
  // Where the table shares alpha among its rows, so does the prediction.
  const double share = effect.p_adjusted > 0 ? effect.p_value / effect.p_adjusted : 1;
  const auto now = static_cast<std::int64_t>(row.log_ratios.size());
  if (without_spread(row.log_ratios)) return blocks_for_sign_test(row, alpha, alpha * share) - now;
  const auto needed = stats::blocks_needed(
      stats::mean(row.log_ratios),
      stats::standard_deviation(row.log_ratios),
      now,
      {.margin = std::log1p(row.delta), .alpha_change = alpha * share, .alpha_same = alpha});
  if (!needed) return std::nullopt;
  return *needed - now;
}

}  // namespace

double ratio_of(double log_ratio) {
  constexpr double kLargest = 700;
  return std::exp(std::clamp(log_ratio, -kLargest, kLargest));
}

Interval ratios_of(const stats::Interval& logs) {
  return {ratio_of(logs.low), ratio_of(logs.high)};
}

Interval every_ratio() {
  return {0, std::numeric_limits<double>::infinity()};
}

bool is_every_ratio(const Interval& interval) {
  return std::isinf(interval.high);
}

bool without_spread(std::span<const double> log_ratios) {
  constexpr double kRounding = 1e-12;
  return stats::standard_deviation(log_ratios) < kRounding;
}

void set_by_t(Effect& effect, const stats::TEstimate& t, double margin, double alpha) {
  const stats::Equivalence tost = stats::two_one_sided_tests(t, margin, alpha);
  effect.interval95 = ratios_of(t.interval(1 - alpha));
  effect.interval90 = ratios_of(tost.interval);
  effect.p_value = t.p_two_sided();
  effect.p_tost = tost.p();
}

std::optional<Effect> estimate_effect(std::span<const double> log_ratios,
                                      double delta,
                                      double alpha) {
  const std::size_t n = log_ratios.size();
  if (n < 2) return std::nullopt;
  const double margin = std::log1p(delta);
  const bool constant = without_spread(log_ratios);
  const double centre = constant ? log_ratios.front() : stats::mean(log_ratios);
  Effect effect;
  effect.ratio = ratio_of(centre);
  effect.hodges_lehmann = ratio_of(stats::hodges_lehmann(log_ratios));
  if (const auto interval = stats::hodges_lehmann_interval(log_ratios, 1 - alpha)) {
    effect.hl_interval95 = ratios_of(*interval);
  }
  const auto t = stats::one_sample_t(log_ratios);
  if (constant || !t) {
    set_by_sign_test(effect, centre, n, margin);
  } else {
    set_by_t(effect, *t, margin, alpha);
  }
  effect.p_adjusted = effect.p_value;
  return effect;
}

void adjust_p_values(std::span<Row* const> family) {
  std::vector<Effect*> tested;
  std::vector<double> p_values;
  for (Row* row : family) {
    if (!row->effect) continue;
    tested.push_back(&*row->effect);
    p_values.push_back(row->effect->p_value);
  }
  const std::vector<double> adjusted = stats::benjamini_hochberg(p_values);
  for (std::size_t i = 0; i < tested.size(); ++i)
    tested[i]->p_adjusted = adjusted[i];
}

bool ranks_confirm(const Row& row, Verdict verdict) {
  if (!row.effect || !row.effect->hl_interval95) return false;
  const Interval& interval = *row.effect->hl_interval95;
  switch (verdict) {
    case Verdict::Better:
      return interval.low > 1;
    case Verdict::Worse:
      return interval.high < 1;
    case Verdict::Same:
      return std::abs(std::log(row.effect->hodges_lehmann)) < std::log1p(row.delta);
    case Verdict::Inconclusive:
      return true;
  }
  return false;
}

std::optional<Headline> headline_of(const Row& row) {
  if (!row.effect) return std::nullopt;
  if (row.two_modes) return Headline{row.effect->hodges_lehmann, row.effect->hl_interval95};
  if (is_every_ratio(row.effect->interval95)) return Headline{row.effect->ratio, std::nullopt};
  return Headline{row.effect->ratio, row.effect->interval95};
}

void settle(Row& row, double alpha, bool enough, FurtherReplicates further) {
  row.verdict = Verdict::Inconclusive;
  row.real_but_small = false;
  row.more_blocks.reset();
  if (!row.effect) return;
  const bool differs = row.effect->p_adjusted < alpha;
  const bool within = row.effect->p_tost < alpha;
  if (enough && within) {
    row.verdict = Verdict::Same;
    row.real_but_small = differs;
  } else if (enough && differs) {
    row.verdict = row.effect->ratio > 1 ? Verdict::Better : Verdict::Worse;
  } else {
    row.more_blocks = further(row, alpha);
  }
  if (row.two_modes && !ranks_confirm(row, row.verdict)) {
    row.verdict = Verdict::Inconclusive;
    row.real_but_small = false;
    row.flags.emplace_back("two modes: the ranks do not confirm what the means say");
  }
}

void decide(Row& row, double alpha) {
  settle(row, alpha, row.log_ratios.size() >= kFewestBlocks, further_blocks);
}

}  // namespace schedlab::compare
