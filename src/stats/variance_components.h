// Where the spread comes from, and how to spend the next hour on it: the n-level model of Kalibera
// and Jones (2013; "Effect Size Confidence Intervals" 2012, 9).
//
// A measurement is the mean plus a random effect of each level: level n the outermost (boots),
// level 1 the innermost (samples in a run). With r_i repetitions of level i inside each of level
// i+1:
//   S_i^2   the variance (divisor r_i - 1) of the level-i means inside a level-(i+1) mean, averaged
//   T_1^2 = S_1^2,  T_i^2 = S_i^2 - S_(i-1)^2 / r_(i-1): the level's own variance, unbiased
// Interval of the mean: t with r_n - 1 degrees of freedom, standard error S_n / sqrt(r_n): only the
// outermost level counts as replication. Ratio of two arms: fieller_ratio() of their mean_of().
// Plan: r_i = ceil(sqrt(c_(i+1)/c_i * T_i^2/T_(i+1)^2)), c_i the cost of one more at level i.
//
// T_i^2 may come out at or below 0: the level adds nothing that this data can see, and the plan
// passes over it. Limits: effects must be independent and of one variance per level; S_n^2 from two
// or three boots is itself uncertain by a factor of several, so re-plan as boots come in. Balanced
// data only: every unit of a level has the same number of parts, at least two.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/result.h"
#include "stats/student_t.h"

namespace schedlab::stats {

struct NestedSample {
  std::vector<std::size_t> repetitions;  // r_1 ... r_n, innermost first
  std::vector<double> values;            // r_1 * ... * r_n, the innermost level running fastest
};

/// From boots of runs of samples. Errors: boots or runs of unequal size.
Result<NestedSample> nest(const std::vector<std::vector<std::vector<double>>>& boots);

struct VarianceLevel {
  std::size_t repetitions = 0;
  double variance_of_means = 0;  // S^2
  double own_variance = 0;       // T^2; may be negative
};

struct VarianceComponents {
  double mean = 0;
  std::vector<VarianceLevel> levels;  // innermost first
};

/// Errors: no level, a level with one repetition (leave it out, or measure more), a number of
/// values that is not the product, a value that is not finite.
Result<VarianceComponents> variance_components(const NestedSample& sample);

/// The mean with its standard error and degrees of freedom: mean_of(c).interval(0.95). The standard
/// error is 0 when nothing varied, and no interval can then be made.
TEstimate mean_of(const VarianceComponents& components);

inline constexpr std::size_t kRepetitionsCap = 10'000;

struct PlanGoal {
  double half_width = 0;  // of the mean's interval, in the unit of the values; > 0
  double confidence = 0.95;
};

struct RepetitionPlan {
  std::vector<std::size_t> repetitions;  // innermost first; the outermost from the goal
  std::vector<double> exact;             // of all levels but the outermost, before rounding up
  double cost = 0;                       // of the whole plan, in the unit of `costs`
  bool capped = false;  // a level reached kRepetitionsCap: the goal is out of reach
};

/// `costs`: one per level, innermost first, each > 0: of one sample, of starting one run, of one
/// boot. Errors: as many costs as levels, a cost or goal out of range.
Result<RepetitionPlan> plan_repetitions(const VarianceComponents& components,
                                        std::span<const double> costs,
                                        const PlanGoal& goal);

}  // namespace schedlab::stats
