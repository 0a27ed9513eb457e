// Mann-Whitney's U and the Hodges-Lehmann shift: two unpaired samples without assuming normality.
//
// Shift: median of the m n differences x_i - y_j; of logarithms it is the ratio of a typical pair.
// Interval: the differences of rank k and m n + 1 - k, k the largest with P(U < k) <=
// (1 - confidence)/2 (Hollander and Wolfe 1999, 4.3). U counts pairs with x > y, ties half.
// Exact for samples of up to 50 values without ties (recursion of Mann and Whitney 1947); otherwise
// the normal approximation with continuity and tie corrections. Limits: a shift is meant, not a
// change of shape; below 4 + 4 values no 95 % interval exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "stats/interval.h"

namespace schedlab::stats {

struct RankSum {
  double u = 0;
  double p_two_sided = 1;
  double p_greater = 1;  // evidence for x above y
};

/// All ones when a sample is empty.
RankSum rank_sum_test(std::span<const double> x, std::span<const double> y);

/// 0 when a sample is empty.
double hodges_lehmann_shift(std::span<const double> x, std::span<const double> y);

/// None when the samples are too small for any interval of that confidence.
std::optional<Interval> hodges_lehmann_shift_interval(std::span<const double> x,
                                                      std::span<const double> y,
                                                      double confidence);

/// The rank k of the interval above for m + n values: its ends are the k-th smallest and the k-th
/// largest difference. 0 when there is none.
std::uint64_t shift_interval_rank(std::size_t m, std::size_t n, double confidence);

/// The k-th smallest of the differences x_i - y_j, 1 <= k <= m n.
double kth_difference(std::span<const double> x, std::span<const double> y, std::uint64_t k);

}  // namespace schedlab::stats
