// How to spend further boots: Kalibera and Jones's plan from where a row's spread comes from.
//
// Of each arm the runs of a boot and the boots give two variances of the logarithms
// (variance_components.h; boots cut to the fewest runs that one has, so that they are alike), which
// are averaged over the arms. The cheapest number of runs in a boot follows from them and from what
// a run and a boot cost; further boots from how much closer boots of so many runs lie together.
#pragma once

#include <optional>

#include "compare/metric_blocks.h"

namespace schedlab::compare {

/// What a boot costs where the records do not tell.
inline constexpr double kAssumedBootSeconds = 120;

/// What the records say of time.
struct RunCosts {
  double run_seconds = 0;              // mean of the runs; 1 where unknown
  std::optional<double> boot_seconds;  // median gap between runs of different boots
};

/// Of runs of one case, any order.
RunCosts costs_of(const PairedCase& paired);

/// None unless boots are the replicates, an arm has two of them and every boot two runs.
std::optional<BootPlan> plan_boots(const Row& row, const MetricBlocks& data, const RunCosts& costs);

/// Sets more_boots of a row that is decided and inconclusive.
void predict_boots(Row& row, double alpha);

}  // namespace schedlab::compare
