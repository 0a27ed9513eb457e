// The tables' exact columns, and what programs read. Whole reports: tests/golden.
#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/rng.h"
#include "core/text.h"
#include "report/layout.h"
#include "report/sections.h"

namespace schedlab::report {
namespace {

using compare::ArmSummary;
using compare::Comparison;
using compare::Row;
using compare::Verdict;
using testing::HasSubstr;
using testing::Not;

/// An arm whose every kind of mean is `value`.
ArmSummary arm(double value, double cv_percent) {
  ArmSummary out;
  out.values = {value, value};
  out.mean = out.harmonic_mean = out.median = out.min = out.max = value;
  out.cv = cv_percent / 100;
  out.sd = out.cv * value;
  return out;
}

Row hackbench_row(const std::string& load, double base, double contender) {
  Row row;
  row.workload = "hackbench";
  row.case_name = "hackbench -g " + load;
  row.metric = {.name = "time",
                .unit = Unit::Seconds,
                .direction = Direction::LowerIsBetter,
                .metric_class = MetricClass::Time,
                .primary = true};
  row.base = arm(base, 2.11);
  row.contender = arm(contender, 2.60);
  return row;
}

compare::Effect effect_of(double ratio, compare::Interval interval95) {
  compare::Effect out;
  out.ratio = ratio;
  out.interval95 = interval95;
  return out;
}

Comparison comparison_of(std::vector<Row> rows) {
  Comparison out;
  out.base = {"tip", "same"};
  out.contender = {"patch", "same"};
  out.rows = std::move(rows);
  return out;
}

TEST(ParseStyle, KnowsEveryStyleAndTheNearest) {
  for (const std::string_view name :
       {"native", "amd", "amd-cv", "mmtests", "mmtests-old", "lkp", "json", "csv"})
    EXPECT_TRUE(parse_style(name)) << name;
  EXPECT_EQ(parse_style("amd-cv").value(), Style::AmdCv);
  const auto typo = parse_style("mmtest");
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().kind, Error::Kind::Usage);
  EXPECT_THAT(typo.error().message, HasSubstr("did you mean 'mmtests'?"));
  EXPECT_THAT(parse_style("\x1b[2J").error().message, Not(HasSubstr("\x1b")));
}

// The lines of the mails that made the style known.
TEST(Amd, ColumnsAreThoseOfTheMails) {
  std::vector<Row> rows = {hackbench_row("1", 4.73, 4.70), hackbench_row("8", 5.97, 6.30)};
  rows[1].verdict = Verdict::Worse;
  const std::string text = render(comparison_of(rows), Style::Amd);
  EXPECT_THAT(text, HasSubstr("\nTest:                   tip                   patch\n"));
  EXPECT_THAT(text, HasSubstr("\n 1-groups:         4.73 (0.00 pct)         4.70 (0.63 pct)\n"));
  EXPECT_THAT(text,
              HasSubstr("\n 8-groups:         5.97 (0.00 pct)         6.30 (-5.52 pct)     *\n"));
}

TEST(Amd, TruncatesAndDoesNotRound) {
  const std::string text = render(comparison_of({hackbench_row("1", 31, 23)}), Style::Amd);
  EXPECT_THAT(text, HasSubstr("(25.80 pct)"));
  EXPECT_THAT(render(comparison_of({hackbench_row("1", 100, 99.71)}), Style::Amd),
              HasSubstr("(0.29 pct)"))
      << "0.29 is a little less in binary";
}

TEST(Amd, MarksAGainByItsVerdict) {
  Row row = hackbench_row("1", 4.73, 4.00);
  EXPECT_THAT(render(comparison_of({row}), Style::Amd), Not(HasSubstr("pct)     ^")));
  row.verdict = Verdict::Better;
  EXPECT_THAT(render(comparison_of({row}), Style::Amd), HasSubstr("(15.43 pct)     ^\n"));
}

TEST(AmdCv, ColumnsAreThoseOfTheMails) {
  const std::string text = render(comparison_of({hackbench_row("1", 10, 10.108)}), Style::AmdCv);
  EXPECT_THAT(text,
              HasSubstr("==================================================================\n"
                        "Test          : hackbench\n"
                        "Units         : Normalized time in seconds\n"
                        "Interpretation: Lower is better\n"
                        "Statistic     : AMean\n"
                        "==================================================================\n"
                        "Case:           tip[pct imp](CV)    patch[pct imp](CV)\n"
                        " 1-groups     1.00 [ -0.00]( 2.11)     1.01 [ -1.08]( 2.60)\n"));
}

TEST(AmdCv, ThroughputRowsHaveAPlainZeroAndSchbenchItsMedian) {
  Row row = hackbench_row("1", 1000, 1022.9);
  row.metric.direction = Direction::HigherIsBetter;
  row.metric.unit = Unit::PerSecond;
  const std::string text = render(comparison_of({row}), Style::AmdCv);
  EXPECT_THAT(text, HasSubstr("     1.00 [  0.00]( 2.11)     1.02 [  2.29]( 2.60)\n"));
  EXPECT_THAT(text, HasSubstr("Interpretation: Higher is better\nStatistic     : HMean\n"));
  row.workload = "schbench";
  EXPECT_THAT(render(comparison_of({row}), Style::AmdCv), HasSubstr("Statistic     : Median\n"));
}

TEST(Mmtests, ColumnsAreThoseOfTheTool) {
  std::vector<Row> rows = {hackbench_row("1", 0.26567, 0.21800),
                           hackbench_row("21", 2.0363, 1.9610)};
  rows[0].base.values = {0.16567, 0.36567};  // far apart: no star
  rows[1].base.values = {2.0363, 2.0363};
  Comparison comparison = comparison_of(rows);
  comparison.base.name = "6.18-rc1-vanilla";
  comparison.contender.name = "6.18-rc1-sched-preemptnext";
  const std::string text = render(comparison, Style::Mmtests);
  EXPECT_THAT(text,
              HasSubstr("\n                            6.18-rc1               6.18-rc1\n"
                        "                             vanilla      sched-preemptnext\n"));
  EXPECT_THAT(text,
              HasSubstr("\nAmean     1        0.2657 (   0.00%)      0.2180 (  17.94%)\n"
                        "Amean     21       2.0363 (   0.00%)      1.9610 *   3.70%*\n"));
  EXPECT_THAT(text, HasSubstr("since 2024-11-28"));
  EXPECT_THAT(render(comparison, Style::MmtestsOld), HasSubstr("t-test at 0.10"));
}

TEST(Mmtests, RowsFollowTheSummaryClass) {
  const auto statistics = [](const std::string& text) {
    std::vector<std::string> names;
    for (const std::string_view line : split(text, '\n')) {
      if (line.find("(   0.00%)") != std::string_view::npos)
        names.emplace_back(words(line).front());
    }
    return names;
  };
  Row row = hackbench_row("1", 1, 1);
  EXPECT_THAT(statistics(render(comparison_of({row}), Style::Mmtests)),
              testing::ElementsAre("Min", "Amean", "Stddev", "CoeffVar", "Max", "BAmean.95"));
  row.workload = "schbench";
  row.metric.direction = Direction::HigherIsBetter;
  EXPECT_THAT(
      statistics(render(comparison_of({row}), Style::Mmtests)),
      testing::ElementsAre("Min", "Hmean", "BHmean.95", "Pctile.95", "Stddev", "CoeffVar", "Max"));
}

TEST(Sections, TakeTheLoadOutOfTheCase) {
  Comparison comparison;
  for (const char* name : {"hackbench -p -g 4 -T",
                           "hackbench -p --groups=8 -T",
                           "hackbench -p -g16 -T",
                           "hackbench -p -T",
                           "hackbench -g"}) {
    comparison.rows.push_back(hackbench_row("1", 1, 1));
    comparison.rows.back().case_name = name;
  }
  const auto sections = sections_of(comparison);
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].test, "hackbench -p -T");
  ASSERT_EQ(sections[0].lines.size(), 4U);
  EXPECT_EQ(load_label(sections[0], sections[0].lines[0]), "4-groups");
  EXPECT_EQ(load_label(sections[0], sections[0].lines[1]), "8-groups");
  EXPECT_EQ(load_label(sections[0], sections[0].lines[2]), "16-groups");
  EXPECT_EQ(load_label(sections[0], sections[0].lines[3]), "default");
  EXPECT_EQ(sections[1].test, "hackbench -g");
}

