// A percentile of everything an arm recorded, with an interval that knows about boots.
//
// Estimate: the quantile of all histograms of the arm merged, never a mean of percentiles.
// Interval: BCa (bootstrap.h), drawing boots and then runs within each boot, merging what was drawn
// and reading the quantile again. The number of resamples does not multiply with the number of
// samples: a resample costs the runs times the logarithm of the buckets in use.
//
// The histogram's bucket width (at most 1/256 of the value) is carried along; where the
// instrument's unit is coarser give it as `resolution`. Limits: at least kBootstrapMinimum boots;
// the coverage of high percentiles needs enough samples per run to place them
// (quantile_minimum_samples()).
#pragma once

#include <span>
#include <vector>

#include "core/histogram.h"
#include "core/result.h"
#include "stats/bootstrap.h"
#include "stats/quantile_interval.h"

namespace schedlab::stats {

/// The runs of one boot: not null, not empty.
using HistogramBoot = std::vector<const Histogram*>;

/// In the unit recorded; coverage is the nominal confidence. Errors: as bca(), q outside (0, 1), a
/// run that recorded nothing, a quantile above Histogram::kMaxTrackable.
Result<QuantileInterval> histogram_quantile_bootstrap(std::span<const HistogramBoot> boots,
                                                      double q,
                                                      const BootstrapOptions& options = {},
                                                      double resolution = 0);

struct QuantileRatio {
  BootstrapInterval log_ratio;  // ln(quantile of x / quantile of y)
  QuantileInterval x;           // low and high are those of the value's own bucket: no interval
  QuantileInterval y;

  /// Whether a step of either side is a larger part of its value than `delta`.
  [[nodiscard]] bool resolution_limited(double delta) const {
    return x.resolution_limited(delta) || y.resolution_limited(delta);
  }
};

/// Two arms with boots of their own. Errors also: a quantile of 0, which has no ratio.
Result<QuantileRatio> histogram_quantile_ratio(std::span<const HistogramBoot> boots_x,
                                               std::span<const HistogramBoot> boots_y,
                                               double q,
                                               const BootstrapOptions& options = {},
                                               double resolution = 0);

}  // namespace schedlab::stats
