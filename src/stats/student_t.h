// Student's t: intervals and p-values of a mean, and Welch's for the difference of two means.
//
// Units and orientation are those of the values given. For paired data give the differences; for
// ratios give logarithms. Source: Student 1908, Welch 1947 (degrees of freedom after Satterthwaite
// 1946). Limits: the mean of n values must be near normal, which long tails spoil for small n;
// values that depend on their neighbours make the interval too short.
#pragma once

#include <optional>
#include <span>

#include "stats/interval.h"

namespace schedlab::stats {

/// An estimate with its standard error: enough for any interval or test on Student's t.
struct TEstimate {
  double estimate = 0;
  double standard_error = 0;  // above 0
  double df = 0;

  /// (estimate - null) / standard_error
  [[nodiscard]] double t(double null = 0) const;
  [[nodiscard]] double p_two_sided(double null = 0) const;
  /// Evidence for an estimate above / below `null`.
  [[nodiscard]] double p_above(double null) const;
  [[nodiscard]] double p_below(double null) const;
  /// estimate -+ t((1 + confidence) / 2, df) * standard_error
  [[nodiscard]] Interval interval(double confidence) const;
};

/// Mean of a sample; of paired differences this is the paired t test. None below two values, when
/// they do not vary (t is then undefined) or vary by more than a double's square holds.
std::optional<TEstimate> one_sample_t(std::span<const double> values);

/// mean(x) - mean(y), unequal variances. None when a sample has fewer than two values, neither
/// varies, or as above.
std::optional<TEstimate> welch_t(std::span<const double> x, std::span<const double> y);

}  // namespace schedlab::stats
