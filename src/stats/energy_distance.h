// Energy distance: how far apart two samples lie, in every respect, not only their means.
//
// E = 2 mean|x - y| - mean|x - x'| - mean|y - y'|, the means over all pairs, each value with itself
// included (Szekely and Rizzo 2004). E is 0 only for equal distributions. T = E nm/(n + m) is the
// test statistic; H = E / (2 mean|x - y|), within [0, 1], has no unit. Unit of E: that of the
// values. Free of shift and order; symmetric. O(n log n) by sorting: no n^2 pairs are formed.
#pragma once

#include <span>

#include "core/result.h"

namespace schedlab::stats {

struct EnergyDistance {
  double e = 0;
  double t = 0;
  double h = 0;
};

/// Errors: a sample is empty or not finite.
Result<EnergyDistance> energy_distance(std::span<const double> x, std::span<const double> y);

}  // namespace schedlab::stats
