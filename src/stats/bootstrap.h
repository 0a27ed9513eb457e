// BCa: the bias-corrected and accelerated bootstrap interval of any figure of a sample (Efron 1987;
// Efron and Tibshirani 1993, 14.3). For medians, percentiles and their ratios, where no formula is.
//
// The sample is drawn from itself, with return, `resamples` times, and the figure taken of each
// draw. Of those figures the interval takes the quantiles at
//   Phi(z0 + (z0 -+ z) / (1 - a (z0 -+ z))),  z = Phi^-1((1 + confidence) / 2),
// z0 = Phi^-1(share below the estimate, ties half), a from the jackknife: with u_i the influence
// (n-1)(mean of leave-one-out figures - the i-th), summed over all samples that were drawn
// independently, a = sum u^3/n^3 / (6 (sum u^2/n^2)^(3/2)) (Davison and Hinkley 1997, 5.3). Between
// two order statistics of the R figures it is linear, at position p (R + 1).
//
// What is drawn must be independent: boots, or blocks, never the samples of one run as if each were
// a boot. The clustered forms draw boots and then runs within each boot; drawing both adds some of
// the within-boot spread a second time, which makes them a little too wide, never too short for it.
//
// Coverage of a nominal 95 % (normal / skewed / bimodal values; 1500 repetitions): median
// difference 95/95/95 at n = 5 and 95/94/94 at n = 10; mean 87/85/83 and 92/91/91. So: no means
// below about 20 values (use Student's t), and never fewer than kBootstrapMinimum values at all.
//
// Draws are Philox counters turned into positions by whole-number arithmetic, after putting the
// sample into an order of its own: the same seed gives the same interval on every compiler,
// whatever order the values came in, and a figure that turns its sign when the arms are swapped (or
// the differences negated) gets exactly the negated interval. Nothing is allocated per resample.
//
// Errors, for all: too few values, a value or a figure that is not finite (the message counts
// them), figures that are all the same (no spread to measure), more work than
// kBootstrapMaximumDraws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "stats/function_ref.h"
#include "stats/interval.h"

namespace schedlab::stats {

inline constexpr std::size_t kBootstrapMinimum = 4;
inline constexpr std::size_t kBootstrapMinimumResamples = 200;
inline constexpr std::size_t kBootstrapMaximumResamples = 10'000'000;
/// Values drawn in all, and values visited by the jackknife: seconds, not hours. About 31,000
/// values at most; for larger samples quantile_interval.h needs no resampling.
inline constexpr std::uint64_t kBootstrapMaximumDraws = 1'000'000'000;

struct BootstrapOptions {
  std::uint64_t seed = 1;
  std::size_t resamples = 10'000;
  double confidence = 0.95;
};

/// In the unit of the figure. Give logarithms of ratios: intervals of ratios are lopsided.
struct BootstrapInterval {
  double estimate = 0;  // the figure of the sample itself
  Interval interval;
  double bias_correction = 0;  // z0
  double acceleration = 0;     // a
};

/// A figure of one sample, or of two or of pairs. It may reorder what it is given, not alter it,
/// and must not depend on the order (of pairs: on the order of the pairs).
using Figure = FunctionRef<double(std::span<double>)>;
using Figure2 = FunctionRef<double(std::span<double>, std::span<double>)>;

/// Values of one boot or block: one per run.
using Cluster = std::vector<double>;

Result<BootstrapInterval> bca(std::span<const double> values,
                              Figure figure,
                              const BootstrapOptions& options = {});

/// Two samples drawn independently, e.g. boots of two kernels.
Result<BootstrapInterval> bca_two_sample(std::span<const double> x,
                                         std::span<const double> y,
                                         Figure2 figure,
                                         const BootstrapOptions& options = {});

/// Pairs drawn together: x[i] and y[i] are of one block.
Result<BootstrapInterval> bca_paired(std::span<const double> x,
                                     std::span<const double> y,
                                     Figure2 figure,
                                     const BootstrapOptions& options = {});

/// Boots, then runs within each boot drawn; the figure is of all drawn runs together. Errors also:
/// a boot without runs.
Result<BootstrapInterval> bca_clustered(std::span<const Cluster> boots,
                                        Figure figure,
                                        const BootstrapOptions& options = {});

Result<BootstrapInterval> bca_clustered_two_sample(std::span<const Cluster> boots_x,
                                                   std::span<const Cluster> boots_y,
                                                   Figure2 figure,
                                                   const BootstrapOptions& options = {});

/// Blocks drawn together, then runs within each arm of each block.
Result<BootstrapInterval> bca_clustered_paired(std::span<const Cluster> blocks_x,
                                               std::span<const Cluster> blocks_y,
                                               Figure2 figure,
                                               const BootstrapOptions& options = {});

}  // namespace schedlab::stats
