#include "compare/boot_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "stats/blocks_needed.h"
#include "stats/summary.h"
#include "stats/variance_components.h"

namespace schedlab::compare {

namespace {

using BootRuns = std::map<std::size_t, std::vector<double>>;

// The logarithms of an arm's runs, by boot.
BootRuns logs_by_boot(const std::vector<const PairedBlock*>& blocks,
                      const std::vector<std::vector<double>>& values,
                      std::size_t PairedBlock::*boot) {
  BootRuns boots;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (const double value : values[i])
      boots[blocks[i]->*boot].push_back(std::log(value));
  }
  return boots;
}

std::size_t fewest_runs(const BootRuns& boots) {
  std::size_t fewest = boots.begin()->second.size();
  for (const auto& [number, runs] : boots)
    fewest = std::min(fewest, runs.size());
  return fewest;
}

// None for an arm of one boot, or of boots with one run: it has nothing to tell the levels apart.
std::optional<stats::VarianceComponents> components_of(const BootRuns& boots) {
  if (boots.size() < 2) return std::nullopt;
  const std::size_t runs = fewest_runs(boots);
  if (runs < 2) return std::nullopt;
  stats::NestedSample sample;
  sample.repetitions = {runs, boots.size()};
  for (const auto& [number, logs] : boots) {
    sample.values.insert(
        sample.values.end(), logs.begin(), logs.begin() + static_cast<std::ptrdiff_t>(runs));
  }
  const auto components = stats::variance_components(sample);
  return components ? std::optional(*components) : std::nullopt;
}

// The mean of the arms that have components.
std::optional<stats::VarianceComponents> averaged(
    const std::optional<stats::VarianceComponents>& a,
    const std::optional<stats::VarianceComponents>& b) {
  if (!a || !b) return a ? a : b;
  stats::VarianceComponents out = *a;
  for (std::size_t i = 0; i < out.levels.size(); ++i) {
    stats::VarianceLevel& level = out.levels[i];
    level.repetitions = std::min(level.repetitions, b->levels[i].repetitions);
    level.own_variance = (level.own_variance + b->levels[i].own_variance) / 2;
    level.variance_of_means = (level.variance_of_means + b->levels[i].variance_of_means) / 2;
  }
  return out;
}

std::int64_t cheapest_runs(const stats::VarianceComponents& components, const BootPlan& plan) {
  // With no variance between boots to be seen, more runs or more boots do the same work.
  if (!(plan.boot_variance > 0)) return plan.runs_now;
  const std::array<double, 2> costs = {plan.run_seconds, plan.boot_seconds};
  const auto found = stats::plan_repetitions(components, costs, {.half_width = 0.01});
  return found ? static_cast<std::int64_t>(found->repetitions.front()) : plan.runs_now;
}

double variance_of_a_boot(const BootPlan& plan, std::int64_t runs) {
  return std::max(0.0, plan.boot_variance) + plan.run_variance / static_cast<double>(runs);
}

double spread_now(const Row& row) {
  if (row.replication.paired) return stats::standard_deviation(row.log_ratios);
  return std::hypot(stats::standard_deviation(row.base_levels),
                    stats::standard_deviation(row.contender_levels));
}

}  // namespace

RunCosts costs_of(const PairedCase& paired) {
  Runs runs = paired.base;
  runs.insert(runs.end(), paired.contender.begin(), paired.contender.end());
  std::stable_sort(runs.begin(), runs.end(), [](const RunRecord* a, const RunRecord* b) {
    return a->start_wall < b->start_wall;
  });
  RunCosts costs;
  std::vector<double> gaps;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunRecord& run = *runs[i];
    costs.run_seconds += static_cast<double>((run.end_monotonic - run.start_monotonic).count());
    const bool follows = i > 0 && run.start_wall.count() > 0 && runs[i - 1]->end_wall.count() > 0;
    if (!follows || run.boot_id == runs[i - 1]->boot_id) continue;
    gaps.push_back(static_cast<double>((run.start_wall - runs[i - 1]->end_wall).count()) / 1e9);
  }
  costs.run_seconds /= 1e9 * static_cast<double>(std::max<std::size_t>(1, runs.size()));
  if (!(costs.run_seconds > 0)) costs.run_seconds = 1;
  const double gap = stats::median(gaps);
  if (gap > 0) costs.boot_seconds = gap;
  return costs;
}

std::optional<BootPlan> plan_boots(const Row& row,
                                   const MetricBlocks& data,
                                   const RunCosts& costs) {
  if (row.replication.unit != ReplicateUnit::Boot || !row.effect) return std::nullopt;
  const BootRuns of_base = logs_by_boot(data.blocks, data.base, &PairedBlock::base_boot);
  const BootRuns of_new = logs_by_boot(data.blocks, data.contender, &PairedBlock::contender_boot);
  const auto components = averaged(components_of(of_base), components_of(of_new));
  if (!components) return std::nullopt;
  BootPlan plan;
  plan.run_variance = components->levels[0].own_variance;
  plan.boot_variance = components->levels[1].own_variance;
  plan.runs_now = static_cast<std::int64_t>(components->levels[0].repetitions);
  plan.run_seconds = costs.run_seconds;
  plan.boot_seconds = costs.boot_seconds.value_or(kAssumedBootSeconds);
  plan.boot_cost_assumed = !costs.boot_seconds.has_value();
  plan.runs_per_boot = cheapest_runs(*components, plan);
  return plan;
}

void predict_boots(Row& row, double alpha) {
  if (!row.boot_plan || !row.effect || row.verdict != Verdict::Inconclusive) return;
  BootPlan& plan = *row.boot_plan;
  const double now = variance_of_a_boot(plan, plan.runs_now);
  const double sd = spread_now(row);
  if (!(now > 0) || !(sd > 0)) return;
  const double share =
      row.effect->p_adjusted > 0 ? row.effect->p_value / row.effect->p_adjusted : 1;
  const auto boots = static_cast<std::int64_t>(replicates_of(row));
  const auto needed = stats::blocks_needed(
      std::log(row.effect->ratio),
      sd * std::sqrt(variance_of_a_boot(plan, plan.runs_per_boot) / now),
      boots,
      {.margin = std::log1p(row.delta), .alpha_change = alpha * share, .alpha_same = alpha});
  if (needed) plan.more_boots = *needed - boots;
}

}  // namespace schedlab::compare