TEST(Sections, DescribeAMetricInWords) {
  EXPECT_EQ(described({.name = "wakeup_p99"}), "99th percentile wakeup latency");
  EXPECT_EQ(described({.name = "wakeup_p999"}), "99.9th percentile wakeup latency");
  EXPECT_EQ(described({.name = "rps_p50"}), "median requests per second");
  EXPECT_EQ(described({.name = "time"}), "time");
  EXPECT_EQ(described({.name = "odd_p"}), "odd_p");
}

TEST(Json, HoldsEverythingAndNothingThatIsNotJson) {
  Comparison comparison = comparison_of({hackbench_row("1", 4.73, std::nan(""))});
  comparison.rows[0].case_name = "bad \xff\x1b \u4e2d";
  comparison.rows[0].effect = effect_of(1.02, {1.01, 1.03});
  comparison.experiment.seed = UINT64_MAX;
  const std::string text = render(comparison, Style::Json);
  for (const char c : text)
    ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F));
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["schema"], "schedlab-comparison");
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["experiment"]["seed"], "18446744073709551615");
  const auto& row = json["rows"][0];
  EXPECT_EQ(row["metric"]["unit"], "s");
  EXPECT_EQ(row["base"]["mean"], 4.73);
  EXPECT_TRUE(row["new"]["mean"].is_null());
  EXPECT_EQ(row["effect"]["interval95"]["high"], 1.03);
  EXPECT_TRUE(row["effect"]["hl_interval95"].is_null());
  EXPECT_EQ(row["verdict"], "inconclusive");
}

