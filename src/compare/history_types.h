// History: one metric over many arms in order, as plain values, and where its level moved. `report`
// turns it into text; nothing here prints. What the figures mean: docs/methodology.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "core/experiment.h"
#include "core/metric.h"
#include "stats/summary.h"

namespace schedlab::compare {

/// What one value of the series is: what was replicated, and so what is permuted.
enum class HistoryUnit {
  Arm,    // the median of an arm's runs: each arm had one boot of its own
  Boot,   // the median of a boot's runs: some arm had several
  Block,  // an arm's runs of one block less the block's mean: all arms ran in the same boots
};

/// One arm.
struct HistoryPoint {
  std::string label;  // "v6.5"; "12:v6.5" where the history has several experiments
  ExperimentId experiment;
  Arm arm;
  Nanos start_wall{0};         // of the experiment
  std::size_t boots = 0;       // recorded ones
  std::vector<double> values;  // of its runs, in order, in the metric's unit
  stats::Summary summary;      // of those
};

/// The level moved between two arms.
struct LevelChange {
  std::size_t index = 0;  // the first arm of the new level
  std::size_t low = 0;    // its interval: the first and last arm that may be it
  std::size_t high = 0;
  std::optional<double> p;  // of E-divisive's permutation test; none when only PELT found it
  bool by_pelt = false;     // PELT found it too, or alone
  double before = 0;        // levels of the stretches that meet here, in the metric's unit
  double after = 0;
  std::size_t values_before = 0;  // of the series
  std::size_t values_after = 0;
  std::optional<double> ratio;  // new/old, above 1 is better; as it is without a better direction
  std::optional<Interval> ratio_interval;
  bool by_ranks = false;  // the interval is Hodges-Lehmann's; else Student's or Welch's
};

/// The metric in one case.
struct CaseHistory {
  std::string workload;
  std::string case_name;
  Metric metric;  // value unused
  HistoryUnit unit = HistoryUnit::Arm;
  std::vector<HistoryPoint> points;  // in order
  std::vector<LevelChange> changes;  // of E-divisive, by index
  std::vector<LevelChange> hints;    // of PELT alone, which has no error rate
  std::size_t permutations = 0;      // of E-divisive's tests; 0 when it was not asked
  std::vector<std::string> notes;
};

struct History {
  std::string metric;
  std::string tool_version;  // of the newest experiment
  RunKind kind = RunKind::Measured;
  Machine machine;  // the kernel is that of the newest experiment
  std::size_t experiments = 0;
  double alpha = 0.05;
  double confidence = 0.95;
  std::uint64_t seed = 1;
  std::vector<CaseHistory> cases;  // in plan order
  std::vector<std::string> notes;
};

}  // namespace schedlab::compare
