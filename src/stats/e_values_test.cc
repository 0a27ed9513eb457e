#include "stats/e_values.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/rng.h"
#include "stats/median_interval.h"

namespace schedlab::stats {
namespace {

const std::vector<double> kWorkedExample = {
    0.021, 0.035, -0.004, 0.028, 0.031, 0.015, 0.042, 0.009, 0.026, 0.018, 0.033, 0.024};

TEST(SignEValue, HasThePublishedValues) {
  EXPECT_NEAR(std::exp(sign_log_e(8, 8)), 28.444, 5e-4);
  EXPECT_NEAR(std::exp(sign_log_e(10, 10)), 93.0909, 5e-5);
  EXPECT_NEAR(std::exp(sign_log_e(7, 7)), 16, 1e-9);
  EXPECT_EQ(sign_log_e(0, 0), 0);
}

TEST(SignEValue, AgreesWithTheOneBehindTheAnytimeMedian) {
  for (const std::int64_t n : {1, 5, 12, 40}) {
    for (std::int64_t k = 0; k <= n; ++k)
      EXPECT_NEAR(std::exp(sign_log_e(k, n)) / sign_e_value(k, n), 1, 1e-12);
  }
}

TEST(SignEValue, AnytimeRanksOfTheMedianFollowFromIt) {
  const std::vector<std::vector<std::int64_t>> table = {{8, 1, 8},
                                                        {10, 1, 10},
                                                        {12, 2, 11},
                                                        {15, 2, 14},
                                                        {20, 4, 17},
                                                        {30, 7, 24},
                                                        {40, 11, 30},
                                                        {60, 19, 42}};
  for (const auto& row : table) {
    const std::int64_t n = row[0];
    EXPECT_TRUE(rejects(sign_log_e(row[1] - 1, n), 0.05)) << n;  // below low: rejected
    EXPECT_FALSE(rejects(sign_log_e(row[1], n), 0.05)) << n;
    const auto ranks = anytime_median_ranks(n, 0.95);
    ASSERT_TRUE(ranks) << n;
    EXPECT_EQ(ranks->low, row[1]) << n;
    EXPECT_EQ(ranks->high, row[2]) << n;
  }
  EXPECT_FALSE(anytime_median_ranks(7, 0.95));
}

TEST(SignEValue, DoesNotOverflowAtAMillion) {
  const double all = sign_log_e(1'000'000, 1'000'000);
  EXPECT_NEAR(all, 1e6 * std::log(2.0) - std::log(1e6 + 1), 1e-4);
  EXPECT_LT(sign_log_e(500'000, 1'000'000), 0);
  EXPECT_TRUE(std::isfinite(t_mixture_log_e(1'000'000, 1e9)));
}

TEST(SignEValue, IsSymmetricAndGrowsAwayFromTheMiddle) {
  EXPECT_TRUE(rc::check([] {
    const auto n = *rc::gen::inRange<std::int64_t>(1, 500);
    const auto k = *rc::gen::inRange<std::int64_t>(0, n / 2 + 1);
    RC_ASSERT(std::abs(sign_log_e(k, n) - sign_log_e(n - k, n)) < 1e-9);
    if (k > 0) RC_ASSERT(sign_log_e(k - 1, n) + 1e-12 >= sign_log_e(k, n));
  }));
}

TEST(SignProcess, AgreesWithTheClosedFormAfterAMillionSigns) {
  SignProcess process;
  Rng rng(7);
  for (int i = 0; i < 1'000'000; ++i)
    process.add(rng.uniform() < 0.502 ? 1 : -1);
  EXPECT_NEAR(process.log_e(), sign_log_e(process.positives(), process.signs()), 1e-6);
  EXPECT_GE(process.log_e_max(), process.log_e());
}

TEST(SignProcess, SkipsZerosAndNaNAndForgetsNothing) {
  SignProcess process;
  for (const double d : {1.0, 0.0, std::nan(""), 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0})
    process.add(d);
  EXPECT_EQ(process.signs(), 8);
  EXPECT_TRUE(rejects(process.log_e_max(), 0.05));
  for (int i = 0; i < 8; ++i)
    process.add(-1);
  EXPECT_FALSE(rejects(process.log_e(), 0.05));
  EXPECT_TRUE(rejects(process.log_e_max(), 0.05));
}

TEST(TMixture, HasThePublishedValues) {
  EXPECT_NEAR(std::exp(t_mixture_log_e(10, 3)), 6.24469, 5e-6);
  EXPECT_NEAR(std::exp(t_mixture_log_e(20, 4)), 66.2648, 5e-5);
  EXPECT_EQ(t_mixture_log_e(1, 100), 0);
  EXPECT_NEAR(t_mixture_log_e(5, 0), -std::log(6.0) / 2, 1e-12);
}

TEST(TMixture, ProcessIsTheFormulaAtEveryBlock) {
  TMixtureProcess process;
  for (const double d : kWorkedExample)
    process.add(d);
  EXPECT_NEAR(process.mean(), 0.0231667, 1e-7);
  EXPECT_NEAR(process.log_e(), t_mixture_log_e(12, 6.41469), 1e-5);
  EXPECT_TRUE(rejects(process.log_e(), 0.05));
}

TEST(TMixture, IntervalHoldsExactlyTheMeansNotRejected) {
  TMixtureProcess process;
  for (const double d : kWorkedExample)
    process.add(d);
  const auto interval = process.interval(0.95);
  ASSERT_TRUE(interval);
  EXPECT_TRUE(interval->contains(0.0231667));
  EXPECT_GT(interval->low, 0);
  EXPECT_LT(interval->low, 0.0152178);  // wider than the t interval of a fixed n
  for (const double edge : {interval->low, interval->high}) {
    TMixtureProcess shifted;
    for (const double d : kWorkedExample)
      shifted.add(d - edge);
    EXPECT_NEAR(shifted.log_e(), std::log(20.0), 1e-9);
  }
}

TEST(TMixture, IsUnitFreeAndTurnsWithTheSign) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    TMixtureProcess plain;
    TMixtureProcess scaled;
    TMixtureProcess turned;
    for (int i = 0; i < 20; ++i) {
      const double d = rng.normal() + 0.5;
      plain.add(d);
      scaled.add(1024 * d);
      turned.add(-d);
    }
    RC_ASSERT(std::abs(plain.log_e() - scaled.log_e()) < 1e-9);
    RC_ASSERT(plain.log_e() == turned.log_e());
    RC_ASSERT(plain.interval(0.95)->low == -turned.interval(0.95)->high);
  }));
}

