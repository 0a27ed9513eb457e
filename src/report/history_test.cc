#include "report/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/rng.h"
#include "core/text.h"

namespace schedlab::report {
namespace {

using compare::CaseHistory;
using compare::History;
using compare::HistoryPoint;
using compare::HistoryUnit;
using compare::LevelChange;
using testing::HasSubstr;
using testing::Not;

HistoryPoint point_of(const std::string& label, std::vector<double> values) {
  HistoryPoint point;
  point.label = label;
  point.experiment = ExperimentId{4};
  point.arm = {label, "same"};
  point.boots = 1;
  point.summary = stats::summarise(values);
  point.values = std::move(values);
  return point;
}

/// v0 .. v5 at 1 s, v6 .. v9 at 1.1 s; the change may begin at v5.
History step_history() {
  CaseHistory of_case;
  of_case.workload = "hackbench";
  of_case.case_name = "hackbench -p -g 4";
  of_case.metric = {.name = "time",
                    .unit = Unit::Seconds,
                    .direction = Direction::LowerIsBetter,
                    .metric_class = MetricClass::Time,
                    .primary = true};
  of_case.unit = HistoryUnit::Boot;
  for (int i = 0; i < 10; ++i) {
    const double level = i < 6 ? 1.0 : 1.1;
    of_case.points.push_back(
        point_of("v" + std::to_string(i), {0.99 * level, level, 1.01 * level}));
  }
  LevelChange change;
  change.index = 6;
  change.low = 5;
  change.high = 6;
  change.p = 0.001;
  change.by_pelt = true;
  change.before = 1.0;
  change.after = 1.1;
  change.values_before = 18;
  change.values_after = 12;
  change.ratio = 1 / 1.1;
  change.ratio_interval = compare::Interval{0.9, 0.92};
  change.by_ranks = true;
  of_case.changes = {change};
  of_case.permutations = 999;
  History history;
  history.metric = "time";
  history.machine.hostname = "lab7";
  history.experiments = 1;
  history.tool_version = "0.1.0";
  history.cases = {of_case};
  return history;
}

TEST(HistoryText, HasALinePerArmAndMarksTheChange) {
  const std::string text = render_history(step_history(), Style::Native);
  std::vector<std::string> marks;
  for (const std::string_view line : split(text, '\n')) {
    const auto word = words(line);
    if (word.size() > 3 && (line.substr(0, 3) == "  v" || line.substr(2, 1) == "v")) {
      marks.push_back(std::string(line.substr(0, 2)) + std::string(line.substr(2, 2)));
    }
  }
  EXPECT_THAT(
      marks,
      testing::ElementsAre(
          "  v0", "  v1", "  v2", "  v3", "  v4", ": v5", "> v6", "  v7", "  v8", "  v9", "> v6"));
  EXPECT_THAT(text, HasSubstr("> v6: -9.1% [-10.0, -8.0] worse, 1.000 s to 1.100 s (values: 18"));
  EXPECT_THAT(text, HasSubstr("0.001; PELT too; may begin anywhere from v5 to v6\n"));
}

TEST(HistoryText, SaysThatNothingWasFoundAndWhatPeltAloneSays) {
  History history = step_history();
  LevelChange hint = history.cases[0].changes[0];
  hint.p.reset();
  history.cases[0].changes.clear();
  std::string text = render_history(history, Style::Native);
  EXPECT_THAT(text, HasSubstr("no change found\n"));
  EXPECT_THAT(text, Not(HasSubstr("PELT alone")));
  history.cases[0].hints = {hint};
  text = render_history(history, Style::Native);
  EXPECT_THAT(text, HasSubstr("no change found\nby PELT alone, which has no error rate:\n  v6: "));
}

TEST(HistoryText, DescriptiveMetricsAreNeitherBetterNorWorse) {
  History history = step_history();
  history.cases[0].metric.direction = Direction::Descriptive;
  const std::string text = render_history(history, Style::Native);
  EXPECT_THAT(text, HasSubstr("] less, "));
  EXPECT_THAT(text, Not(HasSubstr("worse")));
}

/// Any figures and texts, as a damaged store might hand them over.
History random_history(Rng& rng) {
  const auto text = [&] {
    std::string out(rng.below(rng.below(3) == 0 ? 150 : 12), ' ');
    for (char& c : out)
      c = static_cast<char>(rng.below(256));
    return out;
  };
  const auto number = [&] {
    const double sign = rng.below(2) == 0 ? 1 : -1;
    return rng.below(20) == 0 ? sign * 1.7e308 : sign * std::exp(90 * rng.uniform() - 45);
  };
  History history = step_history();
  history.machine.hostname = text();
  history.notes = {text()};
  CaseHistory& of_case = history.cases[0];
  of_case.case_name = text();
  of_case.metric.name = text();
  of_case.metric.unit = static_cast<Unit>(rng.below(6));
  of_case.notes = {text(), text()};
  for (HistoryPoint& point : of_case.points) {
    std::vector<double> values(1 + rng.below(4));
    for (double& value : values)
      value = number();
    const HistoryPoint made = point_of(text(), values);
    point = made;
  }
  LevelChange& change = of_case.changes[0];
  change.before = number();
  change.after = number();
  change.ratio = std::abs(number());
  change.ratio_interval = compare::Interval{std::abs(number()), std::abs(number())};
  of_case.hints = {change};
  return history;
}

TEST(HistoryText, IsAtMost80ColumnsAndPrintableWhateverItGets) {
  Rng rng(20'260'103);
  for (int round = 0; round < 300; ++round) {
    const std::string text = render_history(random_history(rng), Style::Native);
    ASSERT_EQ(text.back(), '\n');
    for (const std::string_view line : split(text, '\n')) {
      ASSERT_LE(display_width(line), 80U) << "round " << round << ": " << line;
      ASSERT_EQ(printable(line, 1000), line) << "round " << round;
    }
  }
}

TEST(HistoryJson, HoldsEverythingWhateverItGets) {
  const auto json = nlohmann::json::parse(render_history(step_history(), Style::Json));
  EXPECT_EQ(json["schema"], "schedlab-history");
  const auto& of_case = json["cases"][0];
  EXPECT_EQ(of_case["one_value_per"], "boot");
  EXPECT_EQ(of_case["arms"].size(), 10U);
  EXPECT_EQ(of_case["changes"][0]["arm"], "v6");
  EXPECT_EQ(of_case["changes"][0]["low_index"], 5);
  EXPECT_EQ(of_case["changes"][0]["ratio_interval"]["method"], "hodges-lehmann");
  Rng rng(3);
  for (int round = 0; round < 100; ++round)
    EXPECT_TRUE(nlohmann::json::accept(render_history(random_history(rng), Style::Json)));
}

TEST(HistoryCsv, HasALinePerArmWithTheHeadsFields) {
  const std::string text = render_history(step_history(), Style::Csv);
  const auto lines = split(text, '\n');
  ASSERT_EQ(lines.size(), 12U) << "head, ten arms, and the end";
  const auto head = split(lines[0], ',');
  for (std::size_t i = 0; i < 11; ++i)
    EXPECT_EQ(split(lines[i], ',').size(), head.size()) << lines[i];
  EXPECT_THAT(std::string(lines[7]), HasSubstr(",e-divisive+pelt,0.001,5,6,"));
  EXPECT_THAT(std::string(lines[6]), HasSubstr(",no,,,,,,,,"));
}

TEST(HistoryStyle, IsNativeJsonOrCsv) {
  EXPECT_TRUE(check_history_style(Style::Native));
  EXPECT_TRUE(check_history_style(Style::Json));
  EXPECT_TRUE(check_history_style(Style::Csv));
  EXPECT_FALSE(check_history_style(Style::Lkp));
}

}  // namespace
}  // namespace schedlab::report
