// Everything of a comparison for programs. Keys stay as they are within a schema version.

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/frame.h"
#include "report/layout.h"
#include "report/styles.h"

namespace schedlab::report {

namespace {

using nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json numbers(const std::vector<double>& values) {
  ordered_json out = ordered_json::array();
  for (const double value : values)
    out.push_back(number(value));
  return out;
}

ordered_json interval(const compare::Interval& interval) {
  return {{"low", number(interval.low)}, {"high", number(interval.high)}};
}

ordered_json metric(const Metric& metric) {
  return {{"name", metric.name},
          {"unit", to_string(metric.unit)},
          {"direction", to_string(metric.direction)},
          {"class", to_string(metric.metric_class)},
          {"resolution", number(metric.resolution)},
          {"primary", metric.primary}};
}

ordered_json summary(const compare::ArmSummary& arm) {
  return {{"mode", arm.mode},
          {"workload_version", arm.workload_version},
          {"values", numbers(arm.values)},
          {"mean", number(arm.mean)},
          {"harmonic_mean", number(arm.harmonic_mean)},
          {"median", number(arm.median)},
          {"sd", number(arm.sd)},
          {"cv", number(arm.cv)},
          {"min", number(arm.min)},
          {"max", number(arm.max)}};
}

ordered_json effect(const compare::Effect& effect) {
  return {{"ratio", number(effect.ratio)},
          {"interval95", interval(effect.interval95)},
          {"interval90", interval(effect.interval90)},
          {"hodges_lehmann", number(effect.hodges_lehmann)},
          {"hl_interval95",
           effect.hl_interval95 ? interval(*effect.hl_interval95) : ordered_json(nullptr)},
          {"p_value", number(effect.p_value)},
          {"p_adjusted", number(effect.p_adjusted)},
          {"p_tost", number(effect.p_tost)}};
}

ordered_json row_json(const compare::Row& row) {
  return {{"workload", row.workload},
          {"case", row.case_name},
          {"metric", metric(row.metric)},
          {"base", summary(row.base)},
          {"new", summary(row.contender)},
          {"log_ratios", numbers(row.log_ratios)},
          {"effect", row.effect ? effect(*row.effect) : ordered_json(nullptr)},
          {"verdict", verdict_word(row)},
          {"delta", number(row.delta)},
          {"real_but_small", row.real_but_small},
          {"resolution_limited", row.resolution_limited},
          {"two_modes", row.two_modes},
          {"more_blocks", row.more_blocks ? ordered_json(*row.more_blocks) : ordered_json(nullptr)},
          {"flags", row.flags}};
}

ordered_json rows_json(const std::vector<compare::Row>& rows) {
  ordered_json out = ordered_json::array();
  for (const compare::Row& row : rows)
    out.push_back(row_json(row));
  return out;
}

ordered_json arm_json(const Arm& arm) {
  return {{"name", arm.name}, {"spec", arm.spec}};
}

ordered_json experiment_json(const Experiment& experiment) {
  ordered_json arms = ordered_json::array();
  for (const Arm& arm : experiment.arms)
    arms.push_back(arm_json(arm));
  const Machine& machine = experiment.machine;
  return {{"id", experiment.id.value},
          {"kind", to_string(experiment.kind)},
          {"tool_version", experiment.tool_version},
          {"command", experiment.command},
          // A program that reads numbers as doubles would round it.
          {"seed", std::to_string(experiment.seed)},
          {"order", experiment.order},
          {"blocks_planned", experiment.blocks_planned},
          {"arms", arms},
          {"cases", experiment.cases},
          {"machine",
           {{"hostname", machine.hostname},
            {"cpu_model", machine.cpu_model},
            {"online_cpus", machine.online_cpus},
            {"kernel", machine.kernel}}},
          {"start_wall_ns", experiment.start_wall.count()}};
}

std::string_view to_string(compare::StopReason reason) {
  switch (reason) {
    case compare::StopReason::NotEnded:
      return "not-ended";
    case compare::StopReason::Blocks:
      return "blocks";
    case compare::StopReason::Precise:
      return "precise";
    case compare::StopReason::Clear:
      return "clear";
    case compare::StopReason::Futile:
      return "futile";
    case compare::StopReason::OutOfTime:
      return "out-of-time";
  }
  return {};
}

/// The rule and where it led. Only of plans that may end early.
ordered_json stopping_json(const compare::Comparison& comparison) {
  const StoppingRule& rule = comparison.experiment.stopping;
  const compare::Ending& ending = comparison.ending;
  return {{"when", schedlab::to_string(rule.when)},
          {"half_width", number(rule.half_width)},
          {"looks", rule.looks},
          {"spending", schedlab::to_string(rule.spending)},
          {"futility", rule.futility},
          {"max_time_ns", rule.max_time.count()},
          {"interval", interval_name(comparison)},
          {"reason", to_string(ending.reason)},
          {"blocks_done", ending.blocks_done},
          {"looks_reached", ending.looks_reached},
          {"rows", ending.rows},
          {"rows_settled", ending.rows_settled},
          {"rows_hopeless", ending.rows_hopeless},
          {"runs", ending.runs},
          {"elapsed_ns", ending.elapsed.count()}};
}

}  // namespace

std::string render_json(const compare::Comparison& comparison) {
  ordered_json differences = ordered_json::array();
  for (const compare::EnvironmentDifference& difference : comparison.environment_differences) {
    differences.push_back(
        {{"item", difference.item}, {"base", difference.base}, {"new", difference.contender}});
  }
  ordered_json out = {{"schema", "schedlab-comparison"},
                      {"schema_version", kSchemaVersion},
                      {"experiment", experiment_json(comparison.experiment)},
                      {"base", arm_json(comparison.base)},
                      {"new", arm_json(comparison.contender)},
                      {"rows", rows_json(comparison.rows)},
                      {"control_rows", rows_json(comparison.control_rows)},
                      {"blocks_complete", comparison.blocks_complete},
                      {"boots", comparison.boots},
                      {"runs_failed", comparison.runs_failed},
                      {"runs_disturbed", comparison.runs_disturbed},
                      {"environment_differences", differences},
                      {"notes", comparison.notes}};
  const StoppingRule& rule = comparison.experiment.stopping;
  if (rule.when != StopWhen::Blocks || rule.max_time.count() > 0) {
    out["stopping"] = stopping_json(comparison);
  }
  // ASCII only, bytes that are not UTF-8 replaced: it may be read on a terminal too.
  return out.dump(2, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace schedlab::report
