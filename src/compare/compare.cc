#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "compare/admission.h"
#include "compare/case_table.h"
#include "compare/control.h"
#include "compare/decisions.h"
#include "compare/diagnostics.h"
#include "compare/environment_diff.h"
#include "compare/pairing.h"
#include "compare/stopping.h"
#include "core/text.h"

namespace schedlab::compare {

namespace {

constexpr std::string_view kControlArm = "control";

Status check_options(const Options& options) {
  if (options.base_arm == options.new_arm) {
    return usage_error(fmt::format("cannot compare arm '{}' with itself", options.base_arm));
  }
  if (!(options.alpha > 0 && options.alpha < 0.5)) {
    return usage_error(fmt::format("alpha {} is not between 0 and 0.5", options.alpha));
  }
  if (options.delta && !(*options.delta > 0 && std::isfinite(*options.delta))) {
    return usage_error(
        fmt::format("delta {} is not above 0: give a fraction such as 0.01", *options.delta));
  }
  return {};
}

Result<Arm> find_arm(const Experiment& experiment, const std::string& name) {
  std::vector<std::string> known;
  for (const Arm& arm : experiment.arms) {
    if (arm.name == name) return arm;
    known.push_back(arm.name);
  }
  return usage_error(
      fmt::format("no arm '{}' in the experiment (arms: {})", printable(name), join(known, ", ")));
}

Runs runs_of_arm(std::span<const RunRecord> runs, std::string_view arm) {
  Runs found;
  for (const RunRecord& run : runs) {
    if (run.arm == arm) found.push_back(&run);
  }
  return found;
}

Status check_has_runs(const Runs& runs, const std::string& arm) {
  if (runs.empty()) return failed(fmt::format("arm '{}' has no run: nothing to compare", arm));
  if (usable(runs).empty()) {
    return failed(fmt::format("no run of arm '{}' ended well: {}", arm, failures(runs)));
  }
  return {};
}

Moment moment_of(const Experiment& experiment,
                 const std::set<std::int32_t>& complete,
                 double alpha) {
  return {experiment.stopping,
          experiment.blocks_planned,
          complete.empty() ? 0 : *complete.rbegin() + 1,
          alpha};
}

// From the first run's start to the last one's end. By the wall clock only where runs of several
// boots leave no other: it may be set while they go on.
Nanos elapsed_over(const Runs& runs) {
  const bool one_boot = std::all_of(runs.begin(), runs.end(), [&](const RunRecord* run) {
    return run->boot_id == runs.front()->boot_id;
  });
  const auto start = [&](const RunRecord* run) {
    return one_boot ? run->start_monotonic : run->start_wall;
  };
  Nanos first = Nanos::max();
  Nanos last = Nanos::min();
  for (const RunRecord* run : runs) {
    first = std::min(first, start(run));
    last = std::max(last, one_boot ? run->end_monotonic : run->end_wall);
  }
  return runs.empty() ? Nanos(0) : std::max(last - first, Nanos(0));
}

void note_boots(const Runs& base, const Runs& contender, Comparison& comparison) {
  const auto boots_of = [](const Runs& runs) {
    std::set<std::string_view> boots;
    for (const RunRecord* run : runs) {
      if (!run->boot_id.empty()) boots.insert(run->boot_id);
    }
    return boots;
  };
  const auto of_base = boots_of(base);
  const auto of_new = boots_of(contender);
  auto all = of_base;
  all.insert(of_new.begin(), of_new.end());
  comparison.boots = std::max(1, static_cast<std::int32_t>(all.size()));
  const bool shared = std::any_of(
      of_base.begin(), of_base.end(), [&](std::string_view boot) { return of_new.contains(boot); });
  if (all.empty()) {
    comparison.notes.emplace_back("boots not recorded: taken as one; conditional on one boot");
  } else if (of_base.size() <= 1 && of_new.size() <= 1) {
    comparison.notes.emplace_back(
        all.size() == 1
            ? "conditional on one boot"
            : "conditional on one boot of each arm: the boots' own luck is in the effect");
  } else {
    comparison.notes.push_back(fmt::format("runs of {} boots ({} {}, {} {})",
                                           all.size(),
                                           comparison.base.name,
                                           of_base.size(),
                                           comparison.contender.name,
                                           of_new.size()));
    if (!shared && (of_base.size() == 1 || of_new.size() == 1)) {
      const Arm& single = of_base.size() == 1 ? comparison.base : comparison.contender;
      comparison.notes.push_back(
          fmt::format("conditional on one boot of {}: its own luck is in the effect", single.name));
    }
  }
}

// What every row's replicates share; empty when rows differ.
std::string conditional_of(const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  const std::string& first = rows.front().replication.conditional;
  const bool everywhere = std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
    return row.replication.conditional == first || replicates_of(row) == 0;
  });
  return everywhere ? first : std::string();
}

