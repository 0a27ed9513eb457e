// Published BCa answers (Efron and Tibshirani 1993; R's boot), what must hold whatever the data,
// and what is refused.
#include "stats/bootstrap.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/rng.h"
#include "stats/quantile.h"
#include "stats/resampling.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// Spatial perception test A of 26 children (Efron and Tibshirani 1993, table 14.1).
const Values kSpatialA = {48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                          0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};

// Fifteen law schools: mean admission test score and mean grade (the same, table 3.1).
const Values kLsat = {576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594};
const Values kGpa = {
    3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96};

// R's boot `city`: population of ten cities in 1920 and 1930, in thousands.
const Values kCity1920 = {138, 93, 61, 179, 48, 37, 29, 23, 30, 2};
const Values kCity1930 = {143, 104, 69, 260, 75, 63, 50, 48, 111, 50};

double population_variance(std::span<double> values) {
  const double sd = summarise(values).population_sd;
  return sd * sd;
}

double correlation(std::span<double> x, std::span<double> y) {
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / std::sqrt(xx * yy);
}

double ratio_of_sums(std::span<double> x, std::span<double> y) {
  return std::accumulate(x.begin(), x.end(), 0.0) / std::accumulate(y.begin(), y.end(), 0.0);
}

double log_ratio_of_medians(std::span<double> x, std::span<double> y) {
  return std::log(median_in_place(x)) - std::log(median_in_place(y));
}

Values normal_values(std::size_t n, double centre, double sd, std::uint64_t seed) {
  Rng rng(seed);
  Values values(n);
  for (double& value : values)
    value = centre + sd * rng.normal();
  return values;
}

