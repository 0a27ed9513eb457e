// Equivalence by two one-sided tests (TOST; Schuirmann 1987): is an effect certainly small?
//
// Claimed at level alpha when the interval of confidence 1 - 2 alpha lies strictly within
// (-margin, +margin); p_low and p_high are the tests against either end. For ratios give logarithms
// and the margin ln(1 + delta), which is the ratio range (1/(1+delta), 1+delta).
#pragma once

#include "stats/interval.h"
#include "stats/student_t.h"

namespace schedlab::stats {

struct Equivalence {
  double p_low = 1;   // evidence that the effect lies above -margin
  double p_high = 1;  // evidence that it lies below +margin
  Interval interval;  // of confidence 1 - 2 alpha, in the unit of the estimate

  /// The p-value of the claim: the larger of the two.
  [[nodiscard]] double p() const { return p_low > p_high ? p_low : p_high; }
};

/// margin > 0, 0 < alpha < 0.5.
Equivalence two_one_sided_tests(const TEstimate& effect, double margin, double alpha = 0.05);

}  // namespace schedlab::stats
