#include "cli/cmd_ab_stopping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schedlab::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const StoppingFlags& flags) {
  const auto end = planned_end(flags, "");
  if (end) return "accepted";
  EXPECT_EQ(end.error().kind, Error::Kind::Usage);
  return end.error().message;
}

StoppingFlags until(const char* text) {
  StoppingFlags flags;
  flags.until = text;
  return flags;
}

StoppingFlags looks(std::int32_t count, std::int32_t blocks) {
  StoppingFlags flags;
  flags.looks = count;
  flags.blocks = blocks;
  return flags;
}

TEST(PlannedEnd, IsTwelveBlocksUnlessSaid) {
  const auto end = planned_end({}, "");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->blocks, 12);
  EXPECT_EQ(end->rule, StoppingRule());
  EXPECT_THAT(stopping_arguments({}, *end), ElementsAre("--blocks", "12"));
}

TEST(PlannedEnd, OfUntilIsTheRuleAndACap) {
  const auto clear = planned_end(until("clear"), "2%");
  ASSERT_TRUE(clear);
  EXPECT_EQ(clear->rule.when, StopWhen::Clear);
  EXPECT_EQ(clear->rule.delta, 0.02);
  EXPECT_EQ(clear->blocks, 200);
  StoppingFlags flags = until("1.5%");
  flags.max_blocks = 60;
  flags.max_time = "2h";
  flags.no_futility = true;
  const auto precise = planned_end(flags, "");
  ASSERT_TRUE(precise);
  EXPECT_EQ(precise->rule.when, StopWhen::Precision);
  EXPECT_DOUBLE_EQ(precise->rule.half_width, 0.015);
  EXPECT_EQ(precise->rule.max_time, std::chrono::hours(2));
  EXPECT_FALSE(precise->rule.futility);
  EXPECT_EQ(precise->blocks, 60);
  EXPECT_THAT(
      stopping_arguments(flags, *precise),
      ElementsAre("--until", "1.5%", "--max-blocks", "60", "--max-time", "2h", "--no-futility"));
}

TEST(PlannedEnd, OfLooksSpendsAsAsked) {
  StoppingFlags flags = looks(5, 20);
  const auto end = planned_end(flags, "");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->rule.looks, 5);
  EXPECT_EQ(end->rule.spending, Spending::LanDeMets);
  flags.spending = "pocock";
  EXPECT_EQ(planned_end(flags, "")->rule.spending, Spending::Pocock);
  EXPECT_THAT(stopping_arguments(flags, *planned_end(flags, "")),
              ElementsAre("--blocks", "20", "--looks", "5", "--spending", "pocock"));
}

