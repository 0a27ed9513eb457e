// Where a quantile lies, from ranks alone: no assumption but that the samples are independent.
//
// The sorted values of ranks r and s bound the q-quantile with probability P(r <= B < s), B
// binomial(n, q): r the largest rank with P(B < r) <= alpha/2, s the smallest with
// P(B >= s) <= alpha/2 (Thompson 1936; Hahn and Meeker 1991, 5.2). Where one of the two does not
// exist, the extreme value stands on that side and the other side gets what is left of alpha; that
// is how a 95 % interval is had from 29 samples for p90, 59 for p95, 299 for p99, 2995 for p99.9,
// and from none fewer. The estimate is the value of rank ceil(q n), as the histogram has it.
//
// Samples of one run follow each other: for latencies of a loaded machine the interval is then too
// short. It describes one run. Between runs and boots use the clustered bootstrap
// (histogram_bootstrap.h).
//
// A percentile is no finer than what recorded it. QuantileInterval carries the width of a step
// (histogram bucket or the instrument's unit, whichever is coarser), and resolution_limited() says
// when a relative margin is finer than that: report the absolute difference then.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/histogram.h"
#include "core/result.h"

namespace schedlab::stats {

struct QuantileRanks {
  std::int64_t low = 0;  // from 1
  std::int64_t high = 0;
  double coverage = 0;  // exact, at least the confidence asked for

  friend bool operator==(const QuantileRanks&, const QuantileRanks&) = default;
};

/// None when n is too small, or unless 0 < q < 1 and 0 < confidence < 1.
std::optional<QuantileRanks> quantile_ranks(std::int64_t n, double q, double confidence);

/// The smallest n for which quantile_ranks() has an answer; 0 unless 0 < q < 1 and 0 < confidence <
/// 1. Capped at 2^53.
std::int64_t quantile_minimum_samples(double q, double confidence);

/// All figures in the unit of the samples.
struct QuantileInterval {
  double value = 0;
  double low = 0;
  double high = 0;
  double bin_width =
      0;                // the step of what recorded the value, at the value; 0: finer than a double
  double coverage = 0;  // of [low, high]; nominal for a bootstrap

  /// Whether a step is a larger part of the value than `delta`, e.g. 0.01.
  [[nodiscard]] bool resolution_limited(double delta) const;
};

/// `resolution` is the instrument's step, 0 when it has none. Errors: too few values, one that is
/// not finite, q or confidence outside (0, 1).
Result<QuantileInterval> quantile_interval(std::span<const double> values,
                                           double q,
                                           double confidence,
                                           double resolution = 0);

/// The same from recorded samples, e.g. merged from a run's workers. Low and high are outer edges
/// of their buckets. Errors also when the quantile lies above what the histogram can tell apart.
Result<QuantileInterval> quantile_interval(const Histogram& histogram,
                                           double q,
                                           double confidence,
                                           double resolution = 0);

}  // namespace schedlab::stats
