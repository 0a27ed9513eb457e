// lkp-tests' own statistics of an arm's runs, and its rule for which figures its comparison lists.
#pragma once

#include <cstddef>
#include <span>

namespace schedlab::report {

struct LkpFigures {
  std::size_t n = 0;
  double mean = 0;
  double stddev_percent = 0;  // population standard deviation (divisor n) in % of the mean
};

/// All zeros for no values.
LkpFigures lkp_figures(std::span<const double> values);

/// Least ratio of the medians that is listed: of a benchmark's own result, and of any other figure.
inline constexpr double kLkpLeastRatioOfResult = 1.01;
inline constexpr double kLkpLeastRatio = 1.05;

/// Whether lkp lists the figure as changed: one arm's least run above the other's median and its
/// median above the other's greatest run; extremes first trimmed by n/32 a side, at most 3, at most
/// 1 where base has 3 runs or fewer; at least one arm with 3 runs; and the larger median more than
/// `least_ratio` times the smaller. lkp's floors for single figures are not known here.
bool lkp_lists(std::span<const double> base, std::span<const double> contender, double least_ratio);

}  // namespace schedlab::report
