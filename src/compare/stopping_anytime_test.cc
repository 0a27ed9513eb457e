// The evidence that may be watched: its reference values, what its interval holds, and how often it
// is wrong when it is looked at after every block.
#include "compare/stopping_anytime.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "compare/effect.h"
#include "compare/monitored_noise.h"
#include "stats/e_values.h"
#include "stats/summary.h"

namespace schedlab::compare {
namespace {

using LogRatios = std::vector<double>;

constexpr double kAlpha = 0.05;
const double kMargin = std::log1p(0.01);

const LogRatios kWorkedExample = {
    0.021, 0.035, -0.004, 0.028, 0.031, 0.015, 0.042, 0.009, 0.026, 0.018, 0.033, 0.024};

double e_value(const LogRatios& values, double centre = 0) {
  return std::exp(anytime_log_e(values, centre));
}

LogRatios normal_sample(std::size_t n, double mean, double sd, std::uint64_t seed) {
  Rng rng(seed);
  LogRatios values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(mean + sd * rng.normal());
  return values;
}

// Half of them mean + 1, half mean - 1.
LogRatios pairs(std::size_t n, double mean) {
  LogRatios values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(mean + (i % 2 == 0 ? 1 : -1));
  return values;
}

TEST(AnytimeE, IsTheMeanOfTheReferenceValues) {
  // E(8 of 8) = 28.444; equal values have no spread, so the t-mixture says nothing: 1.
  EXPECT_NEAR(e_value(LogRatios(8, 0.1)), (28.444444 + 1) / 2, 1e-5);
  EXPECT_NEAR(e_value(LogRatios(10, -3)), (93.090909 + 1) / 2, 1e-5);
  // Five times 2 and five times 0 have t = 3, and five signs, all positive.
  EXPECT_NEAR(e_value(pairs(10, 1)), (6.24469 + 32.0 / 6) / 2, 1e-4);
  // t = 4 of 20 values, half of them positive.
  const LogRatios even = pairs(20, 4 * std::sqrt(20.0 / 19) / std::sqrt(20.0));
  EXPECT_NEAR(e_value(even), (66.2648 + std::exp(stats::sign_log_e(10, 20))) / 2, 1e-3);
}

TEST(AnytimeE, OfTheWorkedExampleIsLarge) {
  const double t_part = std::exp(stats::t_mixture_log_e(12, 6.41469));
  EXPECT_NEAR(e_value(kWorkedExample), (4096.0 / 156 + t_part) / 2, 1e-2);
  EXPECT_GT(e_value(kWorkedExample), 20);
}

TEST(AnytimeE, IsNothingForNothing) {
  EXPECT_EQ(anytime_log_e({}, 0), 0);
  EXPECT_LE(anytime_log_e(LogRatios{0.5}, 0), 0);
  EXPECT_EQ(anytime_log_e(LogRatios(9, 0.0), 0), 0);  // no sign, no spread
}

TEST(AnytimeE, OfTightValuesIsNoMoreThanTheirSignsCanShow) {
  // t is huge; five equal signs come by chance once in 16.
  const LogRatios tight = {1, 1.0001, 0.9999, 1.0002, 0.9998};
  EXPECT_GT(std::exp(stats::t_mixture_log_e(5, 1e6)), 20);
  EXPECT_LE(e_value(tight), (16 + 32.0 / 6) / 2 + 1e-9);
}

TEST(AnytimeE, DoesNotDependOnUnitOrderOrSides) {
  const LogRatios values = normal_sample(25, 0.4, 1, 3);
  LogRatios turned(values.rbegin(), values.rend());
  const double log_e = anytime_log_e(values, 0);
  EXPECT_NEAR(anytime_log_e(turned, 0), log_e, 1e-9);
  for (double& value : turned)
    value *= -1000;
  EXPECT_NEAR(anytime_log_e(turned, 0), log_e, 1e-9);
}

TEST(AnytimeInterval, HoldsWhatEDoesNotReject) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LogRatios values = normal_sample(8 + 7 * seed, 0.02, 0.03, seed);
    const auto interval = anytime_interval(values, kAlpha);
    ASSERT_TRUE(interval) << seed;
    const double step = 1e-9;
    EXPECT_GE(e_value(values, interval->low - step), 1 / kAlpha * (1 - 1e-6)) << seed;
    EXPECT_GE(e_value(values, interval->high + step), 1 / kAlpha * (1 - 1e-6)) << seed;
    EXPECT_LT(e_value(values, interval->low + step), 1 / kAlpha * (1 + 1e-6)) << seed;
    EXPECT_LT(e_value(values, interval->high - step), 1 / kAlpha * (1 + 1e-6)) << seed;
    EXPECT_TRUE(interval->contains(stats::mean(values)));
    const auto narrower = anytime_interval(values, 2 * kAlpha);
    ASSERT_TRUE(narrower);
    EXPECT_GE(narrower->low, interval->low);
    EXPECT_LE(narrower->high, interval->high);
  }
}

