// Summary: the usual figures of one sample, in the unit of its values.
//
// No orientation: what is better is the caller's business. Two passes, so that a large mean with a
// small spread keeps its digits (NIST StRD NumAcc1-4 are tests). Limits: values must be finite.
#pragma once

#include <cstddef>
#include <span>

namespace schedlab::stats {

struct Summary {
  std::size_t n = 0;
  double mean = 0;
  double harmonic_mean = 0;  // n / sum(1/x); 0 unless every value is positive
  double median = 0;         // mean of the two middle values when n is even
  double sd = 0;             // divisor n-1; 0 when n < 2
  double population_sd = 0;  // divisor n
  double cv = 0;             // sd / |mean|, a fraction; 0 when the mean is 0
  double min = 0;
  double max = 0;
};

/// All zeros for an empty sample.
Summary summarise(std::span<const double> values);

/// 0 for an empty sample.
double mean(std::span<const double> values);
double median(std::span<const double> values);

/// Divisor n-1; 0 when n < 2.
double standard_deviation(std::span<const double> values);

/// r1 = sum (x_i - m)(x_{i+1} - m) / sum (x_i - m)^2 (Box and Jenkins 1976); 0 when all are equal
/// or differ by more than a double's square holds.
double lag1_autocorrelation(std::span<const double> values);

}  // namespace schedlab::stats
