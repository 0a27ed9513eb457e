// lkp-tests' comparison, as the 0-day robot mails it: mean and, beyond 2 %, its deviation for
// either arm, the raw change between them. Its columns are kept; what its rule would not list
// follows under a line that says so, and intervals and verdicts in a second table.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/text.h"
#include "report/frame.h"
#include "report/layout.h"
#include "report/lkp_figures.h"
#include "report/sections.h"
#include "report/styles.h"

namespace schedlab::report {

namespace {

using compare::Row;

constexpr std::size_t kBaseWidth = 10;
constexpr std::size_t kChangeWidth = 11;
constexpr std::size_t kNewWidth = 11;
constexpr std::size_t kSpreadWidth = 6;

/// As the robot's mails have them: two decimals below a thousand, none above, four digits from 1e8.
std::string number_text(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return "-";
  if (size >= 1e8) return fmt::format("{:.4g}", value);
  return fmt::format("{:.{}f}", value, size >= 1000 || value == std::trunc(value) ? 0 : 2);
}

/// " ±141%": cut off, not rounded; blank up to 2 %.
std::string spread_text(const LkpFigures& figures) {
  if (!(figures.stddev_percent > 2)) return std::string(kSpreadWidth, ' ');
  return fmt::format(" ±{:3.0f}%", std::floor(std::min(figures.stddev_percent, 999.0)));
}

/// The raw change in % of base; of a metric in % the difference itself, as lkp does.
std::string change_text(const Metric& metric, double base, double contender) {
  if (metric.unit == Unit::Percent) {
    return fmt::format("{:+{}.1f} ", contender - base, kChangeWidth - 1);
  }
  if (base == 0) return pad_left(contender == 0 ? "+0.0%" : "from 0 ", kChangeWidth);
  return fmt::format("{:+{}.1f}%", 100 * (contender - base) / base, kChangeWidth - 1);
}

std::string line_of(const Row& row) {
  const LkpFigures base = lkp_figures(row.base.values);
  const LkpFigures contender = lkp_figures(row.contender.values);
  return pad_left(base.n == 0 ? "-" : number_text(base.mean), kBaseWidth) + spread_text(base) +
         change_text(row.metric, base.mean, contender.mean) +
         pad_left(contender.n == 0 ? "-" : number_text(contender.mean), kNewWidth) +
         spread_text(contender) + "  " + safe(row.workload) + "." + safe(row.metric.name) + "\n";
}

bool is_listed(const Row& row) {
  return lkp_lists(row.base.values,
                   row.contender.values,
                   row.metric.primary ? kLkpLeastRatioOfResult : kLkpLeastRatio);
}

std::string case_head(const Row& row, const std::string& base, const std::string& contender) {
  std::string out = std::string(kPageWidth, '=') + "\n";
  out += wrap("testcase/parameters: ", "  ", safe(row.case_name));
  out += "\ncommit:\n  " + base + "\n  " + contender + "\n\n";
  out += pad_left(base, 16) + " " + pad_left(contender, 27) + "\n";
  out += std::string(16, '-') + " " + std::string(27, '-') + "\n";
  out += "         %stddev     %change         %stddev\n";
  out += "             \\          |                \\\n";
  return out;
}

std::string case_text(std::span<const Row> rows,
                      const std::string& base,
                      const std::string& contender) {
  std::string listed;
  std::string others;
  for (const Row& row : rows)
    (is_listed(row) ? listed : others) += line_of(row);
  std::string out = case_head(rows.front(), base, contender) + listed;
  if (!others.empty()) out += "not listed by lkp without -a:\n" + others;
  return out + "\n";
}

}  // namespace

std::string render_lkp(const compare::Comparison& comparison) {
  const std::string base = safe(comparison.base.name);
  const std::string contender = safe(comparison.contender.name);
  std::string out = header_text(comparison) + "\n";
  const std::vector<Row>& rows = comparison.rows;
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(
        first, rows.end(), [&](const Row& row) { return row.case_name != first->case_name; });
    out += case_text({first, last}, base, contender);
    first = last;
  }
  return out + verdicts_text(comparison) + "\n" +
         footer_text(
             comparison,
             "That holds for the verdicts; %change is raw: 100 (new - base) / base, + is "
             "more, of a metric in % the difference. %stddev: population standard deviation "
             "in % of the mean, from 2% on, cut off. Listed by lkp: one arm's least run "
             "above the other's median and its median above the other's greatest run, "
             "medians 1% apart (5% where not primary). That rule takes runs for independent "
             "of each other and is no verdict of schedlab's.");
}

}  // namespace schedlab::report
