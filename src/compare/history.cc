#include "compare/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>

#include "compare/history_series.h"
#include "core/text.h"

namespace schedlab::compare {

namespace {

constexpr std::string_view kControlArm = "control";

using Sources = std::vector<const HistorySource*>;

// An arm of one experiment, which is one step of the history.
struct Step {
  const HistorySource* source = nullptr;
  Arm arm;
  std::string label;
};

Sources in_order_of_time(std::span<const HistorySource> sources) {
  Sources order;
  for (const HistorySource& source : sources)
    order.push_back(&source);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::tie(a->experiment.start_wall, a->experiment.id) <
           std::tie(b->experiment.start_wall, b->experiment.id);
  });
  return order;
}

Status check_options(const HistoryOptions& options) {
  std::set<std::string_view> seen;
  for (const std::string& arm : options.arms) {
    if (!seen.insert(arm).second) {
      return usage_error(fmt::format("arm '{}' is named twice", printable(arm)));
    }
  }
  if (!(options.alpha > 0 && options.alpha < 0.5)) {
    return usage_error(fmt::format("alpha {} is not between 0 and 0.5", options.alpha));
  }
  if (!(options.confidence > 0.5 && options.confidence < 1)) {
    return usage_error(
        fmt::format("confidence {} is not between 0.5 and 1, like 0.95", options.confidence));
  }
  return {};
}

// Kernels are what a history is of; everything else must be the same.
Status check_alike(const Sources& sources) {
  const Experiment& first = sources.front()->experiment;
  for (const HistorySource* source : sources) {
    const Experiment& other = source->experiment;
    if (other.kind != first.kind) {
      return failed(fmt::format("experiments {} and {} do not make one history: {} and {} runs",
                                first.id.value,
                                other.id.value,
                                to_string(first.kind),
                                to_string(other.kind)));
    }
    Machine machine = other.machine;
    machine.kernel = first.machine.kernel;
    if (machine == first.machine) continue;
    return failed(
        fmt::format("experiments {} and {} do not make one history: machines '{}' and '{}', {} and "
                    "{} CPUs; name those of one machine with --experiments",
                    first.id.value,
                    other.id.value,
                    printable(first.machine.hostname),
                    printable(other.machine.hostname),
                    first.machine.online_cpus,
                    other.machine.online_cpus));
  }
  return {};
}

std::vector<Arm> arms_of(const Experiment& experiment, const std::vector<std::string>& names) {
  std::vector<Arm> arms;
  if (names.empty()) {
    std::copy_if(experiment.arms.begin(),
                 experiment.arms.end(),
                 std::back_inserter(arms),
                 [](const Arm& arm) { return arm.name != kControlArm; });
  }
  for (const std::string& name : names) {
    const auto found = std::find_if(experiment.arms.begin(),
                                    experiment.arms.end(),
                                    [&](const Arm& arm) { return arm.name == name; });
    if (found != experiment.arms.end()) arms.push_back(*found);
  }
  return arms;
}

std::string nearest_hint(const std::string& word, const std::set<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const auto nearest = nearest_word(word, candidates);
  if (nearest) return fmt::format("; did you mean '{}'?", printable(*nearest));
  constexpr std::size_t kShown = 12;
  std::vector<std::string> shown;
  for (const std::string& name : known) {
    if (shown.size() < kShown) shown.push_back(printable(name, 40));
  }
  if (known.size() > kShown) shown.emplace_back("...");
  return fmt::format(" (known: {})", join(shown, ", "));
}

Status check_arms_known(const Sources& sources, const std::vector<std::string>& names) {
  std::set<std::string> known;
  for (const HistorySource* source : sources) {
    for (const Arm& arm : source->experiment.arms)
      known.insert(arm.name);
  }
  for (const std::string& name : names) {
    if (known.contains(name)) continue;
    return usage_error(fmt::format("no arm '{}'{}", printable(name), nearest_hint(name, known)));
  }
  return {};
}

Result<std::vector<Step>> choose_steps(const Sources& sources, const HistoryOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(check_arms_known(sources, options.arms));
  std::vector<Step> steps;
  for (const HistorySource* source : sources) {
    for (Arm& arm : arms_of(source->experiment, options.arms)) {
      const std::string label = sources.size() == 1
                                    ? arm.name
                                    : fmt::format("{}:{}", source->experiment.id.value, arm.name);
      steps.push_back({source, std::move(arm), label});
    }
  }
  if (steps.size() >= kHistoryFewestArms) return steps;
  return usage_error(fmt::format(
      "a history needs at least {} arms in order and there {} {}: `schedlab compare BASE "
      "NEW` compares two",
      kHistoryFewestArms,
      steps.size() == 1 ? "is" : "are",
      steps.size()));
}

