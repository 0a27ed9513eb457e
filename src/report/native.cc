// The native style: 80 columns, one line per row under its case, the doubts under the row, and a
// frame that says what was compared, how, and how to repeat it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "core/text.h"
#include "report/frame.h"
#include "report/layout.h"
#include "report/styles.h"

namespace schedlab::report {

namespace {

using compare::Row;
using compare::Verdict;

/// One row's cells: metric, two halves per arm and of the effect, verdict, blocks.
using Cells = std::array<std::string, 9>;

struct Column {
  bool right;       // aligned to its right edge
  std::size_t gap;  // blanks in front
};

constexpr std::array<Column, 9> kColumns = {{{false, 1},
                                             {true, 1},
                                             {false, 1},
                                             {true, 2},
                                             {false, 1},
                                             {true, 2},
                                             {false, 1},
                                             {false, 2},
                                             {false, 1}}};
constexpr std::size_t kVerdictColumn = 7;
constexpr std::size_t kBlocksColumn = 8;
constexpr std::size_t kMetricWidth = 12;

std::string value_text(const Row& row, const compare::ArmSummary& arm) {
  if (arm.values.empty()) return "no run";
  return format_value(row.two_modes ? arm.median : arm.mean, row.metric.unit);
}

/// Of an arm with two modes nothing: each mode's place is told below the row.
std::string dispersion_text(const Row& row, const compare::ArmSummary& arm) {
  if (arm.values.empty()) return "";
  if (arm.values.size() < 2) return "1 run";
  if (row.two_modes) return "med.";
  const double percent = arm.cv * 100;
  if (!std::isfinite(percent)) return "";
  return percent >= 0.95 ? fmt::format("+-{:.0f}%", percent) : fmt::format("+-{:.1f}%", percent);
}

Cells cells_of(const Row& row) {
  Cells cells;
  cells[0] = safe(row.metric.name);
  cells[1] = value_text(row, row.base);
  cells[2] = dispersion_text(row, row.base);
  cells[3] = value_text(row, row.contender);
  cells[4] = dispersion_text(row, row.contender);
  const auto headline = compare::headline_of(row);
  const int decimals = headline && headline->interval95 ? decimals_for(*headline->interval95) : 1;
  if (headline) cells[5] = percent_change(headline->ratio, decimals);
  cells[6] = headline && headline->interval95 ? interval_text(*headline->interval95, decimals)
                                              : "[unknown]";
  cells[kVerdictColumn] = verdict_text(row);
  cells[kBlocksColumn] = "(" + replicates_text(row) + ")";
  return cells;
}

/// Widths of the columns of one table, and whether each row's count of blocks fits beside it.
class Table {
 public:
  explicit Table(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      const Cells cells = cells_of(row);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::size_t wanted = display_width(cells[i]);
        if (i == 0 && wanted > kMetricWidth) continue;  // it gets a line of its own
        widths_[i] = std::max(widths_[i], wanted);
      }
    }
    std::size_t total = 0;
    for (std::size_t i = 0; i < kColumns.size(); ++i)
      total += kColumns[i].gap + widths_[i];
    shows_blocks_ = total <= kPageWidth;
  }

