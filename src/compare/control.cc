#include "compare/control.h"

#include <fmt/format.h>

#include <cmath>

namespace schedlab::compare {

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

}  // namespace schedlab::compare
