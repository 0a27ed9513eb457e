// One line per arm with its runs' figures and a small plot, a mark where the level moved, and below
// it what moved, by how much, and how sure that is.

#include "report/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/check.h"
#include "core/text.h"
#include "report/csv_text.h"
#include "report/layout.h"
#include "report/sections.h"

namespace schedlab::report {

namespace {

using compare::CaseHistory;
using compare::History;
using compare::HistoryPoint;
using compare::HistoryUnit;
using compare::LevelChange;
using nlohmann::ordered_json;

std::string_view unit_word(HistoryUnit unit) {
  switch (unit) {
    case HistoryUnit::Arm:
      return "arm";
    case HistoryUnit::Boot:
      return "boot";
    case HistoryUnit::Block:
      return "block";
  }
  return {};
}

// ---- Text

constexpr std::size_t kLabelWidth = 20;
constexpr std::size_t kRunsWidth = 5;
constexpr std::size_t kMedianWidth = 13;
constexpr std::size_t kSpreadWidth = 8;
constexpr std::size_t kPlotWidth =
    kPageWidth - 2 - kLabelWidth - kRunsWidth - kMedianWidth - kSpreadWidth - 2;

/// Where the values of all arms lie.
struct Scale {
  double low = 0;
  double high = 0;

  [[nodiscard]] std::size_t column(double value) const {
    if (!(high > low)) return kPlotWidth / 2;
    const double share = value / (high - low) - low / (high - low);
    if (!std::isfinite(share)) return kPlotWidth / 2;  // of values near the largest double
    const auto last = static_cast<double>(kPlotWidth - 1);
    return static_cast<std::size_t>(std::clamp(std::floor(share * last + 0.5), 0.0, last));
  }
};

Scale scale_of(const CaseHistory& history) {
  Scale scale = {history.points.front().summary.min, history.points.front().summary.max};
  for (const HistoryPoint& point : history.points) {
    scale.low = std::min(scale.low, point.summary.min);
    scale.high = std::max(scale.high, point.summary.max);
  }
  return scale;
}

/// "   --o-   ": from the least run to the greatest, o at the median.
std::string plot_of(const HistoryPoint& point, const Scale& scale) {
  std::string plot(kPlotWidth, ' ');
  const std::size_t from = scale.column(point.summary.min);
  const std::size_t to = scale.column(point.summary.max);
  std::fill(plot.begin() + static_cast<std::ptrdiff_t>(from),
            plot.begin() + static_cast<std::ptrdiff_t>(to) + 1,
            '-');
  plot[scale.column(point.summary.median)] = 'o';
  return plot;
}

/// The ends of the plot, over it.
std::string plot_head(const Scale& scale, Unit unit) {
  const std::string low = format_value(scale.low, unit);
  const std::string high = format_value(scale.high, unit);
  if (display_width(low) + display_width(high) + 1 > kPlotWidth) return low;
  return low + pad_left(high, kPlotWidth - display_width(low));
}

std::string columns(const std::string& mark,
                    const std::string& label,
                    const std::string& runs,
                    const std::string& median,
                    const std::string& spread,
                    const std::string& plot) {
  std::string line = pad_right(mark, 2) + pad_right(label, kLabelWidth) +
                     pad_left(runs, kRunsWidth) + pad_left(median, kMedianWidth) +
                     pad_left(spread, kSpreadWidth) + "  " + plot;
  if (display_width(line) > kPageWidth)
    line.resize(line.size() - (display_width(line) - kPageWidth));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// ">" where a new level begins, ":" where it may begin instead.
std::string mark_of(const CaseHistory& history, std::size_t arm) {
  std::string mark;
  for (const LevelChange& change : history.changes) {
    if (change.index == arm) return ">";
    if (change.low <= arm && arm <= change.high) mark = ":";
  }
  return mark;
}

std::string spread_text(const HistoryPoint& point) {
  if (point.summary.n < 2) return "-";
  const double percent = point.summary.cv * 100;
  if (!std::isfinite(percent)) return "-";
  return percent < 9999.5 ? fmt::format("{:.1f}%", percent) : fmt::format("{:.0e}%", percent);
}

std::string arm_line(const CaseHistory& history, std::size_t arm, const Scale& scale) {
  const HistoryPoint& point = history.points[arm];
  const std::string label = safe(point.label);
  const bool fits = display_width(label) <= kLabelWidth;
  const std::string mark = mark_of(history, arm);
  const std::string figures = columns(fits ? mark : "",
                                      fits ? label : "",
                                      std::to_string(point.summary.n),
                                      format_value(point.summary.median, history.metric.unit),
                                      spread_text(point),
                                      plot_of(point, scale));
  return fits ? figures : wrap(pad_right(mark, 2), "    ", label) + figures;
}

std::string better_or_worse(const CaseHistory& history, double ratio) {
  if (history.metric.direction == Direction::Descriptive) return ratio > 1 ? "more" : "less";
  return ratio > 1 ? "better" : "worse";
}

std::string size_text(const CaseHistory& history, const LevelChange& change) {
  const std::string levels = fmt::format("{} to {}",
                                         format_value(change.before, history.metric.unit),
                                         format_value(change.after, history.metric.unit));
  if (!change.ratio) return levels;
  const int decimals = change.ratio_interval ? decimals_for(*change.ratio_interval) : 1;
  return fmt::format(
      "{} {} {}, {}",
      percent_change(*change.ratio, decimals),
      change.ratio_interval ? interval_text(*change.ratio_interval, decimals) : "[unknown]",
      better_or_worse(history, *change.ratio),
      levels);
}

std::string place_text(const CaseHistory& history, const LevelChange& change) {
  if (change.low == change.high) return "";
  return fmt::format("; may begin anywhere from {} to {}",
                     safe(history.points[change.low].label),
                     safe(history.points[change.high].label));
}

std::string change_text(const CaseHistory& history, const LevelChange& change) {
  const std::string unit(unit_word(history.unit));
  std::string out = fmt::format("{}: {} (values: {} and {})",
                                safe(history.points[change.index].label),
                                size_text(history, change),
                                change.values_before,
                                change.values_after);
  if (change.p) {
    out += fmt::format(", p {:.2g}{}", *change.p, change.by_pelt ? "; PELT too" : "; not by PELT");
  }
  return wrap(change.p ? "> " : "  ", "    ", out + place_text(history, change));
}

std::string case_head(const CaseHistory& history) {
  std::string out = fmt::format("{} of {}, {}; {} in order, one value per {}",
                                described(history.metric),
                                safe(history.case_name),
                                direction_words(history.metric),
                                counted(static_cast<std::int64_t>(history.points.size()), "arm"),
                                unit_word(history.unit));
  return wrap("", "  ", out);
}

std::string case_text(const CaseHistory& history) {
  const Scale scale = scale_of(history);
  std::string out = case_head(history);
  out += columns("", "arm", "runs", "median", "spread", plot_head(scale, history.metric.unit));
  for (std::size_t arm = 0; arm < history.points.size(); ++arm)
    out += arm_line(history, arm, scale);
  if (history.changes.empty() && history.permutations > 0) out += "no change found\n";
  for (const LevelChange& change : history.changes)
    out += change_text(history, change);
  if (!history.hints.empty()) out += "by PELT alone, which has no error rate:\n";
  for (const LevelChange& hint : history.hints)
    out += change_text(history, hint);
  for (const std::string& note : history.notes)
    out += wrap("note: ", "      ", safe(note));
  return out + "\n";
}

std::string footer(const History& history) {
  std::size_t permutations = 0;
  for (const CaseHistory& of_case : history.cases)
    permutations = std::max(permutations, of_case.permutations);
  std::string out =
      wrap("",
           "",
           fmt::format(
               "+ is better. > begins a new level, : may begin it instead ({:.0f}%). Spread: "
               "standard deviation of the runs in % of their mean; plot: least run to greatest, "
               "o median. Changes: E-divisive, each found at p <= {} by {} permutations, seed {}; "
               "size: Hodges-Lehmann's ratio of the levels with its {:.0f}% interval (t where "
               "ranks have none), too narrow by what the search for the place chose.",
               history.confidence * 100,
               history.alpha,
               permutations,
               history.seed,
               history.confidence * 100));
  if (history.cases.size() > 1) {
    out += wrap("",
                "",
                fmt::format("{} cases: {:.2g} of them show a change by chance.",
                            history.cases.size(),
                            history.alpha * static_cast<double>(history.cases.size())));
  }
  for (const std::string& note : history.notes)
    out += wrap("note: ", "      ", safe(note));
  out += wrap("",
              "",
              "schedlab " + (history.tool_version.empty() ? "of unknown version"
                                                          : safe(history.tool_version)));
  return out;
}

std::string render_text(const History& history) {
  const Machine& machine = history.machine;
  std::string out =
      wrap("",
           "  ",
           fmt::format("{} over {}, {}{}",
                       safe(history.metric),
                       counted(static_cast<std::int64_t>(history.experiments), "experiment"),
                       machine.hostname.empty() ? "machine not known" : safe(machine.hostname),
                       history.kind == RunKind::Measured
                           ? ""
                           : fmt::format(" ({}, not measured here)", to_string(history.kind))));
  out += "\n";
  for (const CaseHistory& of_case : history.cases)
    out += case_text(of_case);
  return out + footer(history);
}

// ---- JSON

constexpr int kSchemaVersion = 1;

ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json change_json(const CaseHistory& history, const LevelChange& change) {
  ordered_json interval = nullptr;
  if (change.ratio_interval) {
    interval = {{"low", number(change.ratio_interval->low)},
                {"high", number(change.ratio_interval->high)},
                {"method", change.by_ranks ? "hodges-lehmann" : "t"}};
  }
  return {{"index", change.index},
          {"arm", history.points[change.index].label},
          {"low_index", change.low},
          {"high_index", change.high},
          {"p", change.p ? number(*change.p) : ordered_json(nullptr)},
          {"e_divisive", change.p.has_value()},
          {"pelt", change.by_pelt},
          {"before", number(change.before)},
          {"after", number(change.after)},
          {"values_before", change.values_before},
          {"values_after", change.values_after},
          {"ratio", change.ratio ? number(*change.ratio) : ordered_json(nullptr)},
          {"ratio_interval", interval}};
}

ordered_json point_json(const HistoryPoint& point) {
  ordered_json values = ordered_json::array();
  for (const double value : point.values)
    values.push_back(number(value));
  return {{"label", point.label},
          {"experiment", point.experiment.value},
          {"arm", point.arm.name},
          {"spec", point.arm.spec},
          {"start_wall_ns", point.start_wall.count()},
          {"boots", point.boots},
          {"values", values},
          {"median", number(point.summary.median)},
          {"mean", number(point.summary.mean)},
          {"cv", number(point.summary.cv)},
          {"min", number(point.summary.min)},
          {"max", number(point.summary.max)}};
}

ordered_json case_json(const CaseHistory& history) {
  ordered_json arms = ordered_json::array();
  for (const HistoryPoint& point : history.points)
    arms.push_back(point_json(point));
  ordered_json changes = ordered_json::array();
  for (const auto* list : {&history.changes, &history.hints}) {
    for (const LevelChange& change : *list)
      changes.push_back(change_json(history, change));
  }
  return {{"workload", history.workload},
          {"case", history.case_name},
          {"metric", history.metric.name},
          {"unit", to_string(history.metric.unit)},
          {"direction", to_string(history.metric.direction)},
          {"one_value_per", unit_word(history.unit)},
          {"permutations", history.permutations},
          {"arms", arms},
          {"changes", changes},
          {"notes", history.notes}};
}

std::string render_json_text(const History& history) {
  ordered_json cases = ordered_json::array();
  for (const CaseHistory& of_case : history.cases)
    cases.push_back(case_json(of_case));
  const ordered_json out = {{"schema", "schedlab-history"},
                            {"schema_version", kSchemaVersion},
                            {"metric", history.metric},
                            {"tool_version", history.tool_version},
                            {"kind", to_string(history.kind)},
                            {"hostname", history.machine.hostname},
                            {"experiments", history.experiments},
                            {"alpha", number(history.alpha)},
                            {"confidence", number(history.confidence)},
                            // A program that reads numbers as doubles would round it.
                            {"seed", std::to_string(history.seed)},
                            {"cases", cases},
                            {"notes", history.notes}};
  return out.dump(2, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace) + "\n";
}

// ---- CSV: a line per arm; what it begins, if it begins a level, stands in the same line

const char* const kHeads =
    "workload,case,metric,unit,direction,one_value_per,index,experiment,arm,spec,runs_count,"
    "boots_count,median_unit,mean_unit,cv_percent,min_unit,max_unit,change,p_value,low_index,"
    "high_index,before_unit,after_unit,change_percent,change_low_percent,change_high_percent";

void add_change(CsvFields& fields, const LevelChange* change) {
  constexpr std::size_t kCount = 9;
  if (change == nullptr) {
    fields.emplace_back("no");
    fields.insert(fields.end(), kCount - 1, "");
    return;
  }
  fields.emplace_back(!change->p ? "pelt" : change->by_pelt ? "e-divisive+pelt" : "e-divisive");
  fields.push_back(change->p ? csv_number(*change->p) : "");
  fields.push_back(std::to_string(change->low));
  fields.push_back(std::to_string(change->high));
  fields.push_back(csv_number(change->before));
  fields.push_back(csv_number(change->after));
  fields.push_back(change->ratio ? csv_change(*change->ratio) : "");
  fields.push_back(change->ratio_interval ? csv_change(change->ratio_interval->low) : "");
  fields.push_back(change->ratio_interval ? csv_change(change->ratio_interval->high) : "");
}

const LevelChange* change_at(const CaseHistory& history, std::size_t arm) {
  for (const auto* list : {&history.changes, &history.hints}) {
    for (const LevelChange& change : *list)
      if (change.index == arm) return &change;
  }
  return nullptr;
}

std::string render_csv_text(const History& history) {
  std::string out = std::string(kHeads) + "\r\n";
  for (const CaseHistory& of_case : history.cases) {
    for (std::size_t arm = 0; arm < of_case.points.size(); ++arm) {
      const HistoryPoint& point = of_case.points[arm];
      CsvFields fields = {safe(of_case.workload),
                          safe(of_case.case_name),
                          safe(of_case.metric.name),
                          std::string(to_string(of_case.metric.unit)),
                          std::string(to_string(of_case.metric.direction)),
                          std::string(unit_word(of_case.unit)),
                          std::to_string(arm),
                          std::to_string(point.experiment.value),
                          safe(point.arm.name),
                          safe(point.arm.spec),
                          std::to_string(point.summary.n),
                          std::to_string(point.boots)};
      for (const double value : {point.summary.median,
                                 point.summary.mean,
                                 point.summary.cv * 100,
                                 point.summary.min,
                                 point.summary.max}) {
        fields.push_back(csv_number(value));
      }
      add_change(fields, change_at(of_case, arm));
      out += csv_line(fields);
    }
  }
  return out;
}

}  // namespace

Status check_history_style(Style style) {
  if (style == Style::Native || style == Style::Json || style == Style::Csv) return {};
  return usage_error(
      "a history has the styles native, json and csv; the others are tables of two arms");
}

std::string render_history(const History& history, Style style) {
  SCHEDLAB_CHECK(check_history_style(style));
  if (style == Style::Json) return render_json_text(history);
  if (style == Style::Csv) return render_csv_text(history);
  return render_text(history);
}

}  // namespace schedlab::report
