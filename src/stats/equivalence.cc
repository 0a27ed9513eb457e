#include "stats/equivalence.h"

namespace schedlab::stats {

Equivalence two_one_sided_tests(const TEstimate& effect, double margin, double alpha) {
  return {effect.p_above(-margin), effect.p_below(margin), effect.interval(1 - 2 * alpha)};
}

}  // namespace schedlab::stats
