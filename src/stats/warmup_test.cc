#include "stats/warmup.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "core/rng.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// Each batch mean five times, so that the batches are what is written.
Values batches(const Values& means) {
  Values series;
  for (const double value : means)
    series.insert(series.end(), kWarmupBatch, value);
  return series;
}

TEST(Warmup, ByHand) {
  // Cut 0: mean 2, squares 81 + 9 x 1 = 90, 90/100 = 0.9. Cut 1: the other nine are equal: 0.
  const auto one = find_warmup(batches({11, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->discard, 5U);
  EXPECT_NEAR(one->mser, 0, 1e-12);
  EXPECT_TRUE(one->settled);

  // 3 1 -1 1 -1 ...: cut 0 leaves mean 0.4, squares 18 - 1.6 = 16.4 over 100 = 0.164; cut 1 mean
  // 1/9, squares 9 - 1/9 over 81 = 0.10974; cut 2 squares 8 over 64 = 0.125; later cuts are dearer.
  const auto two = find_warmup(batches({3, 1, -1, 1, -1, 1, -1, 1, -1, 1}));
  ASSERT_TRUE(two);
  EXPECT_EQ(two->discard, 5U);
  EXPECT_NEAR(two->mser, (9 - 1.0 / 9) / 81, 1e-12);
}

TEST(Warmup, ASmallStartIsNotWorthItsSamples) {
  // 2 1 -1 1 -1 ...: cut 0 squares 13 - 0.9 = 12.1 over 100 = 0.121; cut 1 0.10974; 1.5: squares
  // 11.25 - 0.625 = 10.625 hence 0.10625 < 0.10974, so nothing is cut.
  const auto kept = find_warmup(batches({1.5, 1, -1, 1, -1, 1, -1, 1, -1, 1}));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->discard, 0U);
  EXPECT_NEAR(kept->mser, 0.1 * (11.25 - 2.5 * 2.5 / 10) / 10, 1e-12);
}

TEST(Warmup, ARunThatNeverSettlesSaysSo) {
  Values series;
  for (int i = 0; i < 200; ++i)
    series.push_back(i < 150 ? i : 150);
  const auto warmup = find_warmup(series);
  ASSERT_TRUE(warmup);
  EXPECT_FALSE(warmup->settled);
  EXPECT_EQ(warmup->discard, 0U);
}

TEST(Warmup, FindsAnExponentialStart) {
  Rng rng(12);
  Values series;
  for (int i = 0; i < 1000; ++i)
    series.push_back(100 + 50 * std::exp(-i / 20.0) + rng.normal());
  const auto warmup = find_warmup(series);
  ASSERT_TRUE(warmup);
  EXPECT_TRUE(warmup->settled);
  EXPECT_GE(warmup->discard, 40U);
  EXPECT_LE(warmup->discard, 150U);
}

TEST(Warmup, CutsLittleFromASteadyRun) {
  std::size_t cut = 0;
  for (std::uint64_t r = 0; r < 200; ++r) {
    Rng rng(5, r);
    Values series(500);
    for (double& value : series)
      value = rng.normal();
    cut += find_warmup(series)->discard;
  }
  EXPECT_LT(static_cast<double>(cut) / 200, 60);
}

TEST(Warmup, IsFreeOfUnitAndShift) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    Values values(100);
    for (double& value : values)
      value = static_cast<double>(rng.below(50));
    Values other = values;
    for (double& value : other)
      value = 64 - 4 * value;
    RC_ASSERT(std::abs(find_warmup(other)->mser - 16 * find_warmup(values)->mser) < 1e-9);
    RC_ASSERT(find_warmup(other)->discard == find_warmup(values)->discard);
  }));
}

TEST(Warmup, ConstantsNeedNoneAndTheUnusableIsRefused) {
  EXPECT_EQ(find_warmup(Values(100, 0.1))->discard, 0U);
  EXPECT_TRUE(find_warmup(Values(100, 0.1))->settled);
  EXPECT_FALSE(find_warmup(Values{}));
  EXPECT_FALSE(find_warmup(Values(49, 1.0)));
  Values series(60, 1.0);
  series[30] = std::nan("");
  EXPECT_FALSE(find_warmup(series));
}

TEST(Warmup, HandlesTenMillionSamples) {
  Values series(10'000'000, 2.0);
  for (std::size_t i = 0; i < 1000; ++i)
    series[i] = 100;
  EXPECT_EQ(find_warmup(series)->discard, 1000U);
}

}  // namespace
}  // namespace schedlab::stats
