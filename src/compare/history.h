// find_history(): a metric over many arms in order (kernels, commits, nights) -> where its level
// moved, by how much, and how sure that is.
//
// Each arm gives one value, or one per boot, or one per block: what is exchangeable when nothing
// changed (HistoryUnit). E-divisive with a permutation test decides, PELT gives a second opinion
// (stats/change_points.h). The size is Hodges and Lehmann's ratio of the stretches on either side.
// Limits: a change that one arm brings and the next takes back is not found where each arm gives
// one value; a slow drift is found as changes; an interval of a change that was searched for is
// too narrow, the more the fewer values there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compare/history_types.h"
#include "core/experiment.h"
#include "core/result.h"
#include "core/run_record.h"

namespace schedlab::compare {

struct HistoryOptions {
  std::string metric;
  std::vector<std::string> arms = {};  // in order; empty: every arm of the plan but the control
  double alpha = 0.05;                 // chance to find a change in a case where there is none
  double confidence = 0.95;            // of the intervals
  std::uint64_t seed = 1;              // of the permutations
};

struct HistorySource {
  Experiment experiment;
  std::vector<RunRecord> runs;
};

/// Arms below which there is no history, and values of the series: of fewer than 8 no arrangement
/// is rare enough for p <= 0.05.
inline constexpr std::size_t kHistoryFewestArms = 3;
inline constexpr std::size_t kHistoryFewestValues = 8;

/// The arms of all sources, which are put in order of time. Errors: a metric that no run has, an
/// unknown arm or one named twice, too few arms or values in every case, sources of different
/// machines or kinds, a metric whose unit or direction differs between arms of a case, a case whose
/// arms ran different versions or modes of the workload.
Result<History> find_history(std::span<const HistorySource> sources, const HistoryOptions& options);

}  // namespace schedlab::compare
