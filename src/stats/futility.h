// Futility: is a decision within the cap still likely enough to go on paying for?
//
// Three predictions from the effect and spread seen so far, in the unit of the paired differences:
// blocks for a fixed plan's t interval or equivalence (stats/blocks_needed.h), blocks for the
// t-mixture e-value, and the conditional power at the cap (Lan and Wittes 1988): the chance that
// the final test rejects, given the blocks so far and that the future goes on as the past. Stopping
// for futility never makes a false finding more likely; it only gives up power. Limits: all take
// the estimates at face value; from fewer than about 5 blocks they are rough.
#pragma once

#include <cstdint>
#include <optional>

#include "stats/blocks_needed.h"

namespace schedlab::stats {

/// The smallest n > `blocks_now` at which the t-mixture (g = 1) reaches 1/alpha if effect and sd
/// stay as they are; none when that takes more than kBlocksCap, or sd is not above 0.
std::optional<std::int64_t> blocks_needed_by_e_value(double effect,
                                                     double sd,
                                                     std::int64_t blocks_now,
                                                     double alpha);

/// Chance within [0, 1] that |z| exceeds the two-sided critical value of `alpha` at `blocks_cap`,
/// under the current trend; 1 or 0 once blocks_now has reached the cap. None when sd is not above 0
/// or blocks_now < 1.
std::optional<double> conditional_power(
    double effect, double sd, std::int64_t blocks_now, std::int64_t blocks_cap, double alpha);

struct Futility {
  std::optional<std::int64_t> blocks_predicted;  // none: not within kBlocksCap
  bool futile = false;                           // predicted blocks > cap
};

/// Whether `blocks_needed` exceeds the cap. Not futile while sd is unknown (fewer than two blocks)
/// or 0: there is nothing to predict from.
Futility check_futility(double effect,
                        double sd,
                        std::int64_t blocks_now,
                        std::int64_t blocks_cap,
                        const DecisionGoal& goal);

}  // namespace schedlab::stats