TEST(AnytimeInterval, ExistsFromSixBlocksOn) {
  for (std::size_t n = 0; n < 6; ++n)
    EXPECT_FALSE(anytime_interval(normal_sample(n, 0, 1, 1), kAlpha)) << n;
  EXPECT_TRUE(anytime_interval(normal_sample(6, 0, 1, 1), kAlpha));
  EXPECT_FALSE(anytime_interval(LogRatios(7, 0.1), 2 * kAlpha));
  const auto of_equal = anytime_interval(LogRatios(8, 0.1), 2 * kAlpha);
  ASSERT_TRUE(of_equal);
  EXPECT_EQ(of_equal->low, 0.1);
  EXPECT_EQ(of_equal->high, 0.1);
}

TEST(AnytimeInterval, IsFiniteForALongPlan) {
  const auto interval = anytime_interval(normal_sample(5000, 0.01, 0.02, 8), kAlpha);
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->high - interval->low, 0.003);
}

TEST(AnytimeVerdict, OfTheWorkedExampleIsBetter) {
  const StoppingVerdict verdict = anytime_verdict(kWorkedExample, 0.01, kAlpha, 1);
  EXPECT_EQ(verdict.verdict, Verdict::Better);
  ASSERT_TRUE(verdict.interval95);
  EXPECT_GT(verdict.interval95->low, 1);
  LogRatios mirrored;
  for (const double value : kWorkedExample)
    mirrored.push_back(-value);
  EXPECT_EQ(anytime_verdict(mirrored, 0.01, kAlpha, 1).verdict, Verdict::Worse);
  EXPECT_EQ(anytime_verdict(mirrored, 0.01, kAlpha, 1000).verdict, Verdict::Inconclusive);
}

TEST(AnytimeVerdict, IsSameWhenTheNarrowIntervalLiesWithinDelta) {
  const LogRatios small = normal_sample(60, 0.001, 0.005, 5);
  EXPECT_EQ(anytime_verdict(small, 0.01, kAlpha, 1).verdict, Verdict::Same);
  const auto interval = anytime_interval(small, 2 * kAlpha);
  EXPECT_TRUE(interval->inside({-kMargin, kMargin}));
  EXPECT_EQ(anytime_verdict(small, 0.001, kAlpha, 1).verdict, Verdict::Inconclusive);
}

TEST(AnytimeVerdict, IsNoneWhereMeanAndSignsPointDifferentWays) {
  LogRatios values(20, 0.01);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] += 1e-4 * static_cast<double>(i);
  values.back() = -5;
  EXPECT_EQ(anytime_evidence(values, kMargin).p_change, 1);
  EXPECT_EQ(anytime_verdict(values, 0.01, kAlpha, 1).verdict, Verdict::Inconclusive);
}

TEST(AnytimeBlocksNeeded, IsWhereTheSameFiguresWouldDecide) {
  const LogRatios values = normal_sample(10, 0.004, 0.02, 2);
  const auto needed = anytime_blocks_needed(values, kMargin, kAlpha, kAlpha);
  ASSERT_TRUE(needed);
  EXPECT_GT(*needed, 10);
  EXPECT_FALSE(anytime_blocks_needed(LogRatios(10, 0.1), kMargin, kAlpha, kAlpha));
  EXPECT_FALSE(anytime_blocks_needed({}, kMargin, kAlpha, kAlpha));
}

// --- watched after every block ---

constexpr int kPlans = 1500;
constexpr std::size_t kBlocks = 60;
// 5 % and three standard errors of 1500 plans at 5 %.
constexpr double kFivePercent = 0.05 + 0.017;