TEST(Programs, AreNamedUnlessBothAreNative) {
  Row row = hackbench_row("1", 4.73, 4.00);
  row.base.mode = row.contender.mode = "native";
  row.base.workload_version = row.contender.workload_version = "1";
  EXPECT_EQ(programs_text(row, "tip", "patch"), "");
  row.base.mode = "external:hackbench";
  const std::string both = "tip external:hackbench version 1, patch native version 1";
  EXPECT_EQ(programs_text(row, "tip", "patch"), both);
  for (const Style style : {Style::Native, Style::Amd, Style::Mmtests})
    EXPECT_THAT(render(comparison_of({row}), style), HasSubstr(both));
  EXPECT_THAT(render(comparison_of({row}), Style::Csv),
              HasSubstr(",external:hackbench,1,native,1,"));
  const auto json = nlohmann::json::parse(render(comparison_of({row}), Style::Json));
  EXPECT_EQ(json["rows"][0]["base"]["mode"], "external:hackbench");
  EXPECT_EQ(json["rows"][0]["new"]["workload_version"], "1");
  row.base.mode = row.contender.mode = "classic";
  EXPECT_EQ(programs_text(row, "tip", "patch"), "classic version 1");
}

TEST(Verdict, IsTheSameWordInEveryStyle) {
  Row row = hackbench_row("1", 4.73, 4.00);
  row.verdict = Verdict::Better;
  row.metric.primary = false;
  const Comparison comparison = comparison_of({row});
  const auto json = nlohmann::json::parse(render(comparison, Style::Json));
  EXPECT_EQ(json["rows"][0]["verdict"], "not judged");
  for (const Style style : {Style::Native, Style::Amd, Style::Csv}) {
    EXPECT_THAT(render(comparison, style), HasSubstr("not judged"));
  }
}

TEST(Frame, CountsTheRowsThatWereTested) {
  std::vector<Row> rows = {hackbench_row("1", 1, 1), hackbench_row("2", 1, 1)};
  rows[0].effect = effect_of(1.02, {1.01, 1.03});
  EXPECT_THAT(render(comparison_of(rows), Style::Amd),
              HasSubstr("Benjamini-Hochberg over 1 primary row (1 more without an effect to\n"));
}

