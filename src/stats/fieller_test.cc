#include "stats/fieller.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/rng.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// R's `sleep` plus 10, as Kalibera and Jones treat it.
const Values kSleep1 = {10.7, 8.4, 9.8, 8.8, 9.9, 13.4, 13.7, 10.8, 10.0, 12.0};
const Values kSleep2 = {11.9, 10.8, 11.1, 10.1, 9.9, 14.4, 15.5, 11.6, 14.6, 13.4};

TEST(Fieller, AgreesWithKaliberaAndJonesOnSleep) {
  const auto found = fieller_ratio(kSleep2, kSleep1, 0.95);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->ratio, 1.146977, 5e-7);
  EXPECT_NEAR(found->interval.low, 0.970612, 5e-7);
  EXPECT_NEAR(found->interval.high, 1.356321, 5e-7);
}

// The limits are the ratios at which the t interval of x - ratio * y just touches 0.
TEST(Fieller, PairedLimitsMakeTheDifferenceJustSignificant) {
  const auto found = fieller_ratio_paired(kSleep2, kSleep1, 0.95);
  ASSERT_TRUE(found);
  for (const double ratio : {found->interval.low, found->interval.high}) {
    Values differences;
    for (std::size_t i = 0; i < kSleep1.size(); ++i)
      differences.push_back(kSleep2[i] - ratio * kSleep1[i]);
    const auto t = one_sample_t(differences);
    ASSERT_TRUE(t);
    EXPECT_NEAR(t->p_two_sided(), 0.05, 1e-9);
  }
}

TEST(Fieller, SwappedArmsGetTheReciprocalInterval) {
  rc::check([](std::uint32_t seed) {
    Rng rng(seed);
    Values x;
    Values y;
    for (int i = 0; i < 8; ++i) {
      x.push_back(100 + 5 * rng.normal());
      y.push_back(90 + 9 * rng.normal());
    }
    const auto there = fieller_ratio(x, y, 0.95);
    const auto back = fieller_ratio(y, x, 0.95);
    RC_ASSERT(there.has_value() && back.has_value());
    RC_ASSERT(std::abs(there->interval.low * back->interval.high - 1) < 1e-13);
    RC_ASSERT(std::abs(there->interval.high * back->interval.low - 1) < 1e-13);
  });
}

TEST(Fieller, WorksForNegativeMeans) {
  Values negative;
  for (const double value : kSleep1)
    negative.push_back(-value);
  const auto found = fieller_ratio(kSleep2, negative, 0.95);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->interval.low, -1.356321, 5e-7);
  EXPECT_NEAR(found->interval.high, -0.970612, 5e-7);
}

TEST(Fieller, HoldsTheTrueRatioAtItsRateWhenIndependent) {
  int held = 0;
  constexpr int kTrials = 2'000;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Rng rng(trial);
    Values x(5);
    Values y(5);
    for (double& value : x)
      value = 100 + 5 * rng.normal();
    for (double& value : y)
      value = 100 + 5 * rng.normal();
    const auto found = fieller_ratio(x, y, 0.95);
    ASSERT_TRUE(found);
    held += found->interval.contains(1) ? 1 : 0;
  }
  RecordProperty("held_per_mille", held * 1000 / kTrials);
  EXPECT_GE(held, kTrials * 955 / 1000);
  EXPECT_LE(held, kTrials * 985 / 1000);
}

TEST(Fieller, RefusesWhatHasNoBound) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(fieller_ratio(kSleep2, Values{-1, 1, -2, 2.5}, 0.95));  // around 0
  EXPECT_FALSE(fieller_ratio(Values{}, kSleep1, 0.95));
  EXPECT_FALSE(fieller_ratio(Values{1}, kSleep1, 0.95));
  EXPECT_FALSE(fieller_ratio(Values{1, nan}, kSleep1, 0.95));
  EXPECT_FALSE(fieller_ratio(Values{2, 2, 2}, Values{1, 1, 1}, 0.95));
  EXPECT_FALSE(fieller_ratio(kSleep2, kSleep1, 1.0));
  EXPECT_FALSE(fieller_ratio_paired(kSleep2, Values{1, 2, 3}, 0.95));
}

TEST(Fieller, AKnownDenominatorLeavesTheTIntervalOfTheMean) {
  const auto t = one_sample_t(kSleep1);
  ASSERT_TRUE(t);
  const auto found = fieller_ratio(kSleep1, Values{2, 2, 2}, 0.95);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->interval.low, t->interval(0.95).low / 2, 1e-12);
  EXPECT_NEAR(found->interval.high, t->interval(0.95).high / 2, 1e-12);
}

}  // namespace
}  // namespace schedlab::stats