// The published ends are draws themselves, of 999 to 200,000 resamples; the tolerances are two to
// three of their standard errors. Estimates and accelerations are exact.
TEST(Bca, AgreesWithEfronAndTibshiraniOnTheSpatialVariance) {
  const auto found =
      bca(kSpatialA, population_variance, {.seed = 1, .resamples = 100'000, .confidence = 0.90});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->estimate, 171.534, 0.0005);
  EXPECT_NEAR(found->acceleration, 0.0612401, 5e-8);
  EXPECT_NEAR(found->interval.low, 115.6, 0.7);
  EXPECT_NEAR(found->interval.high, 260.9, 1.3);
}

TEST(Bca, AgreesWithEfronAndTibshiraniOnTheLawSchools) {
  const auto found = bca_paired(kLsat, kGpa, correlation, {.seed = 1, .resamples = 100'000});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->estimate, 0.776374, 5e-7);
  EXPECT_NEAR(found->acceleration, -0.0756716, 5e-8);
  EXPECT_NEAR(found->interval.low, 0.323, 0.015);
  EXPECT_NEAR(found->interval.high, 0.941, 0.002);
}

TEST(Bca, AgreesWithRsBootOnTheRatioOfCitySizes) {
  const auto found =
      bca_paired(kCity1930, kCity1920, ratio_of_sums, {.seed = 1, .resamples = 100'000});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->estimate, 1.520313, 6e-7);
  EXPECT_NEAR(found->acceleration, -0.0112032, 5e-8);
  EXPECT_NEAR(found->interval.low, 1.257, 0.015);
  EXPECT_NEAR(found->interval.high, 2.128, 0.045);
}

// Frozen: the bits must not depend on the compiler or its options. Medians of whole numbers, so
// that no sum could be taken in another order.
TEST(Bca, GivesTheSameBitsEverywhere) {
  const auto found = bca(kSpatialA, median_in_place, {.seed = 7, .resamples = 2'000});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->estimate, 31);
  EXPECT_EQ(found->interval.low, 24);
  EXPECT_EQ(found->interval.high, 41);
  PositionDrawer positions(7, 0);
  std::vector<std::uint32_t> drawn;
  for (int i = 0; i < 8; ++i)
    drawn.push_back(positions.below(26));
  EXPECT_EQ(drawn, (std::vector<std::uint32_t>{24, 19, 2, 2, 10, 20, 4, 24}));
}

TEST(Bca, SwappedArmsGetExactlyTheNegatedInterval) {
  rc::check([](std::uint32_t seed) {
    const Values x = normal_values(4 + seed % 20, 100, 5, seed);
    const Values y = normal_values(4 + seed / 64 % 20, 102, 9, seed + 1ULL);
    const BootstrapOptions options{.seed = seed, .resamples = 400};
    const auto there = bca_two_sample(x, y, log_ratio_of_medians, options);
    const auto back = bca_two_sample(y, x, log_ratio_of_medians, options);
    RC_ASSERT(there.has_value() == back.has_value());
    if (!there) return;
    RC_ASSERT(there->estimate == -back->estimate);
    RC_ASSERT(there->interval.low == -back->interval.high);
    RC_ASSERT(there->interval.high == -back->interval.low);
    RC_ASSERT(there->acceleration == -back->acceleration);
  });
}

TEST(Bca, NegatedDifferencesGetExactlyTheNegatedInterval) {
  rc::check([](std::uint32_t seed) {
    const Values d = normal_values(4 + seed % 30, 0.3, 1, seed);
    Values opposite;
    for (const double value : d)
      opposite.push_back(-value);
    const BootstrapOptions options{.seed = seed, .resamples = 400};
    for (const bool of_mean : {false, true}) {
      const auto figure = [&](std::span<double> v) {
        return of_mean ? mean(v) : median_in_place(v);
      };
      const auto there = bca(d, figure, options);
      const auto back = bca(opposite, figure, options);
      RC_ASSERT(there.has_value() == back.has_value());
      if (!there) return;
      RC_ASSERT(there->interval.low == -back->interval.high);
      RC_ASSERT(there->interval.high == -back->interval.low);
    }
  });
}

TEST(Bca, SwappedPairsGetExactlyTheNegatedInterval) {
  const BootstrapOptions options{.seed = 3, .resamples = 1'000};
  const auto there = bca_paired(kCity1930, kCity1920, log_ratio_of_medians, options);
  const auto back = bca_paired(kCity1920, kCity1930, log_ratio_of_medians, options);
  ASSERT_TRUE(there && back);
  EXPECT_EQ(there->interval.low, -back->interval.high);
  EXPECT_EQ(there->interval.high, -back->interval.low);
}

TEST(Bca, DoesNotDependOnTheOrderOfTheValues) {
  rc::check([](std::uint32_t seed) {
    Values x = normal_values(12, 100, 5, seed);
    Values y = normal_values(9, 100, 5, seed + 1ULL);
    const BootstrapOptions options{.resamples = 300};
    const auto before = bca_two_sample(x, y, log_ratio_of_medians, options);
    Rng rng(seed);
    rng.shuffle(std::span(x));
    rng.shuffle(std::span(y));
    const auto after = bca_two_sample(x, y, log_ratio_of_medians, options);
    RC_ASSERT(before.has_value() && after.has_value());
    RC_ASSERT(before->interval.low == after->interval.low);
    RC_ASSERT(before->interval.high == after->interval.high);
  });
}

TEST(Bca, FollowsTheUnit) {  // a power of two, so that not even rounding differs
  const Values x = normal_values(15, 100, 5, 1);
  Values in_other_unit;
  for (const double value : x)
    in_other_unit.push_back(value * 1024);
  const auto one = bca(x, median_in_place, {});
  const auto other = bca(in_other_unit, median_in_place, {});
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->interval.low * 1024, other->interval.low);
  EXPECT_EQ(one->interval.high * 1024, other->interval.high);
}

TEST(Bca, WidensWithTheConfidence) {
  double width = 0;
  for (const double confidence : {0.5, 0.8, 0.9, 0.95, 0.99}) {
    const auto found = bca(kSpatialA, population_variance, {.confidence = confidence});
    ASSERT_TRUE(found);
    EXPECT_GT(found->interval.high - found->interval.low, width);
    width = found->interval.high - found->interval.low;
  }
}

TEST(Bca, HoldsTheTrueRatioOfMediansAtItsRate) {
  int held = 0;
  constexpr int kTrials = 400;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const Values x = normal_values(10, 100, 5, 2 * trial);
    const Values y = normal_values(10, 100, 5, 2 * trial + 1);
    const auto found =
        bca_two_sample(x, y, log_ratio_of_medians, {.seed = trial, .resamples = 600});
    ASSERT_TRUE(found);
    held += found->interval.contains(0) ? 1 : 0;
  }
  EXPECT_GE(held, kTrials * 92 / 100);
  EXPECT_LE(held, kTrials * 98 / 100);
}

// Boots scatter by 2 %, runs within a boot by 0.2 %: ten runs of each of six boots are six
// replicates, not sixty.
TEST(BcaClustered, DoesNotTakeRunsForBoots) {
  int held = 0;
  int held_if_pooled = 0;
  constexpr int kTrials = 200;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Rng rng(trial);
    std::vector<Cluster> x(8);
    std::vector<Cluster> y(8);
    for (std::vector<Cluster>* arm : {&x, &y}) {
      for (Cluster& boot : *arm) {
        const double level = 100 * (1 + 0.02 * rng.normal());
        for (int run = 0; run < 5; ++run)
          boot.push_back(level * (1 + 0.002 * rng.normal()));
      }
    }
    Values all_x;
    Values all_y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      all_x.insert(all_x.end(), x[i].begin(), x[i].end());
      all_y.insert(all_y.end(), y[i].begin(), y[i].end());
    }
    const BootstrapOptions options{.seed = trial, .resamples = 400};
    const auto found = bca_clustered_two_sample(x, y, log_ratio_of_medians, options);
    const auto pooled = bca_two_sample(all_x, all_y, log_ratio_of_medians, options);
    ASSERT_TRUE(found && pooled);
    held += found->interval.contains(0) ? 1 : 0;
    held_if_pooled += pooled->interval.contains(0) ? 1 : 0;
  }
  EXPECT_GE(held, kTrials * 88 / 100);
  EXPECT_LT(held_if_pooled, kTrials * 75 / 100);
}

TEST(BcaClustered, OneRunPerBootIsThePlainBootstrap) {
  std::vector<Cluster> boots;
  for (const double value : kSpatialA)
    boots.push_back({value});
  const auto clustered = bca_clustered(boots, median_in_place, {});
  const auto plain = bca(kSpatialA, median_in_place, {});
  ASSERT_TRUE(clustered && plain);
  EXPECT_EQ(clustered->interval.low, plain->interval.low);
  EXPECT_EQ(clustered->interval.high, plain->interval.high);
}

TEST(BcaClustered, PairedBlocksCancelWhatBothArmsShare) {
  Rng rng(5);
  std::vector<Cluster> x(10);
  std::vector<Cluster> y(10);
  for (std::size_t block = 0; block < x.size(); ++block) {
    const double level = 100 * (1 + 0.1 * rng.normal());
    for (int run = 0; run < 3; ++run) {
      x[block].push_back(level * 1.02 * (1 + 0.001 * rng.normal()));
      y[block].push_back(level * (1 + 0.001 * rng.normal()));
    }
  }
  const auto log_ratio_of_means = [](std::span<double> a, std::span<double> b) {
    return std::log(mean(a)) - std::log(mean(b));
  };
  const auto paired = bca_clustered_paired(x, y, log_ratio_of_means, {});
  const auto apart = bca_clustered_two_sample(x, y, log_ratio_of_means, {});
  ASSERT_TRUE(paired && apart);
  EXPECT_GT(paired->interval.low, 0.015);
  EXPECT_LT(paired->interval.high, 0.025);
  EXPECT_LT(apart->interval.low, 0);
}

TEST(Bca, RefusesWhatItCannotAnswer) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(bca({}, median_in_place));
  EXPECT_FALSE(bca(Values{1}, median_in_place));
  EXPECT_FALSE(bca(Values{1, 2, 3}, median_in_place));
  EXPECT_FALSE(bca(Values{1, 2, 3, nan, 5}, median_in_place));
  EXPECT_FALSE(bca(Values{1, 2, 3, infinity, 5}, median_in_place));
  EXPECT_FALSE(bca(Values{5, 5, 5, 5, 5, 5}, median_in_place));
  EXPECT_FALSE(bca(kSpatialA, median_in_place, {.resamples = 10}));
  EXPECT_FALSE(bca(kSpatialA, median_in_place, {.confidence = 1}));
  EXPECT_FALSE(bca(kSpatialA, median_in_place, {.confidence = nan}));
  EXPECT_FALSE(bca_paired(kLsat, kCity1920, correlation));
  const std::vector<Cluster> with_hole = {{1, 2}, {}, {3}, {4}, {5}};
  EXPECT_FALSE(bca_clustered(with_hole, median_in_place));
  EXPECT_FALSE(bca_clustered(std::vector<Cluster>{{1, 2, 3, 4, 5, 6, 7, 8}}, median_in_place));
}

TEST(Bca, RefusesTenMillionValuesAtOnce) {
  const Values many(10'000'000, 1.0);
  const auto found = bca(many, median_in_place);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("ranks"), std::string::npos);
}

TEST(Bca, CountsTheResamplesWhoseFigureIsNotANumber) {
  const Values with_zeros = {0, 0, 0, 0, 0, 1, 2, 3};  // a median of 0 has no logarithm
  const auto found =
      bca(with_zeros, [](std::span<double> v) { return std::log(median_in_place(v)); });
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("not finite"), std::string::npos);
}

TEST(PositionDrawer, DrawsEveryPositionAlike) {
  PositionDrawer positions(1, 0);
  std::vector<int> seen(7);
  for (int i = 0; i < 70'000; ++i)
    ++seen[positions.below_size(7)];
  for (const int count : seen)
    EXPECT_NEAR(count, 10'000, 400);  // more than four standard deviations
}

}  // namespace
}  // namespace schedlab::stats