TEST(Frame, NamesTheRuleThatEndedThePlanAndItsCost) {
  Row row = hackbench_row("1", 4.73, 4.70);
  row.effect = effect_of(1.02, {1.01, 1.03});
  Comparison comparison = comparison_of({row});
  comparison.experiment.blocks_planned = 200;
  comparison.blocks_complete = 14;
  comparison.experiment.stopping.when = StopWhen::Clear;
  comparison.ending = {.reason = compare::StopReason::Clear,
                       .blocks_done = 14,
                       .rows = 1,
                       .rows_settled = 1,
                       .runs = 56,
                       .elapsed = std::chrono::minutes(2)};
  for (const Style style : {Style::Native, Style::Amd}) {
    const std::string text = render(comparison, style);
    EXPECT_THAT(text, HasSubstr("95% anytime interval"));
    EXPECT_THAT(text, HasSubstr("14 complete blocks of 200 at most"));
    EXPECT_THAT(text, HasSubstr("stopping    until clear, at most 200 blocks, watched block by"));
    EXPECT_THAT(text, HasSubstr("56 runs in 120s"));
    EXPECT_THAT(text, HasSubstr("Holm over 1 primary row"));
  }
  const auto json = nlohmann::json::parse(render(comparison, Style::Json));
  EXPECT_EQ(json["stopping"]["reason"], "clear");
  comparison.experiment.stopping = {};
  EXPECT_FALSE(nlohmann::json::parse(render(comparison, Style::Json)).contains("stopping"));
}

TEST(Frame, SaysWhatAPlanLeftOpen) {
  Comparison comparison = comparison_of({hackbench_row("1", 4.73, 4.70)});
  comparison.experiment.blocks_planned = 12;
  comparison.experiment.stopping = {.when = StopWhen::Looks, .looks = 4};
  comparison.ending = {.blocks_done = 9, .looks_reached = 3, .rows = 1};
  const auto says = [&](compare::StopReason reason, const std::string& words) {
    comparison.ending.reason = reason;
    std::string text = render(comparison, Style::Native);
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::string single;
    for (const char c : text)
      if (c != ' ' || single.empty() || single.back() != ' ') single += c;
    EXPECT_THAT(single, HasSubstr(words));
  };
  says(compare::StopReason::NotEnded,
       "3 of 4 looks used (Lan-DeMets, O'Brien-Fleming's shape): not ended by its rule after 9 "
       "blocks, 0 of 1 primary row decided");
  says(compare::StopReason::Blocks, "all its blocks run, 0 of 1 primary row decided");
  says(compare::StopReason::OutOfTime, "out of time after 9 blocks, 0 of 1");
  comparison.ending.rows_hopeless = 1;
  says(compare::StopReason::Futile,
       "given up after 9 blocks: 1 row cannot be decided within the plan");
}

TEST(Native, HasNoIntervalWhereEveryRatioIsPossible) {
  Row row = hackbench_row("1", 4.73, 4.70);
  row.effect = effect_of(1.02, {0, std::numeric_limits<double>::infinity()});
  EXPECT_THAT(render(comparison_of({row}), Style::Native), HasSubstr("[unknown]"));
}

TEST(Native, ShowsTheRanksOfARowWithTwoModes) {
  Row row = hackbench_row("1", 4.73, 4.00);
  row.effect = effect_of(1.5, {1.2, 1.8});
  row.effect->hodges_lehmann = 1.03;
  row.effect->hl_interval95 = compare::Interval{0.98, 1.08};
  EXPECT_THAT(render(comparison_of({row}), Style::Native), HasSubstr("+50% [20, 80]"));
  row.two_modes = true;
  for (const Style style : {Style::Native, Style::Amd}) {
    const std::string text = render(comparison_of({row}), style);
    EXPECT_THAT(text, HasSubstr("+3.0% [-2.0, 8.0]"));
    EXPECT_THAT(text, HasSubstr("Hodges-Lehmann"));
    EXPECT_THAT(text, Not(HasSubstr("+50%")));
  }
}

/// Fields of one record of RFC 4180 text without its CRLF.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

