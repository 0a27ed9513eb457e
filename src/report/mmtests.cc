// mmtests' table: a row per statistic and load, cells "%12.2f (%7.2f%%)", the star in place of the
// parentheses on the primary statistic of the columns that are not the base.

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "report/frame.h"
#include "report/layout.h"
#include "report/mmtests_figures.h"
#include "report/sections.h"
#include "report/styles.h"

namespace schedlab::report {

namespace {

struct Statistics {
  std::string name;
  double MmtestsFigures::*field;
  bool spread;   // always lower-is-better
  bool primary;  // gets the star
};

/// The rows of mmtests' summary class: Normalisedops for schbench, else Multiops.
std::vector<Statistics> statistics_of(const Section& section) {
  const std::string kind = section.metric.direction == Direction::HigherIsBetter ? "H" : "A";
  const Statistics min = {"Min", &MmtestsFigures::min, false, false};
  const Statistics max = {"Max", &MmtestsFigures::max, false, false};
  const Statistics mean = {kind + "mean", &MmtestsFigures::mean, false, true};
  const Statistics stddev = {"Stddev", &MmtestsFigures::stddev, true, false};
  const Statistics coeff_var = {"CoeffVar", &MmtestsFigures::coeff_var, true, false};
  const Statistics best = {"B" + kind + "mean.95", &MmtestsFigures::best_mean95, false, false};
  const Statistics pctile = {"Pctile.95", &MmtestsFigures::pctile95, false, false};
  if (section.workload == "schbench") return {min, mean, best, pctile, stddev, coeff_var, max};
  return {min, mean, stddev, coeff_var, max, best};
}

/// A run name over two header rows: cut at its first '-', "-rcN" staying on the left.
std::pair<std::string, std::string> split_name(const std::string& name) {
  std::size_t cut = name.find('-');
  if (cut != std::string::npos && name.substr(cut, 3) == "-rc") cut = name.find('-', cut + 1);
  if (cut == std::string::npos) return {name, ""};
  return {name.substr(0, cut), name.substr(cut + 1)};
}

std::string cell(double value, double percent, int precision, bool star) {
  return star ? fmt::format("{:12.{}f} *{:7.2f}%*", value, precision, percent)
              : fmt::format("{:12.{}f} ({:7.2f}%)", value, precision, percent);
}

constexpr std::size_t kCellWidth = 23;
constexpr std::size_t kStatisticWidth = 10;

std::string heading(const compare::Comparison& comparison, std::size_t load_width) {
  const auto [base_top, base_below] = split_name(safe(comparison.base.name));
  const auto [new_top, new_below] = split_name(safe(comparison.contender.name));
  const std::string blank(kStatisticWidth + load_width, ' ');
  std::string out =
      blank + pad_left(base_top, kCellWidth) + pad_left(" " + new_top, kCellWidth) + "\n";
  if (!base_below.empty() || !new_below.empty()) {
    std::string below =
        blank + pad_left(base_below, kCellWidth) + pad_left(" " + new_below, kCellWidth);
    below.erase(below.find_last_not_of(' ') + 1);
    out += below + "\n";
  }
  return out;
}

/// What mmtests' readers expect: hackbench in seconds, schbench's latencies in microseconds.
ShownUnit unit_of(const Section& section) {
  if (section.metric.unit == Unit::Seconds) return {1, "s"};
  if (section.metric.unit == Unit::Nanoseconds) return {1e3, "us"};
  return shown_unit(section);
}

std::string section_text(const compare::Comparison& comparison,
                         const Section& section,
                         StarRule rule) {
  const bool harmonic = section.metric.direction == Direction::HigherIsBetter;
  const bool more = more_is_plus(section.metric);
  const ShownUnit unit = unit_of(section);
  const int precision = section.workload == "hackbench" ? 4 : 2;
  std::string out = wrap("",
                         "  ",
                         fmt::format("{}: {}, {}",
                                     section.test,
                                     described_in(section.metric, unit.name),
                                     direction_words(section.metric)));
  std::size_t load_width = 3;
  const auto label = [](const SectionLine& line) { return line.load.empty() ? "-" : line.load; };
  for (const SectionLine& line : section.lines)
    load_width = std::max(load_width, display_width(label(line)) + 1);
  out += heading(comparison, load_width);
  for (const Statistics& statistic : statistics_of(section)) {
    for (const SectionLine& line : section.lines) {
      const MmtestsFigures base = mmtests_figures(line.row->base.values, harmonic);
      const MmtestsFigures contender = mmtests_figures(line.row->contender.values, harmonic);
      const double before = base.*statistic.field;
      const double after = contender.*statistic.field;
      // A coefficient of variation is in % already.
      const double factor = statistic.field == &MmtestsFigures::coeff_var ? 1 : unit.factor;
      out += pad_right(statistic.name, kStatisticWidth) + pad_right(label(line), load_width) +
             cell(before / factor, 0, precision, false) +
             cell(after / factor,
                  mmtests_change(before, after, more && !statistic.spread),
                  precision,
                  statistic.primary && mmtests_star(base, contender, rule)) +
             "\n";
    }
  }
  return out + "\n";
}

}  // namespace

std::string render_mmtests(const compare::Comparison& comparison, StarRule rule) {
  std::string out = header_text(comparison) + "\n";
  for (const Section& section : sections_of(comparison))
    out += section_text(comparison, section, rule);
  const std::string_view star =
      rule == StarRule::BandsApart
          ? "* x%* is mmtests' star since 2024-11-28: the bands mean +- 1.96 standard deviations "
            "do "
            "not overlap (more runs do not make it likelier)."
          : "* x%* is mmtests' star of 2018-10 to 2024-11: two-sided t-test at 0.10.";
  return out + verdicts_text(comparison) + "\n" +
         footer_text(
             comparison,
             std::string("(x%): change in % of base, turned so that + is better. ") +
                 std::string(star) +
                 " It takes runs for independent of each other and is no verdict of schedlab's.");
}

}  // namespace schedlab::report