void count_runs(const Runs& runs, std::int32_t online_cpus, Comparison& comparison) {
  for (const RunRecord* run : runs) {
    if (run->outcome != Outcome::Ok) {
      ++comparison.runs_failed;
    } else if (is_disturbed(*run, online_cpus)) {
      ++comparison.runs_disturbed;
    }
  }
}

Status add_control(const Experiment& experiment,
                   const Runs& base,
                   const Runs& control,
                   Options options,
                   const Moment& moment,
                   const SampleLookup& samples,
                   Comparison& comparison) {
  options.new_arm = std::string(kControlArm);
  if (usable(control).empty()) {
    comparison.notes.push_back("no run of the control arm ended well: " + failures(control));
    return {};
  }
  SCHEDLAB_ASSIGN_OR_RETURN(Table table, build_table(experiment, base, control, options, samples));
  SCHEDLAB_RETURN_IF_ERROR(decide_rows(table.rows, comparison.correction, moment));
  comparison.control_rows = std::move(table.rows);
  comparison.control_floor = control_floor(comparison.control_rows);
  for (const std::string& note : table.notes)
    comparison.notes.push_back("control: " + note);
  note_control(comparison);
  compare_with_control(comparison);
  return {};
}

}  // namespace

Result<Comparison> compare(const Experiment& experiment,
                           std::span<const RunRecord> runs,
                           const EnvironmentLookup& environment,
                           const Options& asked,
                           const SampleLookup& samples) {
  Options options = asked;
  if (!options.delta) options.delta = experiment.stopping.delta;
  SCHEDLAB_RETURN_IF_ERROR(check_options(options));
  Comparison comparison;
  comparison.experiment = experiment;
  SCHEDLAB_ASSIGN_OR_RETURN(comparison.correction,
                            correction_for(experiment.stopping, options.correction));
  comparison.alpha = options.alpha;
  SCHEDLAB_ASSIGN_OR_RETURN(comparison.base, find_arm(experiment, options.base_arm));
  SCHEDLAB_ASSIGN_OR_RETURN(comparison.contender, find_arm(experiment, options.new_arm));
  const Runs base = runs_of_arm(runs, options.base_arm);
  const Runs contender = runs_of_arm(runs, options.new_arm);
  const bool has_control = options.base_arm != kControlArm && options.new_arm != kControlArm;
  const Runs control = has_control ? runs_of_arm(runs, kControlArm) : Runs{};
  SCHEDLAB_RETURN_IF_ERROR(check_has_runs(base, options.base_arm));
  SCHEDLAB_RETURN_IF_ERROR(check_has_runs(contender, options.new_arm));

  Runs all = base;
  all.insert(all.end(), contender.begin(), contender.end());
  all.insert(all.end(), control.begin(), control.end());
  SCHEDLAB_RETURN_IF_ERROR(check_kinds(all));
  count_runs(all, experiment.machine.online_cpus, comparison);

  SCHEDLAB_ASSIGN_OR_RETURN(Table table,
                            build_table(experiment, base, contender, options, samples));
  const std::set<std::int32_t> complete = complete_blocks(table.cases);
  const Moment moment = moment_of(experiment, complete, options.alpha);
  SCHEDLAB_RETURN_IF_ERROR(decide_rows(table.rows, comparison.correction, moment));
  comparison.blocks_complete = static_cast<std::int32_t>(complete.size());
  comparison.rows = std::move(table.rows);
  comparison.ending = ending_of(comparison.rows, moment, elapsed_over(all));
  comparison.ending.runs = static_cast<std::int64_t>(all.size());
  comparison.conditional = conditional_of(comparison.rows);
  note_boots(usable(base), usable(contender), comparison);
  comparison.notes.insert(comparison.notes.end(), table.notes.begin(), table.notes.end());
  if (!control.empty()) {
    SCHEDLAB_RETURN_IF_ERROR(
        add_control(experiment, base, control, options, moment, samples, comparison));
  }

  EnvironmentReport differences =
      environment_differences(usable(base), usable(contender), environment);
  comparison.environment_differences = std::move(differences.differences);
  comparison.notes.insert(
      comparison.notes.end(), differences.notes.begin(), differences.notes.end());
  return comparison;
}

}  // namespace schedlab::compare
