// mmtests' own statistics of an arm's runs. They differ from ours where theirs do: "best N %"
// means, percentiles without interpolation, a harmonic standard deviation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/styles.h"

namespace schedlab::report {

struct MmtestsFigures {
  std::size_t n = 0;
  double min = 0;
  double max = 0;
  double mean = 0;         // arithmetic where lower is better, harmonic where higher is
  double stddev = 0;       // divisor n-1; harmonic: sqrt(sum((1/x - 1/H)^2) * H^4 / n)
  double coeff_var = 0;    // in %
  double best_mean95 = 0;  // mean of the best floor(n * 95 / 100), at least one
  double pctile95 = 0;     // floor(n * 95 / 100)th from the best, no interpolation
};

MmtestsFigures mmtests_figures(std::span<const double> values, bool higher);

/// In %, + is better: 100 * new / base - 100 where higher is better, 100 - 100 * new / base where
/// lower is. From a base of zero: 0 to zero, else 100 where higher is better and -99 where lower
/// is.
double mmtests_change(double base, double contender, bool higher);

/// Whether the mean gets its star.
/// BandsApart: the bands mean +- 1.96 standard deviations do not overlap.
/// TTest: two-sided t at 0.10, standard error sqrt(s1^2/n1 + s2^2/n2), n1 + n2 - 2 degrees of
/// freedom; without any variance, any difference.
bool mmtests_star(const MmtestsFigures& base, const MmtestsFigures& contender, StarRule rule);

}  // namespace schedlab::report