bool is_of(const RunRecord& run, const Step& step) {
  return run.arm == step.arm.name && run.outcome == Outcome::Ok;
}

Status check_metric_known(const std::vector<Step>& steps, const std::string& metric) {
  std::set<std::string> known;
  bool any_run = false;
  for (const Step& step : steps) {
    for (const RunRecord& run : step.source->runs) {
      if (!is_of(run, step)) continue;
      any_run = true;
      if (run.output.find_metric(metric) != nullptr) return {};
      for (const Metric& other : run.output.metrics)
        known.insert(other.name);
    }
  }
  if (!any_run) return failed("no run of these arms ended well: there is no history");
  return usage_error(
      fmt::format("no run has a metric '{}'{}", printable(metric), nearest_hint(metric, known)));
}

std::vector<std::string> cases_in_order(const std::vector<Step>& steps) {
  std::vector<std::string> order;
  std::set<std::string_view> known;
  for (const Step& step : steps) {
    for (const std::string& name : step.source->experiment.cases) {
      if (known.insert(name).second) order.push_back(name);
    }
  }
  return order;
}

// What must be one and the same for figures to stand in one line.
struct Maker {
  std::string workload;
  std::string version;
  std::string mode;
  Unit unit = Unit::Count;
  Direction direction = Direction::Descriptive;

  friend bool operator==(const Maker&, const Maker&) = default;

  [[nodiscard]] std::string text() const {
    return fmt::format("{} version {} ({}), unit {}, {}",
                       printable(workload),
                       printable(version),
                       printable(mode),
                       to_string(unit),
                       to_string(direction));
  }
};

// The steps of one case that have the metric, with its values.
struct CaseSteps {
  std::vector<const Step*> steps;
  ArmValues values;
  Metric metric;
  Maker maker;
  std::size_t without = 0;  // runs that lack the metric or do not give a finite number
  std::vector<std::string> left_out;
};

Status add_value(const RunRecord& run,
                 const Metric& metric,
                 CaseSteps& found,
                 std::vector<HistoryValue>& values) {
  const Maker maker = {run.output.workload,
                       run.output.workload_version,
                       run.output.mode,
                       metric.unit,
                       metric.direction};
  const bool first = found.maker == Maker{};
  if (first) {
    found.maker = maker;
    found.metric = metric;
  }
  if (!(maker == found.maker)) {
    return failed(
        fmt::format("{}: runs of {} and of {} do not make one history; name the arms that ran "
                    "alike with --arms",
                    printable(run.case_name),
                    found.maker.text(),
                    maker.text()));
  }
  found.metric.resolution = std::max(found.metric.resolution, metric.resolution);
  found.metric.primary = found.metric.primary || metric.primary;
  values.push_back({&run, metric.value});
  return {};
}

void sort_by_place(std::vector<HistoryValue>& values) {
  std::stable_sort(values.begin(), values.end(), [](const HistoryValue& a, const HistoryValue& b) {
    return std::tie(a.run->block, a.run->position, a.run->id) <
           std::tie(b.run->block, b.run->position, b.run->id);
  });
}

Result<CaseSteps> steps_of_case(const std::vector<Step>& steps,
                                const std::string& case_name,
                                const std::string& metric) {
  CaseSteps found;
  for (const Step& step : steps) {
    std::vector<HistoryValue> values;
    for (const RunRecord& run : step.source->runs) {
      if (!is_of(run, step) || run.case_name != case_name) continue;
      const Metric* has = run.output.find_metric(metric);
      if (has == nullptr || !std::isfinite(has->value)) {
        ++found.without;
        continue;
      }
      SCHEDLAB_RETURN_IF_ERROR(add_value(run, *has, found, values));
    }
    if (values.empty()) {
      found.left_out.push_back(step.label);
      continue;
    }
    sort_by_place(values);
    found.steps.push_back(&step);
    found.values.push_back(std::move(values));
  }
  return found;
}

HistoryPoint point_of(const Step& step, const std::vector<HistoryValue>& values) {
  HistoryPoint point;
  point.label = step.label;
  point.experiment = step.source->experiment.id;
  point.arm = step.arm;
  point.start_wall = step.source->experiment.start_wall;
  std::set<std::string_view> boots;
  for (const HistoryValue& item : values) {
    point.values.push_back(item.value);
    if (!item.run->boot_id.empty()) boots.insert(item.run->boot_id);
  }
  point.boots = boots.size();
  point.summary = stats::summarise(point.values);
  return point;
}

