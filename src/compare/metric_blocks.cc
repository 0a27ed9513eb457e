#include "compare/metric_blocks.h"

#include <cmath>
#include <optional>
#include <utility>

#include "stats/summary.h"

namespace schedlab::compare {

namespace {

// None when a run lacks the metric.
std::optional<std::vector<double>> values_of(const Runs& runs, std::string_view metric) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const RunRecord* run : runs) {
    const Metric* found = run->output.find_metric(metric);
    if (found == nullptr) return std::nullopt;
    values.push_back(found->value);
  }
  return values;
}

std::size_t count_without_logarithm(const std::vector<std::vector<double>>& blocks) {
  std::size_t count = 0;
  for (const auto& block : blocks) {
    for (const double value : block)
      count += value > 0 && std::isfinite(value) ? 0U : 1U;
  }
  return count;
}

std::vector<double> mean_logs(const std::vector<std::vector<double>>& blocks) {
  std::vector<double> means;
  means.reserve(blocks.size());
  std::vector<double> logs;
  for (const auto& block : blocks) {
    logs.clear();
    for (const double value : block)
      logs.push_back(std::log(value));
    means.push_back(stats::mean(logs));
  }
  return means;
}

}  // namespace

MetricBlocks metric_blocks(const PairedCase& paired, std::string_view metric) {
  MetricBlocks found;
  for (const PairedBlock& block : paired.blocks) {
    auto base = values_of(block.base, metric);
    auto contender = values_of(block.contender, metric);
    if (!base || !contender) {
      ++found.without;
      continue;
    }
    found.blocks.push_back(&block);
    found.base.push_back(*std::move(base));
    found.contender.push_back(*std::move(contender));
  }
  found.base_unusable = count_without_logarithm(found.base);
  found.contender_unusable = count_without_logarithm(found.contender);
  if (found.has_logs()) {
    found.base_logs = mean_logs(found.base);
    found.contender_logs = mean_logs(found.contender);
  }
  return found;
}

std::vector<double> all_values(const std::vector<std::vector<double>>& blocks) {
  std::vector<double> all;
  for (const auto& block : blocks)
    all.insert(all.end(), block.begin(), block.end());
  return all;
}

Runs all_runs(const std::vector<const PairedBlock*>& blocks, Runs PairedBlock::*side) {
  Runs all;
  for (const PairedBlock* block : blocks) {
    const Runs& runs = block->*side;
    all.insert(all.end(), runs.begin(), runs.end());
  }
  return all;
}

}  // namespace schedlab::compare
