// Everything of a comparison for programs. Keys stay as they are within a schema version.

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/frame.h"
#include "report/layout.h"
#include "report/styles.h"
#include "report/why.h"

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

std::string_view correction_word(compare::Correction correction) {
  switch (correction) {
    case compare::Correction::BenjaminiHochberg:
      return "bh";
    case compare::Correction::BenjaminiYekutieli:
      return "by";
    case compare::Correction::TwoStage:
      return "two-stage";
    case compare::Correction::Holm:
      return "holm";
    case compare::Correction::None:
      return "none";
  }
  return {};
}

ordered_json replication(const compare::Row& row) {
  const compare::Replication& how = row.replication;
  return {{"unit", replicate_noun(row)},
          {"paired", how.paired},
          {"replicates", replicates_of(row)},
          {"base_boots", how.base_boots},
          {"new_boots", how.contender_boots},
          {"base_builds", how.base_builds},
          {"new_builds", how.contender_builds},
          {"conditional", how.conditional}};
}

ordered_json merged(const std::optional<compare::MergedQuantile>& found) {
  if (!found) return nullptr;
  return {{"q", number(found->q)},
          {"base", number(found->base)},
          {"new", number(found->contender)},
          {"bin_width", number(found->bin_width)},
          {"difference", number(found->difference)},
          {"ratio", number(found->ratio)},
          {"interval95", interval(found->interval95)},
          {"resolution_limited", found->resolution_limited}};
}

ordered_json boot_plan(const std::optional<compare::BootPlan>& plan) {
  if (!plan) return nullptr;
  return {
      {"run_variance", number(plan->run_variance)},
      {"boot_variance", number(plan->boot_variance)},
      {"runs_now", plan->runs_now},
      {"runs_per_boot", plan->runs_per_boot},
      {"more_boots", plan->more_boots ? ordered_json(*plan->more_boots) : ordered_json(nullptr)},
      {"run_seconds", number(plan->run_seconds)},
      {"boot_seconds", number(plan->boot_seconds)},
      {"boot_cost_assumed", plan->boot_cost_assumed}};
}

ordered_json checks(const std::vector<compare::Check>& made) {
  ordered_json out = ordered_json::array();
  for (const compare::Check& check : made) {
    ordered_json figures = ordered_json::object();
    for (const auto& [name, value] : check.figures)
      figures[name] = number(value);
    out.push_back({{"check", check.name},
                   {"warns", check.warns},
                   {"sentence", check.sentence},
                   {"figures", figures}});
  }
  return out;
}

ordered_json why_json(const compare::Comparison& comparison, const compare::Row& row) {
  ordered_json out = ordered_json::array();
  for (const WhySentence& sentence : why_row(comparison, row))
    out.push_back({{"topic", sentence.topic}, {"text", sentence.text}, {"warns", sentence.warns}});
  return out;
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
          {"flags", row.flags},
          {"replication", replication(row)},
          {"base_levels", numbers(row.base_levels)},
          {"new_levels", numbers(row.contender_levels)},
          {"boot_plan", boot_plan(row.boot_plan)},
          {"merged_quantile", merged(row.merged)},
          {"checks", checks(row.checks)}};
}

ordered_json rows_json(const compare::Comparison& comparison,
                       const std::vector<compare::Row>& rows,
                       const std::optional<std::string>& why) {
  ordered_json out = ordered_json::array();
  for (const compare::Row& row : rows) {
    ordered_json one = row_json(row);
    if (why && why_applies(row, *why)) one["why"] = why_json(comparison, row);
    out.push_back(std::move(one));
  }
  return out;
}

ordered_json control_floor(const std::optional<compare::ControlFloor>& floor) {
  if (!floor) return nullptr;
  return {{"moved", number(floor->moved)},
          {"bound", number(floor->bound)},
          {"case", floor->case_name},
          {"metric", floor->metric}};
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

std::string render_json(const compare::Comparison& comparison,
                        const std::optional<std::string>& why) {
  ordered_json differences = ordered_json::array();
  for (const compare::EnvironmentDifference& difference : comparison.environment_differences) {
    differences.push_back(
        {{"item", difference.item}, {"base", difference.base}, {"new", difference.contender}});
  }
  ordered_json out = {
      {"schema", "schedlab-comparison"},
      {"schema_version", kSchemaVersion},
      {"experiment", experiment_json(comparison.experiment)},
      {"base", arm_json(comparison.base)},
      {"new", arm_json(comparison.contender)},
      {"rows", rows_json(comparison, comparison.rows, why)},
      {"control_rows", rows_json(comparison, comparison.control_rows, std::nullopt)},
      {"control_floor", control_floor(comparison.control_floor)},
      {"correction", correction_word(comparison.correction)},
      {"alpha", number(comparison.alpha)},
      {"conditional", comparison.conditional},
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