// Share of plans of equal arms that were called better or worse after any of their blocks.
double false_alarms(const std::function<RunNoise()>& noise_of, std::uint64_t seed) {
  int alarms = 0;
  for (int plan = 0; plan < kPlans; ++plan) {
    Rng rng(seed, static_cast<std::uint64_t>(plan));
    const RunNoise noise = noise_of();
    LogRatios values;
    bool alarm = false;
    while (!alarm && values.size() < kBlocks) {
      values.push_back(block_log_ratio(noise, 0, rng));
      alarm = values.size() >= kFewestBlocks && anytime_evidence(values, kMargin).p_change < kAlpha;
    }
    alarms += alarm ? 1 : 0;
  }
  return static_cast<double>(alarms) / kPlans;
}

TEST(WatchedEveryBlock, EqualArmsAreRarelyCalledDifferent) {
  const auto check = [](const char* name, double rate) {
    RecordProperty(name, std::to_string(rate));
    EXPECT_LT(rate, kFivePercent) << name;
  };
  check("normal", false_alarms([] { return normal_noise(0.03); }, 1));
  check("ar_0.6", false_alarms([] { return autoregressive_noise(0.6, 0.03); }, 2));
  check("ar_0.9", false_alarms([] { return autoregressive_noise(0.9, 0.03); }, 3));
  check("two_modes_20_80", false_alarms([] { return two_mode_noise(0.2, 0.01); }, 4));
  check("tight_differences", false_alarms([] { return tight_difference_noise(); }, 5));
}

// Holm begins with the smallest p times the number of rows: a table with any false finding has
// that.
TEST(WatchedEveryBlock, ATableOfEqualRowsIsRarelyCalledDifferentAnywhere) {
  constexpr int kTables = 500;
  constexpr std::size_t kRows = 4;
  int alarms = 0;
  for (int plan = 0; plan < kTables; ++plan) {
    Rng rng(8, static_cast<std::uint64_t>(plan));
    std::vector<LogRatios> rows(kRows);
    bool alarm = false;
    while (!alarm && rows[0].size() < kBlocks) {
      const double shared = block_log_ratio(normal_noise(0.02), 0, rng);
      for (LogRatios& row : rows) {
        row.push_back(shared + block_log_ratio(normal_noise(0.02), 0, rng));
        alarm = alarm || anytime_evidence(row, kMargin).p_change * kRows < kAlpha;
      }
    }
    alarms += alarm ? 1 : 0;
  }
  RecordProperty("four_rows", std::to_string(static_cast<double>(alarms) / kTables));
  EXPECT_LT(alarms, (0.05 + 0.03) * kTables);
}

TEST(WatchedEveryBlock, AnEffectOfExactlyDeltaIsRarelyCalledTheSame) {
  int wrong = 0;
  for (int plan = 0; plan < kPlans; ++plan) {
    Rng rng(6, static_cast<std::uint64_t>(plan));
    LogRatios values;
    bool same = false;
    while (!same && values.size() < kBlocks) {
      values.push_back(block_log_ratio(normal_noise(0.01), kMargin, rng));
      same = values.size() >= kFewestBlocks && anytime_evidence(values, kMargin).p_same < kAlpha;
    }
    wrong += same ? 1 : 0;
  }
  RecordProperty("same_at_delta", std::to_string(static_cast<double>(wrong) / kPlans));
  EXPECT_LT(wrong, kFivePercent * kPlans);
}

TEST(WatchedEveryBlock, ThreePercentIsFoundInAThirdOfThirtyBlocks) {
  constexpr int kEffects = 300;
  double blocks = 0;
  int found = 0;
  for (int plan = 0; plan < kEffects; ++plan) {
    Rng rng(7, static_cast<std::uint64_t>(plan));
    LogRatios values;
    Verdict verdict = Verdict::Inconclusive;
    while (verdict == Verdict::Inconclusive && values.size() < 30) {
      // The mean of four runs, two on each side: a block's sd is the run's.
      values.push_back(block_log_ratio(normal_noise(0.02), std::log(1.03), rng));
      verdict = anytime_verdict(values, 0.01, kAlpha, 1).verdict;
    }
    blocks += static_cast<double>(values.size());
    found += verdict == Verdict::Better ? 1 : 0;
  }
  RecordProperty("found", std::to_string(found));
  RecordProperty("mean_blocks", std::to_string(blocks / kEffects));
  EXPECT_GE(found, kEffects * 99 / 100);
  EXPECT_LT(blocks / kEffects, 10.5);
}

}  // namespace
}  // namespace schedlab::compare
