// Answers published with the Pragmatic Statistical Toolkit's manual, and the definitions by brute
// force.
#include "stats/pairwise.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/rng.h"
#include "stats/rank_sum.h"
#include "stats/signed_rank.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

Values sequence(int first, int last) {
  Values values(static_cast<std::size_t>(last - first + 1));
  std::iota(values.begin(), values.end(), first);
  return values;
}

double median_of(Values values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Whole steps, so that ties are common, or not.
Values random_values(std::size_t n, std::uint64_t seed, bool stepped) {
  Rng rng(seed);
  Values values(n);
  for (double& value : values)
    value = stepped ? static_cast<double>(1 + rng.below(6)) : std::exp(rng.normal());
  return values;
}

TEST(Pairwise, AgreesWithThePublishedExamples) {
  const Values x = {0, 3, 6, 9, 12};
  const Values y = {0, 2, 4, 6, 8};
  EXPECT_EQ(spread(x), 6);
  EXPECT_EQ(spread(y), 4);
  EXPECT_EQ(hodges_lehmann(x), 6);
  EXPECT_EQ(hodges_lehmann_shift(x, y), 2);
  EXPECT_NEAR(disparity(x, y).value_or(0), 0.4, 1e-15);
  EXPECT_NEAR(disparity(y, x).value_or(0), -0.4, 1e-15);
}

TEST(Pairwise, BoundsAgreeWithThePublishedExamples) {
  const auto ratio = ratio_bounds(sequence(1, 5), sequence(2, 6), 0.05);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->low, 1.0 / 3, 1e-12);
  EXPECT_NEAR(ratio->high, 1.5, 1e-12);
  const Values x = sequence(1, 30);
  const Values y = sequence(21, 50);
  const auto expect_shift = [&](double misrate, double low, double high) {
    const auto bounds = shift_bounds(x, y, misrate);
    ASSERT_TRUE(bounds);
    EXPECT_EQ(bounds->low, low);
    EXPECT_EQ(bounds->high, high);
  };
  expect_shift(1e-6, -33, -7);
  expect_shift(1e-5, -32, -8);
  expect_shift(1e-4, -30, -10);
}

// Pairs left out at both ends by the same manual's PairwiseMargin(30, 30, misrate).
TEST(Pairwise, LeavesOutThePublishedNumberOfPairs) {
  EXPECT_EQ(2 * shift_interval_rank(30, 30, 1 - 1e-6), 276U);
  EXPECT_EQ(2 * shift_interval_rank(30, 30, 1 - 1e-5), 328U);
  EXPECT_EQ(2 * shift_interval_rank(30, 30, 1 - 1e-4), 390U);
  EXPECT_EQ(2 * shift_interval_rank(30, 30, 1 - 1e-3), 464U);
}

TEST(Pairwise, TheIntervalForVerdictsIsOnePairWider) {
  const auto bounds = shift_bounds(sequence(1, 5), {{2, 3.1, 4.3, 5.7, 6.2}}, 0.05);
  const auto interval =
      hodges_lehmann_shift_interval(sequence(1, 5), Values{2, 3.1, 4.3, 5.7, 6.2}, 0.95);
  ASSERT_TRUE(bounds && interval);
  EXPECT_LT(interval->low, bounds->low);
  EXPECT_GT(interval->high, bounds->high);
}

TEST(Pairwise, IsTheMedianOverAllPairs) {
  rc::check([](std::uint32_t seed) {
    const bool stepped = seed % 2 == 0;
    const Values x = random_values(2 + seed % 23, seed, stepped);
    const Values y = random_values(2 + seed / 32 % 23, seed + 1ULL, stepped);
    Values gaps;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = i + 1; j < x.size(); ++j)
        gaps.push_back(std::abs(x[i] - x[j]));
    RC_ASSERT(spread(x) == median_of(gaps));
    Values logs;
    Values sorted;
    for (const double a : x) {
      for (const double b : y) {
        logs.push_back(std::log(a) - std::log(b));
        sorted.push_back(a - b);
      }
    }
    RC_ASSERT(std::abs(pairwise_ratio(x, y).value() / std::exp(median_of(logs)) - 1) < 1e-14);
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 1; k <= sorted.size(); k += 1 + sorted.size() / 7)
      RC_ASSERT(kth_difference(x, y, k) == sorted[k - 1]);
  });
}

TEST(Pairwise, FollowsUnitOriginAndSwap) {
  rc::check([](std::uint32_t seed) {
    const Values x = random_values(7, seed, false);
    const Values y = random_values(9, seed + 1ULL, false);
    Values scaled;
    Values moved;
    for (const double value : x) {
      scaled.push_back(8 * value);
      moved.push_back(value + 1);
    }
    RC_ASSERT(spread(scaled) == 8 * spread(x));
    RC_ASSERT(std::abs(spread(moved) - spread(x)) < 1e-13);
    RC_ASSERT(disparity(x, y).value() == -disparity(y, x).value());
    RC_ASSERT(std::abs(pairwise_ratio(x, y).value() * pairwise_ratio(y, x).value() - 1) < 1e-14);
    const auto there = ratio_bounds(x, y, 0.1);
    const auto back = ratio_bounds(y, x, 0.1);
    RC_ASSERT(there.has_value() && back.has_value());
    RC_ASSERT(std::abs(there->low * back->high - 1) < 1e-13);
    RC_ASSERT(std::abs(there->high * back->low - 1) < 1e-13);
  });
}

TEST(Pairwise, SpreadOfNormalValuesIsAboutTheirDeviation) {
  Rng rng(4);
  Values values(100'000);
  for (double& value : values)
    value = rng.normal();
  EXPECT_NEAR(spread(values), 0.9539, 0.01);  // sqrt(2) times the normal's upper quartile
}

TEST(Pairwise, HasNoAnswerForTooLittleOrConstantOrNegative) {
  EXPECT_EQ(spread({}), 0);
  EXPECT_EQ(spread(Values{1}), 0);
  EXPECT_EQ(spread(Values{3, 3, 3}), 0);
  EXPECT_FALSE(disparity(Values{3, 3, 3}, Values{4, 4}));
  EXPECT_FALSE(disparity(Values{3}, Values{4, 5}));
  EXPECT_FALSE(pairwise_ratio(Values{}, Values{1}));
  EXPECT_FALSE(pairwise_ratio(Values{1, 0}, Values{1}));
  EXPECT_FALSE(pairwise_ratio(Values{1, -2}, Values{1}));
  EXPECT_FALSE(shift_bounds(Values{}, Values{1}, 0.05));
  EXPECT_FALSE(shift_bounds(Values{1}, Values{2}, 0.05));
  EXPECT_FALSE(shift_bounds(sequence(1, 5), sequence(2, 6), 0));
  EXPECT_FALSE(shift_bounds(sequence(1, 5), sequence(2, 6), std::nan("")));
  EXPECT_FALSE(shift_bounds(sequence(1, 5), sequence(2, 6), 1e-9));
  EXPECT_FALSE(ratio_bounds(sequence(0, 5), sequence(2, 6), 0.05));
}

TEST(Pairwise, TakesAMillionValues) {
  Values values(1'000'000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i);
  EXPECT_NEAR(spread(values), 1e6 * (1 - std::sqrt(0.5)), 2);
}

}  // namespace
}  // namespace schedlab::stats
