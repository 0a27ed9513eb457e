#include "report/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "report/layout.h"

namespace schedlab::report {

namespace {

constexpr std::size_t kLabelWidth = 12;

std::string entry(std::string_view label, const std::string& text) {
  const std::string indent(kLabelWidth, ' ');
  std::string name = pad_right(safe(label), kLabelWidth);
  if (display_width(name) >= kLabelWidth && name.back() != ' ') name += ' ';
  // An arm named longer than half a line gets the line to itself.
  if (display_width(name) > kPageWidth / 2)
    return wrap("", "  ", name) + wrap(indent, indent, text);
  return wrap(name, indent, text);
}

std::string spec_text(const Arm& arm) {
  return arm.spec.empty() ? "(nothing set)" : safe(arm.spec);
}

std::string machine_text(const Machine& machine) {
  std::string out = machine.hostname.empty() ? "not known" : safe(machine.hostname);
  if (!machine.cpu_model.empty()) out += ", " + safe(machine.cpu_model);
  if (machine.online_cpus > 0) out += ", " + counted(machine.online_cpus, "CPU") + " online";
  return out;
}

/// "1% (time, throughput), 5% (latency-tail)": the margins of the primary rows.
std::string margins_text(const compare::Comparison& comparison) {
  std::map<double, std::set<std::string>> classes;
  for (const compare::Row& row : comparison.rows) {
    if (row.metric.primary) {
      classes[row.delta].insert(std::string(to_string(row.metric.metric_class)));
    }
  }
  std::string out;
  for (const auto& [delta, names] : classes) {
    const std::vector<std::string> list(names.begin(), names.end());
    out += (out.empty() ? "" : ", ") + plain_percent(delta) + " (" + join(list, ", ") + ")";
  }
  return out.empty() ? "no primary row" : out;
}

/// The family corrected over: primary rows that have an effect to test.
std::string correction_text(const compare::Comparison& comparison) {
  std::int64_t tested = 0;
  std::int64_t without = 0;
  for (const compare::Row& row : comparison.rows) {
    if (row.metric.primary) ++(row.effect ? tested : without);
  }
  const bool fixed = comparison.experiment.stopping.when == StopWhen::Blocks;
  std::string out = std::string(fixed ? correction_name(comparison.correction) : "Holm") +
                    " over " + counted(tested, "primary row");
  if (without > 0) out += fmt::format(" ({} more without an effect to test)", without);
  constexpr std::int64_t kManyRows = 20;
  if (tested >= kManyRows) {
    out += fmt::format("; {} rows: {:.3g} expected by chance at {:.3g}",
                       tested,
                       static_cast<double>(tested) * comparison.alpha,
                       comparison.alpha);
  }
  return out;
}

/// What was tested, in the kinds of replicates that the rows have; its interval is interval_name().
std::string test_text(const compare::Comparison& comparison) {
  switch (comparison.experiment.stopping.when) {
    case StopWhen::Blocks:
      break;
    case StopWhen::Looks:
      return "paired t on log ratios per block against the boundary of its look: repeated p-values "
             "and 95% intervals; Hodges-Lehmann with an interval of the same level beside it";
    case StopWhen::Clear:
    case StopWhen::Precision:
      return "anytime: e-values of log ratios per block (mean of signs and t-mixture) and the 95% "
             "interval they leave, valid after any block; with two modes the signs must confirm it";
  }
  std::vector<std::string> kinds;
  for (const compare::Row& row : comparison.rows) {
    const std::string noun(replicate_noun(row));
    std::string kind = row.replication.paired
                           ? "paired t on log ratios per " + noun
                           : fmt::format("Welch's t on the arms' {}s (mean log of each)", noun);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      kinds.push_back(std::move(kind));
  }
  if (kinds.empty()) kinds.emplace_back("paired t on log ratios per block");
  return join(kinds, "; ") + ", 95%; Hodges-Lehmann with its exact interval beside it";
}

/// How far the A/A' control moved; empty without one.
std::string floor_text(const compare::Comparison& comparison) {
  if (!comparison.control_floor) return {};
  const compare::ControlFloor& floor = *comparison.control_floor;
  return fmt::format(
      "the A/A' control moved by up to {} ({}, {}), its 95% intervals reach {}: a smaller change "
      "above is not told from it",
      plain_percent(floor.moved),
      safe(floor.case_name),
      safe(floor.metric),
      plain_percent(floor.bound));
}

std::string order_text(const compare::Comparison& comparison) {
  const Experiment& experiment = comparison.experiment;
  std::string out = experiment.order.empty() ? "not known" : safe(experiment.order);
  out += fmt::format(
      ", seed {}; {}", experiment.seed, counted(comparison.blocks_complete, "complete block"));
  if (experiment.blocks_planned > comparison.blocks_complete) {
    const bool fixed = experiment.stopping.when == StopWhen::Blocks;
    out += fmt::format(" of {} {}", experiment.blocks_planned, fixed ? "planned" : "at most");
  }
  out += " on " + counted(comparison.boots, "boot");
  if (comparison.boots <= 1) {
    out += ": conditional on one boot";
  } else if (!comparison.conditional.empty()) {
    out += ": conditional on " + safe(comparison.conditional);
  }
  return out;
}

std::string spending_text(Spending spending) {
  switch (spending) {
    case Spending::LanDeMets:
      return "Lan-DeMets, O'Brien-Fleming's shape";
    case Spending::OBrienFleming:
      return "O'Brien-Fleming";
    case Spending::Pocock:
      return "Pocock";
  }
  return {};
}

std::string looked_text(const StoppingRule& rule, const compare::Ending& ending) {
  switch (rule.when) {
    case StopWhen::Blocks:
      return {};
    case StopWhen::Looks:
      return fmt::format(", {} of {} looks used ({})",
                         ending.looks_reached,
                         rule.looks,
                         spending_text(rule.spending));
    case StopWhen::Clear:
    case StopWhen::Precision:
      return ", watched block by block";
  }
  return {};
}

std::string settled_text(const StoppingRule& rule, const compare::Ending& ending) {
  return fmt::format("{} of {} {}",
                     ending.rows_settled,
                     counted(ending.rows, "primary row"),
                     rule.when == StopWhen::Precision ? "precise enough" : "decided");
}

/// Why the plan went no further; names what it left open.
std::string reason_text(const StoppingRule& rule, const compare::Ending& ending) {
  const std::string after = " after " + counted(ending.blocks_done, "block");
  const bool watched = rule.when != StopWhen::Blocks;
  const std::string rest = watched ? ", " + settled_text(rule, ending) : "";
  switch (ending.reason) {
    case compare::StopReason::Precise:
      return "every primary row precise enough" + after;
    case compare::StopReason::Clear:
      return "every primary row decided" + after;
    case compare::StopReason::Blocks:
      return "all its blocks run" + rest;
    case compare::StopReason::Futile:
      return fmt::format("given up{}: {} cannot be {} within the plan{}",
                         after,
                         counted(ending.rows_hopeless, "row"),
                         rule.when == StopWhen::Precision ? "precise enough" : "decided",
                         rest);
    case compare::StopReason::OutOfTime:
      return "out of time" + after + rest;
    case compare::StopReason::NotEnded:
      return "not ended by its rule" + after + rest;
  }
  return {};
}

/// The rule, how often it looked, why the plan ended and what it cost. Empty for a plan of fixed
/// length without a limit: the line on order says all of it.
std::string stopping_text(const compare::Comparison& comparison) {
  const StoppingRule& rule = comparison.experiment.stopping;
  const compare::Ending& ending = comparison.ending;
  if (rule.when == StopWhen::Blocks && rule.max_time.count() == 0) return {};
  std::string out = plan_text(rule, comparison.experiment.blocks_planned) +
                    looked_text(rule, ending) + ": " + reason_text(rule, ending);
  out += "; " + counted(ending.runs, "run");
  if (ending.elapsed.count() > 0) out += " in " + format_duration(ending.elapsed);
  return out;
}

}  // namespace

std::string interval_name(const compare::Comparison& comparison) {
  switch (comparison.experiment.stopping.when) {
    case StopWhen::Blocks:
      break;
    case StopWhen::Looks:
      return "95% repeated interval";
    case StopWhen::Clear:
    case StopWhen::Precision:
      return "95% anytime interval";
  }
  return "95% interval";
}

std::string_view correction_name(compare::Correction correction) {
  switch (correction) {
    case compare::Correction::BenjaminiHochberg:
      return "Benjamini-Hochberg";
    case compare::Correction::BenjaminiYekutieli:
      return "Benjamini-Yekutieli";
    case compare::Correction::TwoStage:
      return "two-stage (Benjamini-Bogomolov, a family per workload)";
    case compare::Correction::Holm:
      return "Holm";
    case compare::Correction::None:
      return "none";
  }
  return {};
}

std::string header_text(const compare::Comparison& comparison) {
  std::string out = wrap("",
                         "  ",
                         fmt::format("{} against {}, {}",
                                     safe(comparison.contender.name),
                                     safe(comparison.base.name),
                                     counted(comparison.blocks_complete, "block")));
  const Experiment& experiment = comparison.experiment;
  out += entry("machine", machine_text(experiment.machine));
  out += entry("kernel",
               experiment.machine.kernel.empty() ? "not known" : safe(experiment.machine.kernel));
  if (experiment.kind != RunKind::Measured) {
    out += entry("kind", std::string(to_string(experiment.kind)) + ", not measured here");
  }
  out += entry(comparison.base.name, spec_text(comparison.base));
  out += entry(comparison.contender.name, spec_text(comparison.contender));
  if (!comparison.environment_differences.empty()) out += "not the same:\n";
  for (const compare::EnvironmentDifference& difference : comparison.environment_differences) {
    out +=
        wrap("  ",
             "      ",
             fmt::format("{}: {} {}, {} {}",
                         safe(difference.item),
                         safe(comparison.base.name),
                         difference.base.empty() ? "(absent)" : safe(difference.base),
                         safe(comparison.contender.name),
                         difference.contender.empty() ? "(absent)" : safe(difference.contender)));
  }
  return out;
}

std::string verdicts_text(const compare::Comparison& comparison) {
  std::string out = "verdicts, change [" + interval_name(comparison) + "]:\n";
  const auto add = [&](const compare::Row& row, std::string_view mark) {
    const std::string contender = mark.empty() ? comparison.contender.name : "control";
    const std::string programs = programs_text(row, safe(comparison.base.name), safe(contender));
    out += wrap("  ",
                "      ",
                fmt::format("{}{}, {}: {}",
                            mark,
                            safe(row.case_name),
                            safe(row.metric.name),
                            effect_sentence(row)));
    if (!programs.empty()) out += wrap("      ", "        ", programs);
    out += few_flags(row.flags, "      ", "        ");
  };
  for (const compare::Row& row : comparison.rows)
    add(row, "");
  for (const compare::Row& row : comparison.control_rows)
    add(row, "A/A' control, ");
  return out;
}

std::string footer_text(const compare::Comparison& comparison, std::string_view figures) {
  std::string out = wrap(
      "", "", fmt::format("+ means {} is better. {}", safe(comparison.contender.name), figures));
  out += entry("order", order_text(comparison));
  const std::string stopping = stopping_text(comparison);
  if (!stopping.empty()) out += entry("stopping", stopping);
  out += entry("test", test_text(comparison));
  out += entry("same", "the 90% interval within " + margins_text(comparison));
  out += entry("correction", correction_text(comparison));
  const std::string floor = floor_text(comparison);
  if (!floor.empty()) out += entry("floor", floor);
  out +=
      entry("runs",
            fmt::format("{} failed (kept, not in the figures), {} disturbed (kept, in the figures)",
                        comparison.runs_failed,
                        comparison.runs_disturbed));
  for (const std::string& note : comparison.notes) {
    // The order line says it already.
    if (note != "conditional on one boot") out += entry("note", safe(note));
  }
  out += entry("version", version_text(comparison));
  if (!comparison.experiment.command.empty()) {
    out += "repeat with:\n" + wrap_command(comparison.experiment.command);
  }
  return out;
}

std::string version_text(const compare::Comparison& comparison) {
  const std::string& version = comparison.experiment.tool_version;
  return "schedlab " + (version.empty() ? "of unknown version" : safe(version));
}

}  // namespace schedlab::report
