// From the runs of many arms to one ordered series of exchangeable values, and from that to the
// changes of its level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compare/history_types.h"
#include "compare/pairing.h"
#include "core/result.h"

namespace schedlab::compare {

struct HistoryOptions;

/// A run that ended well and has the metric.
struct HistoryValue {
  const RunRecord* run = nullptr;
  double value = 0;
};

/// Per arm, in order.
using ArmValues = std::vector<std::vector<HistoryValue>>;

struct HistorySeries {
  HistoryUnit unit = HistoryUnit::Arm;
  bool logarithms = false;                  // of the values; not where one is not positive
  std::vector<std::vector<double>> groups;  // per arm; of Block: the block's mean taken out

  [[nodiscard]] std::vector<double> flat() const;
  /// First index of each group after the first; one more at the end.
  [[nodiscard]] std::vector<std::size_t> ends() const;
};

/// No arm is without a value. `one_experiment`: else no two arms share a block.
HistorySeries make_series(const ArmValues& arms, bool one_experiment);

/// Fills in changes, hints and permutations. Adds to the notes what could not be asked. Errors:
/// those of the methods, which finite values do not meet.
Status find_changes(const HistorySeries& series,
                    const HistoryOptions& options,
                    CaseHistory& history);

}  // namespace schedlab::compare