TEST(Csv, EveryRecordHasTheHeadsFields) {
  Comparison comparison = comparison_of({hackbench_row("1", 4.73, 4.70), hackbench_row("2", 1, 1)});
  comparison.rows[0].case_name = "a,\"b\"\r\nc";
  comparison.rows[1].effect = effect_of(1.5, {1.2, 1.8});
  comparison.rows[1].effect->hl_interval95 = compare::Interval{1.25, 2};
  comparison.control_rows = {hackbench_row("1", 1, 1)};
  const std::string text = render(comparison, Style::Csv);
  std::vector<std::vector<std::string>> records;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    ASSERT_EQ(line.back(), '\r');
    records.push_back(csv_fields(line.substr(0, line.size() - 1)));
  }
  ASSERT_EQ(records.size(), 4U);
  for (const auto& record : records)
    EXPECT_EQ(record.size(), records[0].size());
  EXPECT_EQ(records[1][2], "a,\"b\"??c");
  const auto column = [&](std::string_view head) {
    return static_cast<std::size_t>(std::find(records[0].begin(), records[0].end(), head) -
                                    records[0].begin());
  };
  EXPECT_EQ(records[2][column("change_percent")], "50");
  EXPECT_EQ(records[2][column("hl_high95_percent")], "100");
  EXPECT_EQ(records[1][column("change_percent")], "");
  EXPECT_EQ(records[3][0], "control");
}

/// Any figures and texts, as a damaged store might hand them over.
Comparison random_comparison(Rng& rng) {
  const auto text = [&] {
    std::string out(rng.below(rng.below(3) == 0 ? 150 : 12), ' ');
    for (char& c : out)
      c = static_cast<char>(rng.below(256));
    return out;
  };
  const auto number = [&] { return std::exp(static_cast<double>(rng.below(90)) - 45); };
  Comparison out;
  out.base = {text(), text()};
  out.contender = {text(), text()};
  out.experiment.command = {text(), text(), text()};
  out.notes = {text()};
  out.environment_differences = {{text(), text(), text()}};
  for (std::uint64_t i = rng.below(6); i > 0; --i) {
    Row row = hackbench_row(text(), number(), number());
    row.metric.name = rng.below(2) == 0 ? "time" : text();
    row.metric.unit = static_cast<Unit>(rng.below(6));
    row.metric.primary = rng.below(4) != 0;
    row.verdict = static_cast<Verdict>(rng.below(4));
    row.flags = {text()};
    row.log_ratios.resize(rng.below(200));
    row.resolution_limited = rng.below(2) == 0;
    if (rng.below(3) != 0) row.effect = effect_of(number(), {number(), number()});
    if (rng.below(3) != 0) row.more_blocks = static_cast<std::int64_t>(rng.next() >> 1U);
    if (rng.below(4) == 0) row.base.values.clear();
    out.rows.push_back(row);
  }
  return out;
}

TEST(Native, IsAtMost80ColumnsAndPrintableWhateverItGets) {
  Rng rng(20'260'102);
  for (int round = 0; round < 500; ++round) {
    const std::string text = render(random_comparison(rng), Style::Native);
    ASSERT_EQ(text.back(), '\n');
    for (const std::string_view line : split(text, '\n')) {
      ASSERT_LE(display_width(line), 80U) << "round " << round << ": " << line;
      ASSERT_EQ(printable(line, 1000), line) << "round " << round;
    }
  }
}

TEST(Native, NeverSaysNoChange) {
  Rng rng(5);
  for (int round = 0; round < 100; ++round) {
    EXPECT_THAT(render(random_comparison(rng), Style::Native), Not(HasSubstr("no change")));
  }
}

TEST(AllStyles, SurviveAnything) {
  Rng rng(6);
  for (int round = 0; round < 100; ++round) {
    const Comparison comparison = random_comparison(rng);
    for (const Style style :
         {Style::Amd, Style::AmdCv, Style::Mmtests, Style::MmtestsOld, Style::Json, Style::Csv})
      ASSERT_FALSE(render(comparison, style).empty());
  }
}

}  // namespace
}  // namespace schedlab::report
