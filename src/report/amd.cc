// The two styles of AMD's mails: "pct" (2021-23) and "pct imp / CV" (since 2023). Their columns are
// kept as they are, so that eyes and scripts go on working; intervals and verdicts follow in a
// second table.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/text.h"
#include "report/frame.h"
#include "report/layout.h"
#include "report/sections.h"
#include "report/styles.h"

namespace schedlab::report {

namespace {

using compare::ArmSummary;
using compare::Verdict;

/// In % of base, + is better.
double improvement(double base, double contender, bool higher) {
  if (base == 0) return 0;
  const double change = (contender - base) / base * 100;
  return higher ? change : -change;
}

/// 25.806 -> 25.80, -5.527 -> -5.52: towards zero, as those tables do. The nudge keeps a figure
/// that is exact in decimals from falling one step short of itself in binary.
double truncated(double percent) {
  const double cut = std::trunc(percent * 100 + std::copysign(1e-7, percent)) / 100;
  return cut == 0 ? 0 : cut;
}

std::string pct_cell(double value, double percent) {
  return fmt::format("{:13.2f} ({:.2f} pct)", value, percent);
}

std::string mark_of(const compare::Row& row) {
  if (!is_judged(row)) return "";
  if (row.verdict == Verdict::Worse) return "     *";
  if (row.verdict == Verdict::Better) return "     ^";
  return "";
}

std::size_t label_width(const Section& section, std::size_t least) {
  std::size_t width = least;
  for (const SectionLine& line : section.lines)
    width = std::max(width, display_width(load_label(section, line)));
  return width;
}

std::string pct_section(const Section& section,
                        const std::string& base,
                        const std::string& contender) {
  const Statistic statistic = statistic_of(section);
  const ShownUnit unit = shown_unit(section);
  const bool higher = more_is_plus(section.metric);
  const std::string title = fmt::format("~ {}: {}, {} ({})",
                                        section.test,
                                        described_in(section.metric, unit.name),
                                        direction_words(section.metric),
                                        to_string(statistic));
  const std::string rule(std::min(kPageWidth, display_width(title) + 2), '~');
  std::string out = rule + "\n" + wrap("", "~   ", title) + rule + "\n";
  const std::size_t width = label_width(section, 8);
  out += pad_right("Test:", width + 2) + pad_left(base, 17) + pad_left(contender, 24) + "\n";
  for (const SectionLine& line : section.lines) {
    const double before = central(line.row->base, statistic);
    const double after = central(line.row->contender, statistic);
    out += " " + pad_right(load_label(section, line) + ":", width + 1) +
           pct_cell(before / unit.factor, 0) +
           pct_cell(after / unit.factor, truncated(improvement(before, after, higher))) +
           mark_of(*line.row) + "\n";
  }
  return out + "\n";
}

std::string cv_text(const ArmSummary& arm) {
  if (arm.values.size() < 2) return "    -";
  return fmt::format("{:5.2f}", arm.cv * 100);
}

std::string cv_section(const Section& section,
                       const std::string& base,
                       const std::string& contender) {
  const Statistic statistic = statistic_of(section);
  const bool higher = more_is_plus(section.metric);
  const std::string unit =
      section.metric.unit == Unit::Seconds ? "seconds" : shown_unit(section).name;
  std::string interpretation(direction_words(section.metric));
  interpretation.front() = static_cast<char>(std::toupper(interpretation.front()));
  const std::string rule(66, '=');
  std::string out = rule + "\n";
  out += wrap("Test          : ", "                ", section.test);
  out += wrap(
      "Units         : ", "                ", "Normalized " + described_in(section.metric, unit));
  out += "Interpretation: " + interpretation + "\n";
  out += fmt::format("Statistic     : {}\n", to_string(statistic));
  out += rule + "\n";
  const std::size_t width = label_width(section, 8);
  out += pad_right("Case:", width - 3) + pad_left(base, 14) + "[pct imp](CV)" +
         pad_left(" " + contender, 9) + "[pct imp](CV)\n";
  for (const SectionLine& line : section.lines) {
    const double before = central(line.row->base, statistic);
    const double after = central(line.row->contender, statistic);
    // Theirs is 100 * (1 - 1) turned by the direction: a time row's base reads -0.00.
    const double zero = higher ? 0.0 : -0.0;
    out += " " + pad_right(load_label(section, line), width) +
           fmt::format("{:9.2f} [{:6.2f}]({})", 1.0, zero, cv_text(line.row->base)) +
           fmt::format("{:9.2f} [{:6.2f}]({})",
                       before == 0 ? 0 : after / before,
                       improvement(before, after, higher),
                       cv_text(line.row->contender)) +
           "\n";
  }
  return out + "\n";
}

}  // namespace

std::string render_amd(const compare::Comparison& comparison) {
  std::string out = header_text(comparison) + "\n";
  for (const Section& section : sections_of(comparison)) {
    out += pct_section(section, safe(comparison.base.name), safe(comparison.contender.name));
  }
  return out + verdicts_text(comparison) + "\n" +
         footer_text(
             comparison,
             "pct: change of the statistic in % of base, turned so that + is better, cut off "
             "(not rounded) after two places. * worse, ^ better by the verdicts above.");
}

std::string render_amd_cv(const compare::Comparison& comparison) {
  std::string out = header_text(comparison) + "\n";
  for (const Section& section : sections_of(comparison)) {
    out += cv_section(section, safe(comparison.base.name), safe(comparison.contender.name));
  }
  return out + verdicts_text(comparison) + "\n" +
         footer_text(
             comparison,
             "Base is 1.00. [pct imp]: change of the statistic in % of base, turned so that + is "
             "better. (CV): standard deviation of the runs in % of their mean.");
}

}  // namespace schedlab::report
