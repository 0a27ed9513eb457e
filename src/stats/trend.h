// A trend over time: Mann's test (1945) of Kendall's tau (1938) between values and their order.
//
// S = pairs in rising order minus pairs in falling order; tau = S / (n(n-1)/2); + means rising.
// The null distribution of S is exact for up to 50 values without ties (recursion over inversions),
// normal with continuity and tie corrections otherwise. Limits: assumes values independent but for
// the trend; values that follow their neighbours raise the alarm too often.
#pragma once

#include <cstdint>
#include <span>

namespace schedlab::stats {

struct Trend {
  std::int64_t s = 0;
  double tau = 0;
  double p_two_sided = 1;
};

/// No trend (p = 1) below three values.
Trend mann_kendall(std::span<const double> values_in_order);

}  // namespace schedlab::stats