  [[nodiscard]] std::string line(const Row& row) const {
    const Cells cells = cells_of(row);
    const bool long_name = display_width(cells[0]) > kMetricWidth;
    std::string out = long_name ? wrap(" ", "   ", cells[0]) : "";
    std::string current;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i == kBlocksColumn && !shows_blocks_) continue;
      const std::string cell = i == 0 && long_name ? "" : cells[i];
      const std::string placed = current + std::string(kColumns[i].gap, ' ') +
                                 (kColumns[i].right ? pad_left(cell, widths_[i]) : cell);
      if (display_width(placed) <= kPageWidth) {
        current = pad_right(placed, end_of(i));
      } else if (const auto squeezed = squeeze(current, cell)) {
        current = *squeezed;
      } else {
        out += without_tail(current) + "\n";
        current = "    " + cell;
      }
    }
    return out + without_tail(current) + "\n";
  }

  /// The arms' names over their figures.
  [[nodiscard]] std::string heading(const std::string& base,
                                    const std::string& contender,
                                    const std::string& interval) const {
    const std::size_t base_end = end_of(2);
    const std::size_t contender_end = end_of(4);
    std::string out = pad_left(base, base_end);
    const std::size_t room =
        contender_end > display_width(out) ? contender_end - display_width(out) : 0;
    out += pad_left("  " + contender, room);
    out += "  change [" + interval + "]";
    return display_width(out) <= kPageWidth ? out + "\n" : wrap("  ", "  ", out);
  }

  [[nodiscard]] bool shows_blocks() const { return shows_blocks_; }

 private:
  /// `cell` against the right edge of the page, where the blanks before it leave room for that.
  static std::optional<std::string> squeeze(const std::string& current, const std::string& cell) {
    const std::string bare = without_tail(current);
    const std::size_t taken = display_width(bare) + display_width(cell);
    if (bare.empty() || taken + 1 > kPageWidth) return std::nullopt;
    return bare + std::string(kPageWidth - taken, ' ') + cell;
  }

  static std::string without_tail(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  [[nodiscard]] std::size_t end_of(std::size_t column) const {
    std::size_t end = 0;
    for (std::size_t i = 0; i <= column; ++i)
      end += kColumns[i].gap + widths_[i];
    return end;
  }

  std::array<std::size_t, 9> widths_{};
  bool shows_blocks_ = true;
};

/// Whether the rank-based interval takes back what the t interval says.
bool ranks_disagree(const Row& row) {
  if (row.two_modes || !row.effect || !row.effect->hl_interval95) return false;
  if (row.verdict != Verdict::Better && row.verdict != Verdict::Worse) return false;
  return row.effect->hl_interval95->low <= 1 && row.effect->hl_interval95->high >= 1;
}

using Flags = std::vector<std::string>;

