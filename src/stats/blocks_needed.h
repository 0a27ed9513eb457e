// How many blocks would decide? From the effect and spread seen so far.
//
// The smallest n at which, with the effect and standard deviation as they are now, either the t
// interval of confidence 1 - alpha excludes 0, or the one of confidence 1 - 2 alpha_same lies
// within (-margin, +margin). It is the n at which a decision is about as likely as not, since the
// next blocks scatter too; a plan that must decide takes twice as many. Units: those of the paired
// differences (log-ratios).
#pragma once

#include <cstdint>
#include <optional>

namespace schedlab::stats {

inline constexpr std::int64_t kBlocksCap = 10'000;

struct DecisionGoal {
  double margin = 0;           // > 0: ln(1 + delta)
  double alpha_change = 0.05;  // for "differs"; below 0.05 where many rows share it
  double alpha_same = 0.05;    // for "within the margin"
};

/// More than `blocks_now`, at most kBlocksCap; none when no such n exists or sd is not above 0.
std::optional<std::int64_t> blocks_needed(double effect,
                                          double sd,
                                          std::int64_t blocks_now,
                                          const DecisionGoal& goal);

}  // namespace schedlab::stats
