#include "stats/futility.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/rng.h"
#include "stats/distributions.h"
#include "stats/e_values.h"

namespace schedlab::stats {
namespace {

constexpr DecisionGoal kGoal = {.margin = 0.01};

TEST(Futility, PredictedBlocksOverTheCapAreFutile) {
  const auto predicted = blocks_needed(0.005, 0.05, 5, kGoal);
  ASSERT_TRUE(predicted);
  EXPECT_FALSE(check_futility(0.005, 0.05, 5, *predicted, kGoal).futile);
  EXPECT_TRUE(check_futility(0.005, 0.05, 5, *predicted - 1, kGoal).futile);
  EXPECT_EQ(check_futility(0.005, 0.05, 5, 10, kGoal).blocks_predicted, predicted);
}

TEST(Futility, NothingToPredictFromIsNotFutile) {
  EXPECT_FALSE(check_futility(0.005, 0, 5, 10, kGoal).futile);
  EXPECT_FALSE(check_futility(0.005, 0.05, 1, 10, kGoal).futile);
  EXPECT_FALSE(check_futility(std::nan(""), 0.05, 5, 10, kGoal).futile);
}

TEST(EValueBlocks, IsTheFirstBlockAtWhichTheMixtureRejects) {
  const auto blocks = blocks_needed_by_e_value(0.03, 0.042, 5, 0.05);
  ASSERT_TRUE(blocks);
  const auto log_e = [](std::int64_t n) {
    return t_mixture_log_e(n, 0.03 / 0.042 * std::sqrt(static_cast<double>(n)));
  };
  EXPECT_TRUE(rejects(log_e(*blocks), 0.05));
  EXPECT_FALSE(rejects(log_e(*blocks - 1), 0.05));
  EXPECT_EQ(blocks_needed_by_e_value(-0.03, 0.042, 5, 0.05), blocks);
  EXPECT_NEAR(static_cast<double>(*blocks), 20, 4);  // simulated median: 20 blocks
}

TEST(EValueBlocks, NoEffectOrNoSpreadNeverDecides) {
  EXPECT_FALSE(blocks_needed_by_e_value(0, 1, 5, 0.05));
  EXPECT_FALSE(blocks_needed_by_e_value(1, 0, 5, 0.05));
  EXPECT_FALSE(blocks_needed_by_e_value(1, HUGE_VAL, 5, 0.05));
}

TEST(ConditionalPower, AgreesWithSimulatedFutures) {
  // 10 of 40 blocks, mean 0.3 sd: the other 30 are drawn about 0.3.
  const auto power = conditional_power(0.3, 1, 10, 40, 0.05);
  ASSERT_TRUE(power);
  Rng rng(3);
  int found = 0;
  constexpr int kFutures = 20'000;
  for (int i = 0; i < kFutures; ++i) {
    const double sum = 10 * 0.3 + 30 * 0.3 + std::sqrt(30.0) * rng.normal();
    found += std::abs(sum / std::sqrt(40.0)) > 1.959964 ? 1 : 0;
  }
  EXPECT_NEAR(*power, found / double{kFutures}, 0.012);
}

TEST(ConditionalPower, IsCertainAtTheCapAndGrowsWithTheEffect) {
  EXPECT_EQ(conditional_power(1, 1, 10, 10, 0.05), 1.0);
  EXPECT_EQ(conditional_power(0.1, 1, 10, 10, 0.05), 0.0);
  double before = 0;
  for (double effect = 0; effect < 2; effect += 0.1) {
    const double power = *conditional_power(effect, 1, 10, 30, 0.05);
    EXPECT_GE(power, before);
    EXPECT_EQ(power, *conditional_power(-effect, 1, 10, 30, 0.05));
    before = power;
  }
  EXPECT_FALSE(conditional_power(1, 0, 10, 30, 0.05));
  EXPECT_FALSE(conditional_power(1, 1, 0, 30, 0.05));
}

}  // namespace
}  // namespace schedlab::stats
