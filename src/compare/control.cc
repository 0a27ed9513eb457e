#include "compare/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "compare/phrases.h"

namespace schedlab::compare {

namespace {

double size_of(double ratio) {
  return std::abs(ratio - 1);
}

}  // namespace

void compare_with_control(Comparison& comparison) {
  std::map<std::pair<std::string_view, std::string_view>, const Row*> controls;
  for (const Row& control : comparison.control_rows) {
    if (control.effect) controls[{control.case_name, control.metric.name}] = &control;
  }
  for (Row& row : comparison.rows) {
    if (row.verdict != Verdict::Better && row.verdict != Verdict::Worse) continue;
    const auto found = controls.find({row.case_name, row.metric.name});
    if (found == controls.end()) continue;
    const double moved = found->second->effect->ratio;
    if (std::abs(std::log(row.effect->ratio)) > std::abs(std::log(moved))) continue;
    row.flags.push_back("no larger than the A/A control's own " + signed_percent(moved - 1));
  }
}

std::optional<ControlFloor> control_floor(const std::vector<Row>& control_rows) {
  std::optional<ControlFloor> floor;
  for (const Row& row : control_rows) {
    if (!row.metric.primary || !row.effect) continue;
    if (!floor) floor.emplace();
    const double moved = size_of(row.effect->ratio);
    if (floor->case_name.empty() || moved > floor->moved) {
      floor->moved = moved;
      floor->case_name = row.case_name;
      floor->metric = row.metric.name;
    }
    // A watched plan may not have an interval yet.
    if (!std::isfinite(row.effect->interval95.high)) continue;
    floor->bound = std::max(
        {floor->bound, size_of(row.effect->interval95.low), size_of(row.effect->interval95.high)});
  }
  return floor;
}

void note_control(Comparison& comparison) {
  for (const Row& row : comparison.control_rows) {
    if (!row.metric.primary) continue;
    if (row.verdict != Verdict::Better && row.verdict != Verdict::Worse) continue;
    comparison.notes.push_back(
        fmt::format("A/A control differs from base: {} {} {}: distrust the table",
                    row.case_name,
                    row.metric.name,
                    signed_percent(row.effect->ratio - 1)));
  }
}

}  // namespace schedlab::compare