TEST(PlannedEnd, RefusesWhatCannotBe) {
  for (const char* text : {"", "0", "0%", "-1%", "banana", "Clear", "51%", "nan", "1%%"})
    EXPECT_THAT(refusal(until(text)), HasSubstr("--until")) << text;
  EXPECT_THAT(refusal(looks(99, 1000)), HasSubstr("2 to 20"));
  EXPECT_THAT(refusal(looks(1, 12)), HasSubstr("--looks 1"));
  EXPECT_THAT(refusal(looks(5, 12)), HasSubstr("at least 15"));
  StoppingFlags flags = looks(4, 12);
  flags.spending = "o'brien";
  EXPECT_THAT(refusal(flags), HasSubstr("lan-demets"));
  for (const char* text : {"0", "0s", "", "-1h", "soon", "5"}) {
    flags = {};
    flags.max_time = text;
    EXPECT_THAT(refusal(flags), HasSubstr("--max-time")) << text;
  }
  for (const std::int32_t cap : {-1, 0, 5, 100'001}) {
    flags = until("clear");
    flags.max_blocks = cap;
    EXPECT_THAT(refusal(flags), HasSubstr("--max-blocks")) << cap;
  }
}

TEST(PlannedEnd, RefusesFlagsThatExcludeEachOther) {
  StoppingFlags flags = until("clear");
  flags.looks = 5;
  EXPECT_THAT(refusal(flags), HasSubstr("exclude each other"));
  flags = until("1%");
  flags.blocks = 12;
  EXPECT_THAT(refusal(flags), HasSubstr("exclude each other"));
  flags = {};
  flags.max_blocks = 50;
  EXPECT_THAT(refusal(flags), HasSubstr("--max-blocks"));
  flags = {};
  flags.spending = "obf";
  EXPECT_THAT(refusal(flags), HasSubstr("--looks"));
  flags = {};
  flags.no_futility = true;
  EXPECT_THAT(refusal(flags), HasSubstr("--no-futility"));
}

class BlockWatchTest : public ::testing::Test {
 protected:
  BlockWatchTest() {
    experiment_.arms = {{"base", "same"}, {"new", "nice=5"}};
    experiment_.cases = {"case"};
    experiment_.blocks_planned = 200;
  }

  /// A block of runs of a second each, the new arm faster by `gain`.
  std::vector<RunRecord> block(std::int32_t number, double gain) {
    std::vector<RunRecord> runs;
    for (std::int32_t position = 0; position < 4; ++position) {
      const bool is_new = position == 1 || position == 2;
      RunRecord run;
      run.id = RunId{4 * number + position + 1};
      run.block = number;
      run.position = position;
      run.arm = is_new ? "new" : "base";
      run.case_name = "case";
      run.boot_id = "boot";
      run.start_monotonic = std::chrono::seconds(run.id.value);
      run.end_monotonic = std::chrono::seconds(run.id.value + 1);
      run.output.workload = "fake";
      run.output.metrics.push_back({.name = "time",
                                    .value = is_new ? 1 / (1 + gain) : 1,
                                    .unit = Unit::Seconds,
                                    .direction = Direction::LowerIsBetter,
                                    .metric_class = MetricClass::Time,
                                    .primary = true});
      runs.push_back(std::move(run));
    }
    return runs;
  }

  /// Blocks until the watch ends the plan, or `most`.
  std::int32_t blocks_run(std::int32_t most) {
    BlockWatch watch(experiment_, progress_);
    for (std::int32_t number = 0; number < most; ++number) {
      const auto more = watch.goes_on(block(number, 0.05 + 1e-3 * (number % 3)));
      EXPECT_TRUE(more) << more.error().message;
      if (!more || !*more) return number + 1;
    }
    return most;
  }

  Experiment experiment_;
  Progress progress_{stderr, Progress::Mode::Quiet, Nanos(0), 2};
};

TEST_F(BlockWatchTest, EndsAPlanWhenItIsClear) {
  experiment_.stopping.when = StopWhen::Clear;
  const std::int32_t blocks = blocks_run(200);
  EXPECT_GE(blocks, 6);
  EXPECT_LE(blocks, 8);
}

TEST_F(BlockWatchTest, EndsAPlanOutOfTimeAfterTheBlock) {
  experiment_.stopping.max_time = std::chrono::seconds(9);
  EXPECT_TRUE(BlockWatch(experiment_, progress_).is_needed());
  EXPECT_EQ(blocks_run(200), 3);
}

TEST_F(BlockWatchTest, IsNotNeededForAFixedPlan) {
  EXPECT_FALSE(BlockWatch(experiment_, progress_).is_needed());
}

TEST_F(BlockWatchTest, GoesOnWhereNothingIsClearHoweverLong) {
  experiment_.stopping.when = StopWhen::Clear;
  experiment_.stopping.delta = 0.001;
  experiment_.stopping.futility = false;
  experiment_.blocks_planned = 1000;
  BlockWatch watch(experiment_, progress_);
  for (std::int32_t number = 0; number + 1 < 1000; ++number) {
    // Far apart, by turns: neither different nor the same.
    const auto more = watch.goes_on(block(number, number % 2 == 0 ? 0.25 : -0.2));
    ASSERT_TRUE(more) << more.error().message;
    ASSERT_TRUE(*more) << number;
  }
}

TEST_F(BlockWatchTest, LooksOnlyWhenPlanned) {
  experiment_.stopping.when = StopWhen::Looks;
  experiment_.stopping.looks = 4;
  experiment_.blocks_planned = 40;
  EXPECT_EQ(blocks_run(40) % 10, 0);
}

}  // namespace
}  // namespace schedlab::cli
