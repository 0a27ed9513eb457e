// Many rows, beyond Benjamini-Hochberg (stats/false_discovery.h): stricter promises, any
// dependence, rows in families (a benchmark's rows), and e-values.
//
//   Holm (1979)                     any false finding at all at most q; any dependence
//   Benjamini and Yekutieli (2001)  share of false findings at most q under any dependence; costs a
//                                   factor of 1 + 1/2 + ... + 1/m
//   Simes (1986)                    one p for "some row of this family changed"
//   Benjamini and Bogomolov (2014)  Simes per family, BH over families at q, BH inside each of the
//   R
//                                   selected of m at q R/m: holds the expected average share of
//                                   false findings over the selected families
//   e-BH (Wang and Ramdas 2022)     BH on 1/E: valid under any dependence, also for e-values
//                                   watched and stopped at will
//
// All but the two-stage answer with adjusted p-values: reject those at or below q. Errors: a p that
// is not within [0, 1], a log E that is NaN.
#pragma once

#include <span>
#include <vector>

#include "core/result.h"

namespace schedlab::stats {

Result<std::vector<double>> holm(std::span<const double> p_values);
Result<std::vector<double>> benjamini_yekutieli(std::span<const double> p_values);

/// min over i of (m p_(i) / i); 1 for no p-values.
Result<double> simes(std::span<const double> p_values);

struct FamilyFindings {
  double simes_p = 1;
  bool selected = false;
  /// BH inside the family times m/R, at most 1: a finding where at or below q. All 1 when not
  /// selected.
  std::vector<double> adjusted;
};

/// In the order given; an empty family counts among m and is never selected. q in (0, 1).
Result<std::vector<FamilyFindings>> two_stage(std::span<const std::vector<double>> families,
                                              double q);

/// Adjusted p-values from ln E, in the order given.
Result<std::vector<double>> e_benjamini_hochberg(std::span<const double> log_e_values);

}  // namespace schedlab::stats
