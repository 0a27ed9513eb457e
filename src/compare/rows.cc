#include "compare/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "compare/boot_plan.h"
#include "compare/checks.h"
#include "compare/diagnostics.h"
#include "compare/effect.h"
#include "compare/metric_blocks.h"
#include "compare/phrases.h"
#include "compare/replicates.h"
#include "compare/samples.h"
#include "compare/unpaired.h"
#include "stats/summary.h"

namespace schedlab::compare {

namespace {

// A metric of an arm as first seen, with the coarsest resolution of all runs.
struct ArmMetric {
  Metric metric;
  std::string conflict;  // "s in one run, ns in another"; empty when the runs agree
};

std::string conflict_of(const Metric& a, const Metric& b) {
  if (a.unit != b.unit) {
    return fmt::format("unit {} in one run, {} in another", to_string(a.unit), to_string(b.unit));
  }
  if (a.direction != b.direction) return "its runs disagree on which way is better";
  return {};
}

const ArmMetric* find(const std::vector<ArmMetric>& metrics, std::string_view name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const ArmMetric& known) {
    return known.metric.name == name;
  });
  return found == metrics.end() ? nullptr : &*found;
}

std::vector<ArmMetric> metrics_of(const Runs& runs) {
  std::vector<ArmMetric> metrics;
  for (const RunRecord* run : runs) {
    for (const Metric& metric : run->output.metrics) {
      const auto known = std::find_if(metrics.begin(), metrics.end(), [&](const ArmMetric& other) {
        return other.metric.name == metric.name;
      });
      if (known == metrics.end()) {
        metrics.push_back({metric, {}});
        continue;
      }
      known->metric.resolution = std::max(known->metric.resolution, metric.resolution);
      known->metric.primary = known->metric.primary || metric.primary;
      if (known->conflict.empty()) known->conflict = conflict_of(known->metric, metric);
    }
  }
  return metrics;
}

bool wanted(const Metric& metric, const Options& options) {
  return metric.primary || (options.all_metrics && metric.direction != Direction::Descriptive);
}

struct Selection {
  std::vector<Metric> metrics;
  std::vector<std::string> notes;
};

std::string why_not(const ArmMetric& base, const ArmMetric& contender) {
  if (!base.conflict.empty()) return base.conflict;
  if (!contender.conflict.empty()) return contender.conflict;
  if (base.metric.unit != contender.metric.unit) {
    return fmt::format("unit {} in one arm, {} in the other",
                       to_string(base.metric.unit),
                       to_string(contender.metric.unit));
  }
  if (base.metric.direction != contender.metric.direction) {
    return "the arms disagree on which way is better";
  }
  if (base.metric.direction == Direction::Descriptive) return "it has no better direction";
  return {};
}

Metric merged(const Metric& base, const Metric& contender) {
  Metric both = base;
  both.value = 0;
  both.primary = base.primary || contender.primary;
  both.resolution = std::max(base.resolution, contender.resolution);
  return both;
}

Selection select_metrics(const PairedCase& paired, const Options& options) {
  const std::vector<ArmMetric> of_base = metrics_of(usable(paired.base));
  const std::vector<ArmMetric> of_new = metrics_of(usable(paired.contender));
  Selection selection;
  const auto only_in = [&](const Metric& metric, const Runs& arm) {
    selection.notes.push_back(fmt::format(
        "{}: metric {} only in arm {}: no row", paired.name, metric.name, arm.front()->arm));
  };
  for (const ArmMetric& known : of_base) {
    const Metric& metric = known.metric;
    const ArmMetric* other = find(of_new, metric.name);
    if (!wanted(metric, options) && (other == nullptr || !wanted(other->metric, options))) continue;
    if (other == nullptr) {
      only_in(metric, paired.base);
      continue;
    }
    const std::string reason = why_not(known, *other);
    if (reason.empty()) {
      selection.metrics.push_back(merged(metric, other->metric));
    } else {
      selection.notes.push_back(
          fmt::format("{}: metric {} is not comparable: {}", paired.name, metric.name, reason));
    }
  }
  for (const ArmMetric& known : of_new) {
    if (wanted(known.metric, options) && find(of_base, known.metric.name) == nullptr) {
      only_in(known.metric, paired.contender);
    }
  }
  std::stable_partition(selection.metrics.begin(),
                        selection.metrics.end(),
                        [](const Metric& metric) { return metric.primary; });
  return selection;
}

// As summarise(), for values whose squares or sum no double holds.
stats::Summary summarise_scaled(std::vector<double> values) {
  double scale = 0;
  for (const double value : values)
    scale = std::max(scale, std::abs(value));
  for (double& value : values)
    value /= scale;
  stats::Summary summary = stats::summarise(values);
  for (double* figure : {&summary.mean,
                         &summary.harmonic_mean,
                         &summary.median,
                         &summary.sd,
                         &summary.min,
                         &summary.max})
    *figure *= scale;
  return summary;
}