TEST(TMixture, ConstantsAndTooFewValuesAreNoEvidence) {
  TMixtureProcess process;
  EXPECT_EQ(process.log_e(), 0);
  EXPECT_FALSE(process.interval(0.95));
  for (int i = 0; i < 100; ++i)
    process.add(3);
  EXPECT_EQ(process.log_e(), 0);
  EXPECT_EQ(process.log_e_max(), 0);
  EXPECT_FALSE(process.interval(0.95));
  process.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(process.count(), 100);
  EXPECT_TRUE(std::isfinite(t_mixture_log_e(10, std::numeric_limits<double>::infinity())));
  EXPECT_FALSE(t_mixture_critical(2, 0.05));  // two values exclude nothing
}

TEST(EValues, WatchedAfterEveryBlockRarelyAlarmWithoutAChange) {
  int sign_alarms = 0;
  int t_alarms = 0;
  constexpr int kRepeats = 2000;
  for (int r = 0; r < kRepeats; ++r) {
    Rng rng(11, static_cast<std::uint64_t>(r));
    SignProcess sign;
    TMixtureProcess t;
    for (int block = 0; block < 60; ++block) {
      const double d = rng.normal();
      sign.add(d);
      t.add(d);
    }
    sign_alarms += rejects(sign.log_e_max(), 0.05) ? 1 : 0;
    t_alarms += rejects(t.log_e_max(), 0.05) ? 1 : 0;
  }
  EXPECT_LT(sign_alarms, 0.05 * kRepeats);
  EXPECT_LT(t_alarms, 0.05 * kRepeats);
  EXPECT_GT(sign_alarms, 0);
  EXPECT_GT(t_alarms, 0);
}

TEST(EValues, AnytimePIsAPValue) {
  EXPECT_EQ(anytime_p(-3), 1);
  EXPECT_NEAR(anytime_p(std::log(20.0)), 0.05, 1e-15);
}

}  // namespace
}  // namespace schedlab::stats
