#include "core/rng.h"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace schedlab {
namespace {

// Known answers of philox4x32 with 10 rounds, from Random123's tests/kat_vectors.
TEST(Rng, PhiloxGivesThePublishedWords) {
  using Philox = r123::Philox4x32;
  const auto words = [](Philox::ctr_type counter, Philox::key_type key) {
    const auto out = Philox()(counter, key);
    return std::vector<std::uint32_t>(out.begin(), out.end());
  };
  EXPECT_EQ(words({{0, 0, 0, 0}}, {{0, 0}}),
            (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(words({{kOnes, kOnes, kOnes, kOnes}}, {{kOnes, kOnes}}),
            (std::vector<std::uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}}),
            (std::vector<std::uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, FirstDrawsOfSeedZeroAreTheKnownAnswer) {
  Rng rng(0);
  EXPECT_EQ(rng.next(), 0xe169c58d6627e8d5U);
  EXPECT_EQ(rng.next(), 0x9b00dbd8bc57ac4cU);
}

// The stored orders of experiments depend on these: a change is a change of format.
TEST(Rng, SeedAndStreamFixTheDraws) {
  Rng rng(42, 7);
  Rng again(42, 7);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(rng.next(), again.next());
}

TEST(Rng, StreamsAndSeedsDiffer) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
      Rng rng(seed, stream);
      for (int i = 0; i < 20; ++i, ++drawn)
        seen.insert(rng.next());
    }
  }
  EXPECT_EQ(seen.size(), drawn);
}

TEST(Rng, BelowStaysBelowAndReachesEveryValue) {
  Rng rng(1);
  for (const std::uint64_t bound : {1U, 2U, 3U, 7U, 10U}) {
    std::vector<int> counts(bound, 0);
    for (int i = 0; i < 10'000; ++i)
      ++counts.at(rng.below(bound));
    const double expected = 10'000.0 / static_cast<double>(bound);
    for (const int count : counts) {
      // Six standard deviations of a binomial count; the seed is fixed.
      EXPECT_NEAR(count, expected, 6 * std::sqrt(expected) + 1) << bound;
    }
  }
}

// A plain remainder would give values below 2^62 twice as often for this bound.
TEST(Rng, BelowHasNoModuloBias) {
  Rng rng(2);
  const std::uint64_t bound = 3 * (std::uint64_t{1} << 62U);
  int low = 0;
  for (int i = 0; i < 30'000; ++i)
    low += rng.below(bound) < (std::uint64_t{1} << 62U) ? 1 : 0;
  EXPECT_NEAR(low, 10'000, 500);
}

TEST(RngDeathTest, BelowZeroIsAMistake) {
  EXPECT_DEATH({ Rng(1).below(0); }, "bound > 0");
}

TEST(Rng, UniformNormalAndExponentialHaveTheirMoments) {
  Rng rng(3);
  constexpr int kDraws = 100'000;
  double uniform = 0;
  double normal = 0;
  double square = 0;
  double exponential = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    uniform += u;
    const double z = rng.normal();
    ASSERT_TRUE(std::isfinite(z));
    normal += z;
    square += z * z;
    exponential += rng.exponential();
  }
  EXPECT_NEAR(uniform / kDraws, 0.5, 0.01);
  EXPECT_NEAR(normal / kDraws, 0, 0.02);
  EXPECT_NEAR(square / kDraws, 1, 0.03);
  EXPECT_NEAR(exponential / kDraws, 1, 0.02);
}

TEST(Rng, ShuffleKeepsTheItemsAndReachesEveryOrder) {
  Rng rng(4);
  std::set<std::vector<int>> orders;
  for (int i = 0; i < 1'000; ++i) {
    std::vector<int> items(4);
    std::iota(items.begin(), items.end(), 0);
    rng.shuffle(std::span<int>(items));
    orders.insert(items);
    std::sort(items.begin(), items.end());
    ASSERT_EQ(items, (std::vector<int>{0, 1, 2, 3}));
  }
  EXPECT_EQ(orders.size(), 24U);
}

}  // namespace
}  // namespace schedlab
