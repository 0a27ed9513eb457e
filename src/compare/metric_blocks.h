// One metric of a case laid out by block: what every figure and check of a row is made from.
#pragma once

#include <string_view>
#include <vector>

#include "compare/pairing.h"

namespace schedlab::compare {

/// Entry i of every list is of blocks[i].
struct MetricBlocks {
  std::vector<const PairedBlock*> blocks;  // complete ones where every run has the metric
  std::vector<std::vector<double>> base;   // values by position, in the metric's unit
  std::vector<std::vector<double>> contender;
  std::vector<double> base_logs;  // mean logarithm of a block's values; empty without logarithms
  std::vector<double> contender_logs;
  std::size_t without = 0;        // complete blocks where a run lacks the metric
  std::size_t base_unusable = 0;  // values that have no logarithm: zero, negative, not finite
  std::size_t contender_unusable = 0;

  [[nodiscard]] bool has_logs() const { return base_unusable + contender_unusable == 0; }
};

MetricBlocks metric_blocks(const PairedCase& paired, std::string_view metric);

/// All values, block after block.
std::vector<double> all_values(const std::vector<std::vector<double>>& blocks);

/// The runs those values are of, in the same order.
Runs all_runs(const std::vector<const PairedBlock*>& blocks, Runs PairedBlock::*side);

}  // namespace schedlab::compare
