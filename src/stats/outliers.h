// Outliers: values to look at, never to drop. Marked runs are shown with what disturbed them.
//
//   modified z   0.6745 (x - median)/MAD; marked beyond 3.5 (Iglewicz and Hoaglin 1993). When more
//                than half the values are equal (MAD 0) the mean absolute deviation from the median
//                takes its place: (x - median)/(1.253314 meanAD).
//   GESD         generalised extreme Studentised deviate, up to k outliers with error alpha (Rosner
//                1983): the farthest value is taken out k times, R_i = |x - mean|/sd, and compared
//                with lambda_i from t; the last R_i > lambda_i gives the number. Does not stumble
//                over several outliers that hide one another. On request with median and MAD in
//                place of mean and sd: finds more, error no longer alpha.
//
// Unit-free; order of the values does not matter; of two equally far values GESD takes the lower
// first. Limits: both assume that the bulk is near normal; GESD's lambda is good from about 25
// values (Rosner 1983), rough from 15.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/result.h"

namespace schedlab::stats {

inline constexpr double kModifiedZMark = 3.5;

/// One score per value; all 0 when the values are equal. Errors: no values, not finite.
Result<std::vector<double>> modified_z_scores(std::span<const double> values);

struct GesdStep {
  std::size_t index = 0;  // of the value, in the order given
  double deviate = 0;     // R_i
  double critical = 0;    // lambda_i
};

struct GesdOptions {
  std::size_t most = 10;  // the most outliers looked for; cut to n - 2
  double alpha = 0.05;
  bool robust = false;  // median and 1.4826 MAD in place of mean and sd
};

struct GesdOutcome {
  std::vector<GesdStep> steps;  // farthest first
  std::size_t outliers = 0;     // steps[0 .. outliers) are the outliers
};

/// Errors: fewer than 3 values, not finite, alpha outside (0, 1). Stops early when what is left
/// does not vary.
Result<GesdOutcome> generalised_esd(std::span<const double> values,
                                    const GesdOptions& options = {});

}  // namespace schedlab::stats
