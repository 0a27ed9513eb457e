// Quantiles of one sample, in the unit of its values: the usual ones and Harrell and Davis's.
//
// quantile(): type 7 of Hyndman and Fan (1996), as R, NumPy and spreadsheets have it: linear
// between the order statistics around position (n - 1) q + 1.
//
// harrell_davis(): sum W_i x_(i), W_i = I(i/n) - I((i-1)/n), I the distribution function of
// Beta((n+1) q, (n+1)(1-q)) (Harrell and Davis 1982). It averages over all order statistics, so it
// is smoother and for light tails more exact than one or two of them, and steps of the instrument
// show less. Limits: one wild value moves it (no breakdown point), most of all for q near 0 or 1;
// where n (1-q) is below about 1 it is near the maximum, and no method can do better.
//
// Values must be finite. Cost: O(n) and O(n log n); ten million values are fine.
#pragma once

#include <span>

namespace schedlab::stats {

/// 0 for an empty sample; q is clamped to [0, 1].
double quantile(std::span<const double> values, double q);

/// As quantile(), but reorders `values` instead of copying them: for resampling loops.
double quantile_in_place(std::span<double> values, double q);

/// quantile_in_place(values, 0.5), with the middle two averaged when n is even.
double median_in_place(std::span<double> values);

/// 0 for an empty sample; q is clamped to [0, 1], and 0 and 1 give the minimum and the maximum.
double harrell_davis(std::span<const double> values, double q);

}  // namespace schedlab::stats
