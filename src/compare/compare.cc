#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_map>

#include "compare/admission.h"
#include "compare/diagnostics.h"
#include "compare/effect.h"
#include "compare/environment_diff.h"
#include "compare/pairing.h"
#include "compare/rows.h"
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

// Case names in plan order; cases that the plan does not name follow as they were first run.
std::vector<std::string> case_order(const Experiment& experiment, const Runs& a, const Runs& b) {
  std::vector<std::string> order;
  std::set<std::string_view> known;
  for (const std::string& name : experiment.cases) {
    if (known.insert(name).second) order.push_back(name);
  }
  for (const Runs* runs : {&a, &b}) {
    for (const RunRecord* run : *runs) {
      if (known.insert(run->case_name).second) order.push_back(run->case_name);
    }
  }
  return order;
}

std::unordered_map<std::string_view, Runs> by_case(const Runs& runs) {
  std::unordered_map<std::string_view, Runs> cases;
  for (const RunRecord* run : runs)
    cases[run->case_name].push_back(run);
  return cases;
}

std::vector<PairedCase> pair_cases(const Experiment& experiment,
                                   const Runs& base,
                                   const Runs& contender) {
  auto base_cases = by_case(base);
  auto contender_cases = by_case(contender);
  std::vector<PairedCase> cases;
  for (const std::string& name : case_order(experiment, base, contender)) {
    cases.push_back(pair_case(name, std::move(base_cases[name]), std::move(contender_cases[name])));
  }
  return cases;
}

// A case without a usable run in one arm cannot have rows; the note says why. Empty: it can.
std::string why_no_rows(const PairedCase& paired, const Options& options) {
  const auto missing = [&](const Runs& runs, const std::string& arm) -> std::string {
    if (runs.empty()) return fmt::format("{}: arm {} has no run: no row", paired.name, arm);
    if (!usable(runs).empty()) return {};
    return fmt::format("{}: arm {}: {}: no row", paired.name, arm, failures(runs));
  };
  const std::string base = missing(paired.base, options.base_arm);
  return base.empty() ? missing(paired.contender, options.new_arm) : base;
}

std::string incomplete_note(const PairedCase& paired) {
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(kShown, paired.incomplete.size());
  const std::span<const std::string> first(paired.incomplete.data(), shown);
  return fmt::format("{}: {} of {} blocks incomplete, not used ({}{})",
                     paired.name,
                     paired.incomplete.size(),
                     paired.incomplete.size() + paired.blocks.size(),
                     join(first, "; "),
                     shown < paired.incomplete.size() ? "; ..." : "");
}

// Base before new in every block, or after: then whatever drifts counts as effect.
bool never_alternates(const PairedCase& paired) {
  constexpr std::size_t kFewest = 5;  // below it, chance makes such an order too
  std::size_t earlier = 0;
  std::size_t later = 0;
  for (const PairedBlock& block : paired.blocks) {
    const auto place = [](const Runs& runs) {
      double sum = 0;
      for (const RunRecord* run : runs)
        sum += run->position;
      return sum / static_cast<double>(runs.size());
    };
    earlier += place(block.base) < place(block.contender) ? 1U : 0U;
    later += place(block.base) > place(block.contender) ? 1U : 0U;
  }
  const std::size_t blocks = paired.blocks.size();
  return blocks >= kFewest && (earlier == blocks || later == blocks);
}

void add_case_notes(const PairedCase& paired, std::vector<std::string>& notes) {
  if (!paired.incomplete.empty()) notes.push_back(incomplete_note(paired));
  if (paired.replicates < paired.blocks.size()) {
    notes.push_back(
        fmt::format("{}: the arms booted apart: {} blocks are {} replicates, one per boot of each",
                    paired.name,
                    paired.blocks.size(),
                    paired.replicates));
  }
  if (never_alternates(paired)) {
    notes.push_back(fmt::format("{}: the arms never changed places: a drift would count as effect",
                                paired.name));
  }
}

// What holds for several cases, said once: "case 1, case 2: text".
class CasesByText {
 public:
  void add(const std::string& text, const std::string& case_name) {
    const auto known = std::find_if(
        entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.text == text; });
    if (known == entries_.end()) {
      entries_.push_back({text, {case_name}});
    } else {
      known->cases.push_back(case_name);
    }
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    constexpr std::size_t kShown = 4;
    std::vector<std::string> out;
    for (const Entry& entry : entries_) {
      const std::size_t shown = std::min(kShown, entry.cases.size());
      const std::string names = join(std::span(entry.cases).first(shown), ", ");
      const std::size_t rest = entry.cases.size() - shown;
      const std::string more = rest > 0 ? fmt::format(" and {} more cases", rest) : "";
      out.push_back(names + more + ": " + entry.text);
    }
    return out;
  }

 private:
  struct Entry {
    std::string text;
    std::vector<std::string> cases;
  };

  std::vector<Entry> entries_;  // in the order of their first case
};

struct Table {
  std::vector<Row> rows;
  std::vector<std::string> notes;
  std::vector<PairedCase> cases;
};

// Rows with effects, not yet verdicts.
Result<Table> build_table(const Experiment& experiment,
                          const Runs& base,
                          const Runs& contender,
                          const Options& options) {
  Table table;
  CasesByText cases_of_programs;
  table.cases = pair_cases(experiment, base, contender);
  for (const PairedCase& paired : table.cases) {
    const std::string nothing = why_no_rows(paired, options);
    if (!nothing.empty()) {
      table.notes.push_back(nothing);
      continue;
    }
    SCHEDLAB_ASSIGN_OR_RETURN(const std::string programs, check_case(paired));
    if (!programs.empty()) cases_of_programs.add(programs, paired.name);
    CaseRows rows = build_rows(paired, options, experiment.machine.online_cpus);
    std::move(rows.rows.begin(), rows.rows.end(), std::back_inserter(table.rows));
    std::move(rows.notes.begin(), rows.notes.end(), std::back_inserter(table.notes));
    add_case_notes(paired, table.notes);
  }
  const std::vector<std::string> folded = cases_of_programs.lines();
  table.notes.insert(table.notes.end(), folded.begin(), folded.end());
  return table;
}