bool contains(const Flags& flags, const std::string& flag) {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

/// What every row of a case of several rows is flagged with: told once for the case.
Flags shared_flags(std::span<const Row> rows_of_case) {
  Flags shared;
  if (rows_of_case.size() < 2) return shared;
  for (const std::string& flag : rows_of_case.front().flags) {
    const bool everywhere = std::all_of(rows_of_case.begin(),
                                        rows_of_case.end(),
                                        [&](const Row& row) { return contains(row.flags, flag); });
    if (everywhere) shared.push_back(flag);
  }
  return shared;
}

std::string doubt_line(const std::string& text) {
  return wrap("    ", "      ", text);
}

Flags without(const Flags& flags, const Flags& shared) {
  Flags own;
  std::copy_if(flags.begin(), flags.end(), std::back_inserter(own), [&](const std::string& flag) {
    return !contains(shared, flag);
  });
  return own;
}

/// What the figures of the row come from, where its line has no place for that.
std::string source_of(const Row& row, const Table& table, std::int32_t blocks) {
  if (table.shows_blocks()) return {};
  if (row.replication.unit != compare::ReplicateUnit::Block) return "from " + replicates_text(row);
  const auto counted_blocks = static_cast<std::int32_t>(row.log_ratios.size());
  if (counted_blocks == blocks) return {};
  return "from " + replicates_text(row) + (counted_blocks < blocks ? " only" : "");
}

struct Surroundings {
  Flags shared;             // by all rows of the case
  std::int32_t blocks = 0;  // of the whole table
  std::string conditional;  // of the whole table
  bool control = false;
};

std::string doubts_of(const Row& row, const Table& table, const Surroundings& around) {
  std::string out;
  const auto say = [&](const std::string& text) { out += doubt_line(text); };
  const bool judged = is_judged(row);
  const std::string further = further_text(row);
  if (!further.empty()) say(further + " would decide");
  if (row.real_but_small) say("real, but smaller than the margin of " + plain_percent(row.delta));
  if (judged && ranks_disagree(row)) {
    const int decimals = decimals_for(*row.effect->hl_interval95);
    say(fmt::format("ranks do not confirm it: Hodges-Lehmann {} {}",
                    percent_change(row.effect->hodges_lehmann, decimals),
                    interval_text(*row.effect->hl_interval95, decimals)));
  }
  if (row.replication.conditional != around.conditional && !row.replication.conditional.empty()) {
    say("conditional on " + safe(row.replication.conditional));
  }
  out += few_flags(without(row.flags, around.shared), "    ", "      ");
  if (row.two_modes) {
    say("figures are medians, change is Hodges-Lehmann's (a mean describes neither mode); the "
        "verdict is by t and only where these ranks confirm it");
  }
  const std::string source = source_of(row, table, around.blocks);
  if (!source.empty()) say(source);
  if (around.control && (row.verdict == Verdict::Better || row.verdict == Verdict::Worse) &&
      judged) {
    say("the same against itself differs: distrust the verdicts of this case");
  }
  return out;
}

std::string rows_text(const std::vector<Row>& rows,
                      const std::string& base,
                      const std::string& contender,
                      const std::string& interval,
                      Surroundings around) {
  const Table table(rows);
  std::string out = table.heading(base, contender, interval);
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(
        first, rows.end(), [&](const Row& row) { return row.case_name != first->case_name; });
    around.shared = shared_flags({first, last});
    const std::string programs = programs_text(*first, base, contender);
    out += wrap("",
                "  ",
                safe(first->case_name.empty() ? first->workload : first->case_name) +
                    (programs.empty() ? "" : " (" + programs + ")"));
    for (; first != last; ++first)
      out += table.line(*first) + doubts_of(*first, table, around);
    out += few_flags(around.shared, "    all rows: ", "      ");
  }
  return out;
}

Surroundings surroundings_of(const compare::Comparison& comparison, bool control) {
  Surroundings around;
  around.blocks = comparison.blocks_complete;
  around.conditional = comparison.conditional;
  around.control = control;
  return around;
}

/// In the table itself: a footer is easily left out of a mail.
std::string conditional_text(const compare::Comparison& comparison) {
  if (comparison.conditional.empty()) return {};
  return wrap("",
              "  ",
              fmt::format("All verdicts above are conditional on {}; another may give another.",
                          safe(comparison.conditional)));
}

std::string control_name(const compare::Comparison& comparison) {
  for (const Arm& arm : comparison.experiment.arms) {
    if (arm.name != comparison.base.name && arm.name != comparison.contender.name) {
      return safe(arm.name);
    }
  }
  return "control";
}

}  // namespace

std::string render_native(const compare::Comparison& comparison) {
  const std::string base = safe(comparison.base.name);
  const std::string contender = safe(comparison.contender.name);
  std::string out = header_text(comparison) + "\n";
  if (comparison.rows.empty()) {
    out += "no row: no run of both arms gave a metric to compare\n";
  } else {
    out += rows_text(comparison.rows,
                     base,
                     contender,
                     interval_name(comparison),
                     surroundings_of(comparison, /*control=*/false));
    out += conditional_text(comparison);
  }
  if (!comparison.control_rows.empty()) {
    const std::string control = control_name(comparison);
    out +=
        "\n" +
        wrap("",
             "",
             fmt::format("A/A' control: {} against {}, which is set up alike. What differs here is "
                         "noise; a change of this size above is not to be told from it.",
                         control,
                         base));
    out += rows_text(comparison.control_rows,
                     base,
                     control,
                     interval_name(comparison),
                     surroundings_of(comparison, /*control=*/true));
  }
  return out + "\n" +
         footer_text(comparison,
                     "Figures are means of runs, +- their standard deviation in % of the mean.");
}

}  // namespace schedlab::report