void note_what_is_missing(const CaseSteps& found, bool logarithms, CaseHistory& history) {
  constexpr std::size_t kShown = 6;
  if (!found.left_out.empty()) {
    const std::size_t shown = std::min(kShown, found.left_out.size());
    history.notes.push_back(fmt::format(
        "left out, without a run that has the metric: {}{}",
        join(std::span(found.left_out).first(shown), ", "),
        shown < found.left_out.size() ? fmt::format(" and {} more", found.left_out.size() - shown)
                                      : ""));
  }
  if (found.without > 0) {
    history.notes.push_back(
        fmt::format("{} runs left out: no finite value of the metric", found.without));
  }
  if (!logarithms) {
    history.notes.emplace_back(
        "a value is zero or negative: changes are found, ratios are not had");
  }
  const bool no_boots = std::all_of(history.points.begin(),
                                    history.points.end(),
                                    [](const HistoryPoint& point) { return point.boots == 0; });
  if (no_boots) {
    history.notes.emplace_back("boots not recorded: each arm counts once");
  } else if (history.unit != HistoryUnit::Boot) {
    history.notes.emplace_back(history.unit == HistoryUnit::Block
                                   ? "all arms ran in the same boots"
                                   : "one boot per arm: a boot's own luck looks like a change that "
                                     "the next arm takes back");
  }
}

// Why a case has no history; empty: it has.
std::string too_few(const CaseSteps& found, const HistorySeries& series) {
  if (found.steps.size() < kHistoryFewestArms) {
    return fmt::format(
        "{} arms have the metric, a history needs {}", found.steps.size(), kHistoryFewestArms);
  }
  const std::size_t values = series.ends().back();
  if (values >= kHistoryFewestValues) return {};
  return fmt::format(
      "{} values ({} arms, one per {}), a history needs {}: more arms, or more boots of each",
      values,
      found.steps.size(),
      series.unit == HistoryUnit::Block  ? "block"
      : series.unit == HistoryUnit::Boot ? "boot"
                                         : "arm",
      kHistoryFewestValues);
}

// Adds the case's history, or to the notes why it has none.
Status add_case(const std::vector<Step>& steps,
                const std::string& case_name,
                const HistoryOptions& options,
                bool one_experiment,
                History& history) {
  SCHEDLAB_ASSIGN_OR_RETURN(const CaseSteps found, steps_of_case(steps, case_name, options.metric));
  if (found.steps.empty()) return {};  // another workload's case
  const HistorySeries series = make_series(found.values, one_experiment);
  const std::string why_not = too_few(found, series);
  if (!why_not.empty()) {
    history.notes.push_back(printable(case_name) + ": " + why_not);
    return {};
  }
  CaseHistory added;
  added.workload = found.maker.workload;
  added.case_name = case_name;
  added.metric = found.metric;
  added.metric.value = 0;
  added.unit = series.unit;
  for (std::size_t i = 0; i < found.steps.size(); ++i)
    added.points.push_back(point_of(*found.steps[i], found.values[i]));
  note_what_is_missing(found, series.logarithms, added);
  SCHEDLAB_RETURN_IF_ERROR(find_changes(series, options, added));
  history.cases.push_back(std::move(added));
  return {};
}

}  // namespace

Result<History> find_history(std::span<const HistorySource> sources,
                             const HistoryOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(check_options(options));
  if (sources.empty()) return failed("there is no experiment: there is no history");
  const Sources order = in_order_of_time(sources);
  SCHEDLAB_RETURN_IF_ERROR(check_alike(order));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<Step> steps, choose_steps(order, options));
  SCHEDLAB_RETURN_IF_ERROR(check_metric_known(steps, options.metric));

  History history;
  const Experiment& newest = order.back()->experiment;
  history.metric = options.metric;
  history.tool_version = newest.tool_version;
  history.kind = newest.kind;
  history.machine = newest.machine;
  history.experiments = order.size();
  history.alpha = options.alpha;
  history.confidence = options.confidence;
  history.seed = options.seed;
  for (const std::string& case_name : cases_in_order(steps))
    SCHEDLAB_RETURN_IF_ERROR(add_case(steps, case_name, options, order.size() == 1, history));
  if (!history.cases.empty()) return history;
  return failed(history.notes.empty() ? "no case of these arms has runs: there is no history"
                                      : history.notes.front());
}

}  // namespace schedlab::compare
