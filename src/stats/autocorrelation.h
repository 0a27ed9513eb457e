// Autocorrelation: how far values of one series remember those before them, and so how many of them
// count.
//
// Samples inside a run are a series: a mean of n of them has the error of fewer independent values.
// Treating them as n is how a nominal 5 % test alarms in 68 % (AR(1), 0.9). All figures are free of
// unit and shift. Sources: r_k and the divisor n as in Box and Jenkins (1976); Q of Ljung and Box
// (1978); initial sequences of Geyer (1992); the autoregressive estimate of the spectrum at zero of
// Heidelberger and Welch (1981), fitted by Yule and Walker's equations with Akaike's order, as R's
// `coda` does. Limits: a drift looks like memory; remove it, or take the figures as a warning.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/result.h"

namespace schedlab::stats {

/// r_1 .. r_most, most < n. Errors: fewer than two values, not finite, all equal, most >= n.
/// O(n most).
Result<std::vector<double>> autocorrelations(std::span<const double> series, std::size_t most);

struct LjungBox {
  double q = 0;  // n(n+2) sum r_k^2 / (n-k)
  double p = 1;  // chi-squared with `lags` degrees of freedom
};

/// Errors as above; lags >= 1.
Result<LjungBox> ljung_box(std::span<const double> series, std::size_t lags);

struct EffectiveSize {
  double n = 0;               // within [1, n of the series]
  std::size_t lags_used = 0;  // autocorrelations that entered; the order for the AR estimate
  bool truncated = false;     // the sum was still growing at the last lag looked at: n is too high
};

/// n / (1 + 2 sum r_k) over Geyer's initial positive, monotone sequence of pair sums. At most n:
/// alternating series are not credited. Errors: fewer than 4 values, not finite, all equal. Looks
/// at lags up to n/2, fewer for more than 20,000 values so that the work stays below 2e8 products.
Result<EffectiveSize> effective_size(std::span<const double> series);

/// n var(x) / spectrum(0) of an autoregression; smoother for short series. Errors as above.
Result<EffectiveSize> effective_size_ar(std::span<const double> series);

/// n (1 - rho)/(1 + rho), -1 < rho < 1: the same for a first-order autoregression.
double effective_size_ar1(double n, double rho);

}  // namespace schedlab::stats
