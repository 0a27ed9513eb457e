#include "compare/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "compare/diagnostics.h"
#include "compare/effect.h"
#include "stats/summary.h"

namespace schedlab::compare {

namespace {

// The metrics of an arm, each as first seen, with the coarsest resolution of all runs.
std::vector<Metric> metrics_of(const Runs& runs) {
  std::vector<Metric> metrics;
  for (const RunRecord* run : runs) {
    for (const Metric& metric : run->output.metrics) {
      const auto known = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& other) {
        return other.name == metric.name;
      });
      if (known == metrics.end()) {
        metrics.push_back(metric);
      } else {
        known->resolution = std::max(known->resolution, metric.resolution);
        known->primary = known->primary || metric.primary;
      }
    }
  }
  return metrics;
}

const Metric* find(const std::vector<Metric>& metrics, std::string_view name) {
  const auto found = std::find_if(
      metrics.begin(), metrics.end(), [&](const Metric& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

bool wanted(const Metric& metric, const Options& options) {
  return metric.primary || (options.all_metrics && metric.direction != Direction::Descriptive);
}

struct Selection {
  std::vector<Metric> metrics;
  std::vector<std::string> notes;
};

std::string why_not(const Metric& base, const Metric& contender) {
  if (base.unit != contender.unit) {
    return fmt::format(
        "unit {} in one arm, {} in the other", to_string(base.unit), to_string(contender.unit));
  }
  if (base.direction != contender.direction) return "the arms disagree on which way is better";
  if (base.direction == Direction::Descriptive) return "it has no better direction";
  return {};
}

Selection select_metrics(const PairedCase& paired, const Options& options) {
  const std::vector<Metric> of_base = metrics_of(usable(paired.base));
  const std::vector<Metric> of_new = metrics_of(usable(paired.contender));
  Selection selection;
  const auto only_in = [&](const Metric& metric, const Runs& arm) {
    selection.notes.push_back(fmt::format(
        "{}: metric {} only in arm {}: no row", paired.name, metric.name, arm.front()->arm));
  };
  for (const Metric& metric : of_base) {
    const Metric* other = find(of_new, metric.name);
    if (!wanted(metric, options) && (other == nullptr || !wanted(*other, options))) continue;
    if (other == nullptr) {
      only_in(metric, paired.base);
      continue;
    }
    const std::string reason = why_not(metric, *other);
    if (!reason.empty()) {
      selection.notes.push_back(
          fmt::format("{}: metric {} is not comparable: {}", paired.name, metric.name, reason));
      continue;
    }
    Metric merged = metric;
    merged.value = 0;
    merged.primary = metric.primary || other->primary;
    merged.resolution = std::max(metric.resolution, other->resolution);
    selection.metrics.push_back(merged);
  }
  for (const Metric& metric : of_new) {
    if (wanted(metric, options) && find(of_base, metric.name) == nullptr) {
      only_in(metric, paired.contender);
    }
  }
  std::stable_partition(selection.metrics.begin(),
                        selection.metrics.end(),
                        [](const Metric& metric) { return metric.primary; });
  return selection;
}

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

ArmSummary summary_of(std::vector<double> values) {
  const stats::Summary summary = stats::summarise(values);
  ArmSummary arm;
  arm.values = std::move(values);
  arm.mean = summary.mean;
  arm.harmonic_mean = summary.harmonic_mean;
  arm.median = summary.median;
  arm.sd = summary.sd;
  arm.cv = summary.cv;
  arm.min = summary.min;
  arm.max = summary.max;
  return arm;
}

bool has_logarithm(double value) {
  return value > 0 && std::isfinite(value);
}

double mean_log(const std::vector<double>& values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values)
    logs.push_back(std::log(value));
  return stats::mean(logs);
}

// A metric's values, block by block, where every run of both arms has it.
struct BlockValues {
  std::vector<std::vector<double>> base;
  std::vector<std::vector<double>> contender;
  std::vector<std::size_t> replicate;
  std::size_t without = 0;  // complete blocks where a run lacks the metric

  [[nodiscard]] static std::vector<double> flat(const std::vector<std::vector<double>>& blocks) {
    std::vector<double> all;
    for (const auto& block : blocks)
      all.insert(all.end(), block.begin(), block.end());
    return all;
  }
};

BlockValues block_values(const PairedCase& paired, std::string_view metric) {
  BlockValues found;
  for (const PairedBlock& block : paired.blocks) {
    auto base = values_of(block.base, metric);
    auto contender = values_of(block.contender, metric);
    if (!base || !contender) {
      ++found.without;
      continue;
    }
    found.base.push_back(std::move(*base));
    found.contender.push_back(std::move(*contender));
    found.replicate.push_back(block.replicate);
  }
  return found;
}

// One per replicate, in order: the mean over its blocks of mean log new - mean log base, turned so
// that + is better.
std::vector<double> log_ratios(const BlockValues& values,
                               std::size_t replicates,
                               Direction direction) {
  const double turn = direction == Direction::LowerIsBetter ? -1 : 1;
  std::vector<double> sums(replicates);
  std::vector<double> counts(replicates);
  for (std::size_t i = 0; i < values.base.size(); ++i) {
    sums[values.replicate[i]] += turn * (mean_log(values.contender[i]) - mean_log(values.base[i]));
    counts[values.replicate[i]] += 1;
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < replicates; ++i) {
    if (counts[i] > 0) ratios.push_back(sums[i] / counts[i]);
  }
  return ratios;
}

// One per block. Every value has a logarithm.
std::vector<double> block_levels(const BlockValues& values) {
  std::vector<double> levels;
  for (std::size_t i = 0; i < values.base.size(); ++i)
    levels.push_back((mean_log(values.base[i]) + mean_log(values.contender[i])) / 2);
  return levels;
}

// Empty when every value has a logarithm.
std::string values_without_logarithm(const Row& row) {
  const auto count = [](const ArmSummary& arm) {
    return std::count_if(
        arm.values.begin(), arm.values.end(), [](double v) { return !has_logarithm(v); });
  };
  const auto base = count(row.base);
  const auto contender = count(row.contender);
  if (base + contender == 0) return {};
  return fmt::format("no ratio: zero, negative or not a number in {} of {} and {} of {} runs",
                     base,
                     row.base.values.size(),
                     contender,
                     row.contender.values.size());
}

// All usable runs of an arm are of one program: check_case has seen to that.
void set_program(ArmSummary& arm, const Runs& runs) {
  arm.mode = runs.front()->output.mode;
  arm.workload_version = runs.front()->output.workload_version;
}

// Both arms have a usable run.
Row build_row(const PairedCase& paired, const Metric& metric, const Options& options) {
  const BlockValues values = block_values(paired, metric.name);
  Row row;
  row.workload = paired.base.front()->output.workload;
  for (const RunRecord* run : usable(paired.base))
    row.workload = run->output.workload;
  row.case_name = paired.name;
  row.metric = metric;
  row.base = summary_of(BlockValues::flat(values.base));
  row.contender = summary_of(BlockValues::flat(values.contender));
  set_program(row.base, usable(paired.base));
  set_program(row.contender, usable(paired.contender));
  row.delta = options.delta.value_or(default_delta(metric.metric_class));
  const std::string refusal = values_without_logarithm(row);
  std::vector<double> levels;
  if (!refusal.empty()) {
    row.flags.push_back(refusal);
  } else {
    levels = block_levels(values);
    row.log_ratios = log_ratios(values, paired.replicates, metric.direction);
    row.effect = estimate_effect(row.log_ratios, row.delta, options.alpha);
  }
  if (values.without > 0) {
    row.flags.push_back(fmt::format("{} blocks not used: a run lacks the metric", values.without));
  }
  add_row_flags(row, paired, levels);
  return row;
}

}  // namespace

CaseRows build_rows(const PairedCase& paired, const Options& options, std::int32_t online_cpus) {
  Selection selection = select_metrics(paired, options);
  CaseRows rows;
  rows.notes = std::move(selection.notes);
  const std::vector<std::string> of_case = case_flags(paired, online_cpus);
  for (const Metric& metric : selection.metrics) {
    rows.rows.push_back(build_row(paired, metric, options));
    auto& flags = rows.rows.back().flags;
    flags.insert(flags.end(), of_case.begin(), of_case.end());
  }
  return rows;
}

}  // namespace schedlab::compare
