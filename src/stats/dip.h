// Hartigan's dip: is one mode enough?
//
// The dip D is the largest distance between the sample's distribution function and the unimodal one
// closest to it: 1/(2n) at best, 1/4 for two far clusters of equal size. Computed by the greatest
// convex minorant and least concave majorant of the shrinking modal interval (Hartigan and Hartigan
// 1985, section 4). A mode that is one repeated value is allowed, as in the definition.
//
// The p-value is against the uniform, the unimodal shape hardest to tell from two modes, so it is
// conservative for bell shapes: few false alarms, and power only for clear valleys. From a table of
// sqrt(n) D simulated here (stats/dip_table.h), interpolated in ln n and between quantiles.
//
// Free of unit, shift, order and mirror. Limits: below about 20 values it sees next to nothing (use
// stats/modes.h); values rounded to a coarse step look like many modes, so spread ties first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"

namespace schedlab::stats {

inline constexpr std::size_t kDipFewest = 4;    // values; below, p is always 1
inline constexpr double kDipSmallestP = 0.001;  // the table's end: read as "at most"

/// D in [1/(2n), 1/4]. Errors: no values, not finite. O(n log n).
Result<double> dip(std::span<const double> values);

/// P(D >= dip) for n uniform values, in [kDipSmallestP, 1].
double dip_p(double dip, std::size_t n);

/// The same by simulation: (1 + samples with D >= dip)/(1 + resamples). O(resamples n log n).
double dip_p_monte_carlo(double dip, std::size_t n, std::size_t resamples, std::uint64_t seed);

struct DipTest {
  double dip = 0;
  double p = 1;
};

/// `step` > 0 spreads ties over the instrument's step first, 0 takes the values as they are.
Result<DipTest> dip_test(std::span<const double> values, double step = 0);

/// k values equal to v become v + step ((i + 1/2)/k - 1/2), i = 0 .. k-1: evenly over one step,
/// sorted. Undoes rounding without a random number.
std::vector<double> spread_ties(std::span<const double> values, double step);

}  // namespace schedlab::stats