ArmSummary summary_of(std::vector<double> values) {
  stats::Summary summary = stats::summarise(values);
  if (!std::isfinite(summary.mean) || !std::isfinite(summary.sd))
    summary = summarise_scaled(values);
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

// What goes into no figure and no test, since a mean with it would be none.
std::vector<double> finite_ones(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values;
}

// One per paired replicate: mean log new - mean log base, turned so that + is better.
std::vector<double> log_ratios(const Row& row, const MetricBlocks& data) {
  const std::vector<double> base =
      paired_levels(row.replication, data.blocks, data.base_logs, Side::Base);
  const std::vector<double> contender =
      paired_levels(row.replication, data.blocks, data.contender_logs, Side::Contender);
  const double turn = turn_of(row.metric.direction);
  std::vector<double> ratios;
  ratios.reserve(base.size());
  for (std::size_t i = 0; i < base.size(); ++i)
    ratios.push_back(turn * (contender[i] - base[i]));
  return ratios;
}

std::vector<double> turned_levels(const Row& row,
                                  const MetricBlocks& data,
                                  const std::vector<double>& logs,
                                  Side side) {
  std::vector<double> levels = unit_levels(data.blocks, logs, side);
  for (double& level : levels)
    level *= turn_of(row.metric.direction);
  return levels;
}

void set_effect(Row& row, const MetricBlocks& data, double alpha) {
  if (row.replication.paired) {
    row.log_ratios = log_ratios(row, data);
    row.effect = estimate_effect(row.log_ratios, row.delta, alpha);
  } else {
    row.base_levels = turned_levels(row, data, data.base_logs, Side::Base);
    row.contender_levels = turned_levels(row, data, data.contender_logs, Side::Contender);
    row.effect = estimate_unpaired_effect(row, alpha);
  }
}

std::string no_ratio(const MetricBlocks& data) {
  return fmt::format("no ratio: zero, negative or not a number in {} of {} and {} of {} runs",
                     data.base_unusable,
                     all_values(data.base).size(),
                     data.contender_unusable,
                     all_values(data.contender).size());
}

// All usable runs of an arm are of one program: check_case has seen to that.
void set_program(ArmSummary& arm, const Runs& runs) {
  arm.mode = runs.front()->output.mode;
  arm.workload_version = runs.front()->output.workload_version;
}

// What the rows of a case share.
struct CaseContext {
  const PairedCase& paired;
  const Options& options;
  CaseSamples samples;
  RunCosts costs;
  std::uint64_t seed = 0;
};

// Both arms have a usable run.
Row start_row(const CaseContext& context, const Metric& metric, const MetricBlocks& data) {
  const PairedCase& paired = context.paired;
  Row row;
  row.workload = usable(paired.base).back()->output.workload;
  row.case_name = paired.name;
  row.metric = metric;
  row.replication = paired.replication;
  row.base = summary_of(finite_ones(all_values(data.base)));
  row.contender = summary_of(finite_ones(all_values(data.contender)));
  set_program(row.base, usable(paired.base));
  set_program(row.contender, usable(paired.contender));
  row.delta = context.options.delta.value_or(default_delta(metric.metric_class));
  return row;
}

Row build_row(const CaseContext& context, const Metric& metric) {
  const MetricBlocks data = metric_blocks(context.paired, metric.name);
  Row row = start_row(context, metric, data);
  if (data.has_logs()) {
    set_effect(row, data, context.options.alpha);
    row.boot_plan = plan_boots(row, data, context.costs);
  } else {
    row.flags.push_back(no_ratio(data));
  }
  if (data.without > 0) {
    row.flags.push_back(fmt::format("{} blocks not used: a run lacks the metric", data.without));
  }
  add_row_flags(row);
  check_modes(row, context.paired);
  add_spread_flags(row, context.paired);
  check_outliers(row, context.paired, data);
  if (row.effect) check_order(row, data);
  check_series(row, context.paired, context.samples);
  if (data.has_logs()) add_merged_quantile(row, data, context.samples, context.seed);
  return row;
}

}  // namespace

CaseRows build_rows(const PairedCase& paired,
                    const Options& options,
                    const SampleLookup& samples,
                    const Experiment& experiment) {
  Selection selection = select_metrics(paired, options);
  CaseRows rows;
  rows.notes = std::move(selection.notes);
  if (selection.metrics.empty()) return rows;
  const CaseContext context = {
      paired, options, CaseSamples(paired, samples), costs_of(paired), experiment.seed};
  if (!context.samples.trouble().empty()) {
    rows.notes.push_back(paired.name + ": " + context.samples.trouble());
  }
  const std::vector<std::string> of_runs = run_flags(paired, experiment.machine.online_cpus);
  const std::vector<Check> of_canary = canary_checks(paired);
  const std::vector<std::string> of_notes = note_flags(paired);
  for (const Metric& metric : selection.metrics) {
    Row& row = rows.rows.emplace_back(build_row(context, metric));
    row.flags.insert(row.flags.end(), of_runs.begin(), of_runs.end());
    for (const Check& check : of_canary)
      add_check(row, check);
    row.flags.insert(row.flags.end(), of_notes.begin(), of_notes.end());
  }
  return rows;
}

}  // namespace schedlab::compare
