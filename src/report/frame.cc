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
  std::string out = "Benjamini-Hochberg over " + counted(tested, "primary row");
  if (without > 0) out += fmt::format(" ({} more without an effect to test)", without);
  return out;
}

std::string order_text(const compare::Comparison& comparison) {
  const Experiment& experiment = comparison.experiment;
  std::string out = experiment.order.empty() ? "not known" : safe(experiment.order);
  out += fmt::format(
      ", seed {}; {}", experiment.seed, counted(comparison.blocks_complete, "complete block"));
  if (experiment.blocks_planned > comparison.blocks_complete) {
    out += fmt::format(" of {} planned", experiment.blocks_planned);
  }
  out += " on " + counted(comparison.boots, "boot");
  if (comparison.boots <= 1) out += ": conditional on one boot";
  return out;
}

}  // namespace

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
  std::string out = "verdicts, change [95% interval]:\n";
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
    for (const std::string& flag : row.flags)
      out += wrap("      ", "        ", safe(flag));
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
  out += entry(
      "test",
      "paired t on log ratios per block, 95%; Hodges-Lehmann with its exact interval beside it");
  out += entry("same", "the 90% interval within " + margins_text(comparison));
  out += entry("correction", correction_text(comparison));
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
