// The rules through the whole path: compare() on the records of a plan that may end early.
#include "compare/stopping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "compare/fake_experiment.h"
#include "compare/monitored_noise.h"
#include "compare/stopping_anytime.h"
#include "core/rng.h"

namespace schedlab::compare {
namespace {

using ::testing::HasSubstr;
using LogRatios = std::vector<double>;

const LogRatios kWorkedExample = {
    0.021, 0.035, -0.004, 0.028, 0.031, 0.015, 0.042, 0.009, 0.026, 0.018, 0.033, 0.024};

FakeExperiment planned(const StoppingRule& rule, std::int32_t blocks, const LogRatios& ratios) {
  FakeExperiment fake;
  fake.experiment.stopping = rule;
  fake.experiment.blocks_planned = blocks;
  fake.add_blocks_of_log_ratios(ratios);
  return fake;
}

LogRatios noise(std::size_t blocks, double effect, double sd, std::uint64_t seed) {
  Rng rng(seed);
  LogRatios ratios;
  while (ratios.size() < blocks)
    ratios.push_back(block_log_ratio(normal_noise(sd), effect, rng));
  return ratios;
}

StopReason reason_of(const FakeExperiment& fake, const Options& options = {}) {
  const auto comparison = fake.compare(options);
  EXPECT_TRUE(comparison) << comparison.error().message;
  return comparison->ending.reason;
}

constexpr StoppingRule kClear = {.when = StopWhen::Clear};

StoppingRule precision(double half_width) {
  return {.when = StopWhen::Precision, .half_width = half_width};
}

TEST(UntilClear, EndsWithTheWorkedExampleDecided) {
  const auto comparison = planned(kClear, 200, kWorkedExample).compare();
  ASSERT_TRUE(comparison);
  const Row& row = comparison->rows.front();
  EXPECT_EQ(row.verdict, Verdict::Better);
  EXPECT_NEAR(row.effect->ratio, std::exp(0.0231667), 1e-7);
  EXPECT_NEAR(row.effect->p_value, std::exp(-anytime_log_e(kWorkedExample, 0)), 1e-9);
  const auto interval = anytime_interval(kWorkedExample, 0.05);
  EXPECT_NEAR(std::log(row.effect->interval95.low), interval->low, 1e-9);
  EXPECT_NEAR(std::log(row.effect->interval95.high), interval->high, 1e-9);
  EXPECT_FALSE(row.effect->hl_interval95);
  EXPECT_EQ(comparison->ending.reason, StopReason::Clear);
  EXPECT_EQ(comparison->ending.blocks_done, 12);
  EXPECT_EQ(comparison->ending.rows_settled, 1);
  EXPECT_EQ(comparison->ending.runs, 48);
}

TEST(UntilClear, AnytimeIntervalIsWiderThanThePlainOne) {
  const auto fixed = planned({}, 12, kWorkedExample).compare();
  const auto watched = planned(kClear, 200, kWorkedExample).compare();
  EXPECT_LT(watched->rows[0].effect->interval95.low, fixed->rows[0].effect->interval95.low);
  EXPECT_GT(watched->rows[0].effect->interval95.high, fixed->rows[0].effect->interval95.high);
  EXPECT_GT(watched->rows[0].effect->interval90.low, watched->rows[0].effect->interval95.low);
}

TEST(UntilClear, GoesOnWhileARowIsOpenAndSaysAboutHowLong) {
  const auto comparison = planned(kClear, 200, noise(8, 0.004, 0.02, 1)).compare();
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->ending.reason, StopReason::NotEnded);
  EXPECT_EQ(comparison->ending.rows_settled, 0);
  ASSERT_TRUE(comparison->ending.more_blocks);
  EXPECT_EQ(comparison->rows[0].more_blocks, comparison->ending.more_blocks);
}

TEST(UntilClear, HasNoIntervalBelowSixBlocks) {
  const auto comparison = planned(kClear, 200, noise(5, 0.05, 0.001, 1)).compare();
  EXPECT_FALSE(headline_of(comparison->rows[0])->interval95);
  EXPECT_EQ(comparison->rows[0].verdict, Verdict::Inconclusive);
  EXPECT_TRUE(
      headline_of(planned(kClear, 200, noise(6, 0.05, 0.001, 1)).compare()->rows[0])->interval95);
}

TEST(UntilClear, EndsWithSameWhereNothingChanged) {
  const auto comparison = planned(kClear, 200, noise(60, 0, 0.005, 2)).compare();
  EXPECT_EQ(comparison->rows[0].verdict, Verdict::Same);
  EXPECT_EQ(comparison->ending.reason, StopReason::Clear);
  const Effect& effect = *comparison->rows[0].effect;
  EXPECT_GT(effect.interval90.low, 1 / 1.01);
  EXPECT_LT(effect.interval90.high, 1.01);
}

TEST(UntilClear, WaitsForEveryPrimaryRow) {
  FakeExperiment fake = planned(kClear, 200, kWorkedExample);
  const LogRatios open = noise(12, 0.004, 0.02, 3);
  for (std::size_t block = 0; block < open.size(); ++block) {
    for (std::int32_t position = 4; position < 8; ++position) {
      const bool is_new = position == 5 || position == 6;
      fake.add_run(is_new ? "new" : "base",
                   static_cast<std::int32_t>(block),
                   position,
                   {time_metric(is_new ? std::exp(-open[block]) : 1)},
                   "other");
    }
  }
  const auto comparison = fake.compare();
  EXPECT_EQ(comparison->ending.rows, 2);
  EXPECT_EQ(comparison->ending.rows_settled, 1);
  EXPECT_EQ(comparison->ending.reason, StopReason::NotEnded);
  // Holm: the smaller p counts twice.
  const Effect& effect = *comparison->rows[0].effect;
  EXPECT_NEAR(effect.p_adjusted, 2 * effect.p_value, 1e-12);
}

TEST(UntilClear, GivesUpWhatItCannotDecideWithinTheCap) {
  // No effect in noise of 5 %: not to be called the same within 60 blocks, and nothing to be found.
  LogRatios hopeless = noise(50, 0, 0.05, 4);
  const double mean = std::accumulate(hopeless.begin(), hopeless.end(), 0.0) / 50;
  for (double& ratio : hopeless)
    ratio -= mean;
  const auto given_up = planned(kClear, 60, hopeless).compare();
  EXPECT_EQ(given_up->ending.reason, StopReason::Futile);
  EXPECT_EQ(given_up->ending.rows_hopeless, 1);
  EXPECT_EQ(reason_of(planned(kClear, 100'000, hopeless)), StopReason::NotEnded);
  StoppingRule stubborn = kClear;
  stubborn.futility = false;
  EXPECT_EQ(reason_of(planned(stubborn, 60, hopeless)), StopReason::NotEnded);
  EXPECT_EQ(reason_of(planned(kClear, 50, hopeless)), StopReason::Blocks);
  EXPECT_EQ(reason_of(planned(kClear, 60, LogRatios(hopeless.begin(), hopeless.begin() + 9))),
            StopReason::NotEnded);
}

TEST(UntilClear, GivesUpARowWithoutARatio) {
  FakeExperiment fake;
  fake.experiment.stopping = kClear;
  fake.experiment.blocks_planned = 200;
  for (std::int32_t block = 0; block < 3; ++block)
    fake.add_block(block, {0, 0}, {1, 1});
  EXPECT_EQ(reason_of(fake), StopReason::Futile);
}

TEST(UntilClear, LetsTwoModesBeConfirmedByTheSigns) {
  LogRatios ratios = kWorkedExample;
  Row row;
  row.two_modes = true;
  row.metric.primary = true;
  row.log_ratios = ratios;
  row.effect = estimate_effect(ratios, 0.01, 0.05);
  Row* family[] = {&row};
  ASSERT_TRUE(rest_on_rule(family, {kClear, 200, 12, 0.05}));
  ASSERT_TRUE(row.effect->hl_interval95);
  EXPECT_NEAR(std::log(row.effect->hl_interval95->low), 0.009, 1e-12);
  EXPECT_NEAR(std::log(row.effect->hl_interval95->high), 0.035, 1e-12);
}

TEST(UntilClear, ShowsNoEstimateOutsideItsInterval) {
  LogRatios tailed = noise(40, 0, 0.01, 6);
  for (std::size_t i = 0; i < 40; i += 10)
    tailed[i] = 1.5;
  const auto comparison = planned(kClear, 200, tailed).compare();
  ASSERT_TRUE(comparison);
  const Row& row = comparison->rows[0];
  EXPECT_GE(row.effect->ratio, row.effect->interval95.low);
  EXPECT_LE(row.effect->ratio, row.effect->interval95.high);
  EXPECT_LT(row.effect->ratio, 1.1);
  EXPECT_THAT(row.flags, ::testing::Contains(HasSubstr("rule out the mean")));
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
}

TEST(UntilPrecise, EndsWhenEveryIntervalIsNarrowEnough) {
  const auto comparison = planned(precision(0.02), 200, kWorkedExample).compare();
  const Interval& interval = comparison->rows[0].effect->interval95;
  const double half = std::sqrt(interval.high / interval.low) - 1;
  EXPECT_LT(half, 0.02);
  EXPECT_EQ(comparison->ending.reason, StopReason::Precise);
  const auto open = planned(precision(half * 0.99), 200, kWorkedExample).compare();
  EXPECT_EQ(open->ending.reason, StopReason::NotEnded);
  ASSERT_TRUE(open->ending.more_blocks);
  EXPECT_GE(*open->ending.more_blocks, 1);
}

TEST(UntilPrecise, GivesUpWhatTheCapCannotReach) {
  EXPECT_EQ(reason_of(planned(precision(0.001), 60, noise(50, 0, 0.05, 5))), StopReason::Futile);
}

TEST(Looks, TheWorkedExampleCrossesAtTheThirdOfFour) {
  const StoppingRule rule = {.when = StopWhen::Looks, .looks = 4};
  const LogRatios nine(kWorkedExample.begin(), kWorkedExample.begin() + 9);
  const auto comparison = planned(rule, 12, nine).compare();
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->ending.looks_reached, 3);
  EXPECT_EQ(comparison->ending.reason, StopReason::Clear);
  EXPECT_EQ(comparison->rows[0].verdict, Verdict::Better);
  const Effect& repeated = *comparison->rows[0].effect;
  const auto plain = estimate_effect(nine, 0.01, 0.05);
  EXPECT_GT(repeated.p_value, plain->p_value);
  EXPECT_LT(repeated.interval95.low, plain->interval95.low);
  EXPECT_GT(repeated.interval95.high, plain->interval95.high);
  EXPECT_GT(repeated.interval95.low, 1);
}

TEST(Looks, AnEarlyLookNeedsMoreThanThePlainTest) {
  const StoppingRule rule = {.when = StopWhen::Looks, .looks = 4};
  const auto plain = planned({}, 12, {0.028, 0.031, 0.025}).compare();
  EXPECT_EQ(plain->rows[0].verdict, Verdict::Better);
  const auto early = planned(rule, 12, {0.028, 0.031, 0.025}).compare();
  EXPECT_EQ(early->rows[0].verdict, Verdict::Inconclusive);
  EXPECT_EQ(early->ending.looks_reached, 1);
}

TEST(Looks, ThatDoNotFitThePlanAreAnError) {
  const auto comparison =
      planned({.when = StopWhen::Looks, .looks = 7}, 12, kWorkedExample).compare();
  ASSERT_FALSE(comparison);
  EXPECT_THAT(comparison.error().message, HasSubstr("--looks 7"));
}

TEST(FixedPlan, KeepsItsFigures) {
  const auto comparison = planned({}, 12, kWorkedExample).compare();
  EXPECT_EQ(comparison->ending.reason, StopReason::Blocks);
  EXPECT_NEAR(std::log(comparison->rows[0].effect->interval95.low), 0.0152178, 1e-7);
  EXPECT_EQ(reason_of(planned({}, 20, kWorkedExample)), StopReason::NotEnded);
}

TEST(MaxTime, EndsAnyPlanAndIsNamed) {
  FakeExperiment fake = planned({.max_time = std::chrono::seconds(40)}, 20, kWorkedExample);
  for (std::size_t i = 0; i < fake.runs.size(); ++i) {
    fake.runs[i].start_monotonic = std::chrono::seconds(100 + i);
    fake.runs[i].end_monotonic = std::chrono::seconds(101 + i);
  }
  const auto comparison = fake.compare();
  EXPECT_EQ(comparison->ending.reason, StopReason::OutOfTime);
  EXPECT_EQ(comparison->ending.elapsed, std::chrono::seconds(48));
  fake.experiment.stopping.max_time = std::chrono::seconds(49);
  EXPECT_EQ(reason_of(fake), StopReason::NotEnded);
}

TEST(Rule, BringsItsOwnDeltaUnlessTheTableIsGivenAnother) {
  StoppingRule rule = kClear;
  rule.delta = 0.08;
  const FakeExperiment fake = planned(rule, 200, kWorkedExample);
  EXPECT_EQ(fake.compare()->rows[0].delta, 0.08);
  EXPECT_EQ(fake.compare()->rows[0].verdict, Verdict::Same);
  EXPECT_EQ(fake.compare({.delta = 0.01})->rows[0].verdict, Verdict::Better);
}

TEST(TimeToLook, IsEveryBlockAtFirstAndThenEverySixtyFourth) {
  EXPECT_FALSE(is_time_to_look({}, 12, 3, 0));
  std::int32_t looks = 0;
  std::int32_t last = 0;
  for (std::int32_t done = 1; done <= 1000; ++done) {
    if (!is_time_to_look(kClear, 1000, done, last)) continue;
    EXPECT_LE(done - last, std::max(1, last / 64));
    last = done;
    ++looks;
    if (done <= 100) {
      EXPECT_EQ(looks, done);
    }
  }
  EXPECT_LT(looks, 300);
  const StoppingRule rule = {.when = StopWhen::Looks, .looks = 4};
  for (std::int32_t done = 1; done <= 12; ++done)
    EXPECT_EQ(is_time_to_look(rule, 12, done, 0), done % 3 == 0);
}

}  // namespace
}  // namespace schedlab::compare