std::int64_t tested_rows(const std::vector<Row*>& family) {
  return std::count_if(
      family.begin(), family.end(), [](const Row* row) { return row->effect.has_value(); });
}

// The row's own interval excludes no change, and yet the row is not called better or worse.
void flag_correction(Row& row, std::int64_t tested, double alpha) {
  if (!row.effect || row.verdict != Verdict::Inconclusive) return;
  if (row.log_ratios.size() < kFewestBlocks) return;
  if (row.effect->p_value >= alpha || row.effect->p_adjusted < alpha) return;
  row.flags.push_back(fmt::format(
      "not significant after correction over {} rows (p {:.2g})", tested, row.effect->p_adjusted));
}

// Primary rows are one family; the others, which are descriptive, are another and cost it nothing.
Status decide_rows(std::vector<Row>& rows, const Moment& moment) {
  std::vector<Row*> primary;
  std::vector<Row*> others;
  for (Row& row : rows)
    (row.metric.primary ? primary : others).push_back(&row);
  for (const std::vector<Row*>* family : {&primary, &others}) {
    SCHEDLAB_RETURN_IF_ERROR(rest_on_rule(*family, moment));
    adjust_p_values(*family, correction_of(moment.rule));
    for (Row* row : *family)
      decide(*row, moment.alpha);
    predict_blocks(*family, moment);
  }
  for (Row* row : primary)
    flag_correction(*row, tested_rows(primary), moment.alpha);
  return {};
}

// Numbers of the blocks complete in every case that has runs of both arms.
std::set<std::int32_t> complete_blocks(const std::vector<PairedCase>& cases) {
  std::optional<std::set<std::int32_t>> common;
  for (const PairedCase& paired : cases) {
    if (paired.base.empty() || paired.contender.empty()) continue;
    std::set<std::int32_t> here;
    for (const PairedBlock& block : paired.blocks) {
      if (!common || common->contains(block.number)) here.insert(block.number);
    }
    common = std::move(here);
  }
  return common.value_or(std::set<std::int32_t>());
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
  }
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

// The control arm's own effect is the floor: a smaller one is not told apart from it.
void compare_with_control(Comparison& comparison) {
  for (Row& row : comparison.rows) {
    if (row.verdict != Verdict::Better && row.verdict != Verdict::Worse) continue;
    for (const Row& control : comparison.control_rows) {
      if (control.case_name != row.case_name || control.metric.name != row.metric.name) continue;
      if (!control.effect) continue;
      const double floor = std::abs(std::log(control.effect->ratio));
      if (std::abs(std::log(row.effect->ratio)) <= floor) {
        row.flags.push_back(fmt::format("no larger than the A/A control's own {:+.1f} %",
                                        100 * (control.effect->ratio - 1)));
      }
    }
  }
}

void note_control(Comparison& comparison) {
  for (const Row& row : comparison.control_rows) {
    if (!row.metric.primary) continue;
    if (row.verdict != Verdict::Better && row.verdict != Verdict::Worse) continue;
    comparison.notes.push_back(
        fmt::format("A/A control differs from base: {} {} {:+.1f} %: distrust the table",
                    row.case_name,
                    row.metric.name,
                    100 * (row.effect->ratio - 1)));
  }
}

Status add_control(const Experiment& experiment,
                   const Runs& base,
                   const Runs& control,
                   Options options,
                   const Moment& moment,
                   Comparison& comparison) {
  options.new_arm = std::string(kControlArm);
  if (usable(control).empty()) {
    comparison.notes.push_back("no run of the control arm ended well: " + failures(control));
    return {};
  }
  SCHEDLAB_ASSIGN_OR_RETURN(Table table, build_table(experiment, base, control, options));
  SCHEDLAB_RETURN_IF_ERROR(decide_rows(table.rows, moment));
  comparison.control_rows = std::move(table.rows);
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
                           const Options& asked) {
  Options options = asked;
  if (!options.delta) options.delta = experiment.stopping.delta;
  SCHEDLAB_RETURN_IF_ERROR(check_options(options));
  Comparison comparison;
  comparison.experiment = experiment;
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

  SCHEDLAB_ASSIGN_OR_RETURN(Table table, build_table(experiment, base, contender, options));
  const std::set<std::int32_t> complete = complete_blocks(table.cases);
  const Moment moment = moment_of(experiment, complete, options.alpha);
  SCHEDLAB_RETURN_IF_ERROR(decide_rows(table.rows, moment));
  comparison.blocks_complete = static_cast<std::int32_t>(complete.size());
  comparison.rows = std::move(table.rows);
  comparison.ending = ending_of(comparison.rows, moment, elapsed_over(all));
  comparison.ending.runs = static_cast<std::int64_t>(all.size());
  note_boots(usable(base), usable(contender), comparison);
  comparison.notes.insert(comparison.notes.end(), table.notes.begin(), table.notes.end());
  if (!control.empty()) {
    SCHEDLAB_RETURN_IF_ERROR(add_control(experiment, base, control, options, moment, comparison));
  }

  EnvironmentReport differences =
      environment_differences(usable(base), usable(contender), environment);
  comparison.environment_differences = std::move(differences.differences);
  comparison.notes.insert(
      comparison.notes.end(), differences.notes.begin(), differences.notes.end());
  return comparison;
}

}  // namespace schedlab::compare
