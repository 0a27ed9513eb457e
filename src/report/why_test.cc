// What --why says of each verdict, and that it says it within 80 columns whatever it gets.
#include "report/why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "report/report.h"

namespace schedlab::report {
namespace {

using compare::Comparison;
using compare::Row;
using compare::Verdict;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

compare::ArmSummary arm(double value) {
  compare::ArmSummary out;
  out.values = {value, value, value};
  out.mean = out.harmonic_mean = out.median = out.min = out.max = value;
  out.cv = 0.02;
  out.sd = 0.02 * value;
  return out;
}

Row row_of(Verdict verdict, double p, double p_adjusted, double p_tost) {
  Row row;
  row.workload = "hackbench";
  row.case_name = "hackbench -g 4";
  row.metric = {.name = "time",
                .unit = Unit::Seconds,
                .direction = Direction::LowerIsBetter,
                .metric_class = MetricClass::Time,
                .resolution = 0.001,
                .primary = true};
  row.base = arm(1.2);
  row.contender = arm(1.17);
  row.log_ratios = {0.02, 0.03, 0.025};
  row.verdict = verdict;
  compare::Effect effect;
  effect.ratio = 1.025;
  effect.interval95 = {1.015, 1.036};
  effect.interval90 = {1.017, 1.033};
  effect.hodges_lehmann = 1.026;
  effect.p_value = p;
  effect.p_adjusted = p_adjusted;
  effect.p_tost = p_tost;
  row.effect = effect;
  return row;
}

Comparison comparison_of(std::vector<Row> rows) {
  Comparison out;
  out.base = {"tip", "same"};
  out.contender = {"patch", "same"};
  out.rows = std::move(rows);
  return out;
}

std::string sentence(const Comparison& comparison, std::string_view topic, std::size_t row = 0) {
  for (const WhySentence& said : why_row(comparison, comparison.rows.at(row))) {
    if (said.topic == topic) return said.text;
  }
  return {};
}

TEST(Why, TellsWhatMadeAVerdict) {
  const auto better = comparison_of({row_of(Verdict::Better, 0.0004, 0.0011, 0.98)});
  EXPECT_THAT(
      sentence(better, "verdict"),
      AllOf(HasSubstr("better: p 0.0011 after Benjamini-Hochberg over 1 row lies below 0.05"),
            HasSubstr("TOST p 0.98")));
  EXPECT_THAT(sentence(better, "effect"),
              AllOf(HasSubstr("+2.5%, 95% interval [1.5, 3.6], 90% interval [1.7, 3.3]"),
                    HasSubstr("(Hodges-Lehmann) +2.6%, too few for an interval")));
  EXPECT_THAT(sentence(better, "test"),
              AllOf(HasSubstr("paired t: p 0.0004"), HasSubstr("Margin of same 1% (time)")));
  EXPECT_THAT(sentence(better, "instrument"),
              HasSubstr("step is 1.000 ms, 0.0855% of the median; the means differ by 30.00 ms"));

  Row same = row_of(Verdict::Same, 0.0004, 0.0011, 0.002);
  same.real_but_small = true;
  EXPECT_THAT(sentence(comparison_of({same}), "verdict"),
              AllOf(HasSubstr("same within 1%: the 90% interval [1.7, 3.3] lies within"),
                    HasSubstr("a change there is all the same: p 0.0011")));
}

TEST(Why, TellsWhatKeepsARowFromAVerdict) {
  const auto noise = comparison_of({row_of(Verdict::Inconclusive, 0.3, 0.4, 0.6)});
  EXPECT_THAT(sentence(noise, "verdict"),
              AllOf(HasSubstr("no difference is shown (p 0.3)"),
                    HasSubstr("smaller than 1% is not shown either (TOST p 0.6)")));
  const auto many = comparison_of({row_of(Verdict::Inconclusive, 0.03, 0.09, 0.6)});
  EXPECT_THAT(sentence(many, "verdict"),
              HasSubstr("p 0.03 alone would show a difference, but not p 0.09 after"));
  Row few = row_of(Verdict::Inconclusive, 0.3, 0.3, 0.6);
  few.log_ratios = {0.02, 0.03};
  EXPECT_THAT(sentence(comparison_of({few}), "verdict"), HasSubstr("2 blocks are too few"));
  Row modes = row_of(Verdict::Inconclusive, 0.003, 0.004, 0.6);
  modes.two_modes = true;
  EXPECT_THAT(sentence(comparison_of({modes}), "verdict"),
              HasSubstr("the ranks do not confirm it"));
  Row none = few;
  none.effect.reset();
  EXPECT_THAT(sentence(comparison_of({none}), "verdict"), HasSubstr("no effect to judge"));
}

TEST(Why, SaysWhenNothingWasCorrectedOrJudged) {
  Comparison comparison = comparison_of({row_of(Verdict::Better, 0.0004, 0.0004, 0.98)});
  comparison.correction = compare::Correction::None;
  EXPECT_THAT(sentence(comparison, "verdict"),
              HasSubstr("better: p 0.0004 (not corrected for many rows) lies below 0.05"));
  comparison.rows[0].metric.primary = false;
  EXPECT_THAT(sentence(comparison, "verdict"), HasSubstr("not judged: only primary metrics are"));
}

TEST(Why, NamesTheReplicatesAndWhatTheyShare) {
  Row row = row_of(Verdict::Inconclusive, 0.3, 0.4, 0.6);
  EXPECT_THAT(
      sentence(comparison_of({row}), "runs"),
      HasSubstr("3 runs of tip against 3 runs of patch in 3 blocks; a block gives one value"));
  row.replication = {.unit = compare::ReplicateUnit::Boot,
                     .paired = false,
                     .base_boots = 3,
                     .contender_boots = 2,
                     .base_builds = 1,
                     .contender_builds = 1,
                     .conditional = {}};
  row.log_ratios.clear();
  row.base_levels = {0, 0.1, 0.2};
  row.contender_levels = {0, 0.1};
  row.boot_plan = compare::BootPlan{.run_variance = 1e-4,
                                    .boot_variance = 4e-4,
                                    .runs_now = 2,
                                    .runs_per_boot = 5,
                                    .more_boots = 4,
                                    .run_seconds = 2,
                                    .boot_seconds = 120,
                                    .boot_cost_assumed = true};
  const Comparison boots = comparison_of({row});
  EXPECT_THAT(sentence(boots, "runs"),
              AllOf(HasSubstr("in 3 + 2 boots"), HasSubstr("compared as two samples")));
  EXPECT_THAT(sentence(boots, "boots"), HasSubstr("tip ran in 3 boots, patch in 2 boots"));
  EXPECT_THAT(sentence(boots, "test"), HasSubstr("Welch's t"));
  EXPECT_THAT(sentence(boots, "plan"),
              AllOf(HasSubstr("runs of a boot scatter by 1% (sd), boots by 2% more"),
                    HasSubstr("120 s (assumed)"),
                    HasSubstr("5 runs a boot")));
  EXPECT_THAT(sentence(boots, "decide"), HasSubstr("~4 more boots of 5 runs of each arm"));
  row.replication.conditional = "one boot of tip";
  EXPECT_THAT(sentence(comparison_of({row}), "boots"), HasSubstr("conditional on one boot of tip"));
}

TEST(Why, TellsEveryCheckAndMarksThoseThatWarn) {
  Row row = row_of(Verdict::Better, 0.001, 0.001, 0.9);
  compare::Check drift;
  drift.name = "effect_drift";
  drift.warns = true;
  drift.flag = "effect drifts: +3.0 %";
  drift.sentence = "drift of the effect: +3.0 % from the first to the last third (p 0.01)";
  row.checks = {drift};
  row.flags = {drift.flag, "base: 2 of 24 runs disturbed"};
  const std::string text = render(comparison_of({row}), Style::Native, Why{});
  EXPECT_THAT(text, HasSubstr("\n  effect drift ! drift of the effect: +3.0 %"));
  EXPECT_THAT(text, HasSubstr("\n  also           base: 2 of 24 runs disturbed\n"));
  EXPECT_THAT(sentence(comparison_of({row}), "also"), Not(HasSubstr("drifts")));
}

TEST(Why, ComparesWithTheControl) {
  Comparison comparison = comparison_of({row_of(Verdict::Better, 0.001, 0.001, 0.9)});
  EXPECT_THAT(sentence(comparison, "control"), HasSubstr("no A/A' control was run"));
  Row control = row_of(Verdict::Same, 0.5, 0.5, 0.01);
  control.effect->ratio = 1.002;
  control.effect->interval95 = {0.997, 1.007};
  comparison.control_rows = {control};
  EXPECT_THAT(sentence(comparison, "control"),
              HasSubstr("moved by +0.2% [-0.3, 0.7]: same within"));
}

TEST(Why, TellsAllSamplesTogetherWithTheirStep) {
  Row row = row_of(Verdict::Inconclusive, 0.3, 0.4, 0.6);
  row.metric.unit = Unit::Nanoseconds;
  row.merged = compare::MergedQuantile{.q = 0.99,
                                       .base = 9000,
                                       .contender = 8000,
                                       .bin_width = 1000,
                                       .difference = -1000,
                                       .ratio = 1.125,
                                       .interval95 = {1.01, 1.2},
                                       .resolution_limited = true};
  EXPECT_THAT(sentence(comparison_of({row}), "samples"),
              AllOf(HasSubstr("quantile 0.99 of all samples together: tip 9.000 us, patch 8.000 us"),
                    HasSubstr("a histogram step there is 1.000 us"),
                    HasSubstr("resolution-limited: the absolute difference is -1.000 us")));
}

TEST(Why, IsFilteredByCaseAndMetric) {
  Row other = row_of(Verdict::Same, 0.5, 0.5, 0.01);
  other.case_name = "schbench -m 1";
  other.metric.name = "rps_p50";
  const Comparison comparison = comparison_of({row_of(Verdict::Better, 0.001, 0.001, 0.9), other});
  EXPECT_THAT(why_text(comparison, "rps"),
              AllOf(HasSubstr("schbench -m 1, rps_p50"), Not(HasSubstr("hackbench"))));
  EXPECT_THAT(why_text(comparison, "hackbench"), Not(HasSubstr("schbench")));
  EXPECT_THAT(why_text(comparison, ""), AllOf(HasSubstr("hackbench"), HasSubstr("schbench")));
  EXPECT_THAT(why_text(comparison, "netperf\x1b"),
              HasSubstr("no row's case or metric contains 'netperf?'"));
}

TEST(Why, StandsInJsonWhenAskedFor) {
  const Comparison comparison = comparison_of({row_of(Verdict::Better, 0.001, 0.001, 0.9)});
  const auto plain = nlohmann::json::parse(render(comparison, Style::Json));
  EXPECT_FALSE(plain["rows"][0].contains("why"));
  EXPECT_EQ(plain["correction"], "bh");
  const auto asked = nlohmann::json::parse(render(comparison, Style::Json, Why{}));
  ASSERT_TRUE(asked["rows"][0].contains("why"));
  EXPECT_EQ(asked["rows"][0]["why"][0]["topic"], "verdict");
  const auto other = nlohmann::json::parse(render(comparison, Style::Json, Why{"schbench"}));
  EXPECT_FALSE(other["rows"][0].contains("why"));
}

TEST(Why, StaysWithin80ColumnsAndPrintable) {
  Row row = row_of(Verdict::Better, 0.001, 0.001, 0.9);
  row.case_name = "hackbench \x1b[2J " + std::string(300, 'x');
  row.metric.name = std::string(100, 'm') + "\n";
  row.flags = {std::string(200, 'f') + "\xff"};
  compare::Check check;
  check.name = "a very long name of a check indeed";
  check.sentence = "\x1b[31m" + std::string(200, 's');
  row.checks = {check};
  row.effect->ratio = 1e200;
  const std::string text = why_text(comparison_of({row}), "");
  for (const std::string_view line : split(text, '\n')) {
    EXPECT_LE(display_width(line), 80U) << line;
    EXPECT_EQ(printable(line, 1000), line);
  }
}

}  // namespace
}  // namespace schedlab::report
