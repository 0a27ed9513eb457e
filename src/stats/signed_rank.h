// Wilcoxon's signed-rank test and the Hodges-Lehmann estimate: the centre of one sample (or of
// paired differences) without assuming a normal distribution.
//
// Estimate: median of the n(n+1)/2 Walsh averages (x_i + x_j)/2, i <= j (Hodges and Lehmann 1963).
// Interval: the Walsh averages of rank k and n(n+1)/2 + 1 - k, k the largest with P(V < k) <=
// (1 - confidence)/2 under the null distribution of V (Tukey 1949; Hollander and Wolfe 1999, 3.3).
// p-value: of V, the sum of the ranks of |x| where x > 0.
//
// Zeros are left out of the p-value (Wilcoxon 1945), not of the estimate and interval. Ties get
// midranks. Up to 50 values the null distribution is exact, with ties conditional on the midranks
// seen; the interval then uses the distribution without ties, which keeps its coverage at or above
// the stated one. Beyond 50 values: the normal approximation, with continuity and tie corrections.
// Limits: assumes that the distribution is symmetric about its centre; below 6 values no 95 %
// interval exists.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/interval.h"

namespace schedlab::stats {

struct SignedRank {
  double v = 0;            // sum of the positive ranks
  std::size_t n_used = 0;  // values that are not zero
  double p_two_sided = 1;
  double p_greater = 1;  // evidence for a centre above zero
};

/// All ones for a sample without a value other than zero.
SignedRank signed_rank_test(std::span<const double> values);

/// Median of the Walsh averages; 0 for an empty sample.
double hodges_lehmann(std::span<const double> values);

/// None when the sample is too small for any interval of that confidence.
std::optional<Interval> hodges_lehmann_interval(std::span<const double> values, double confidence);

}  // namespace schedlab::stats
