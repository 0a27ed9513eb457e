#include "stats/quantile.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/rng.h"
#include "stats/distributions.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

const Values kSpatialA = {48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                          0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};

TEST(HarrellDavis, AgreesWithHmiscOnSpatialA) {
  EXPECT_NEAR(harrell_davis(kSpatialA, 0.5), 31.14352, 5e-6);
  EXPECT_NEAR(harrell_davis(kSpatialA, 0.9), 44.87472, 5e-6);
  EXPECT_NEAR(harrell_davis(kSpatialA, 0.99), 47.88327, 5e-6);
}

TEST(Quantile, AgreesWithRsTypeSevenOnSpatialA) {
  EXPECT_DOUBLE_EQ(quantile(kSpatialA, 0.5), 31);
  EXPECT_DOUBLE_EQ(quantile(kSpatialA, 0.9), 43.5);
  EXPECT_DOUBLE_EQ(quantile(kSpatialA, 0.99), 47.75);
  EXPECT_EQ(quantile(kSpatialA, 0), 0);
  EXPECT_EQ(quantile(kSpatialA, 1), 48);
}

TEST(Quantile, OfNothingOneValueOrAnOddRequestIsDefined) {
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(harrell_davis({}, 0.5), 0);
  for (const double q : {-1.0, 0.0, 0.3, 1.0, 7.0, std::nan("")}) {
    EXPECT_EQ(quantile(Values{5}, q), 5);
    EXPECT_EQ(harrell_davis(Values{5}, q), 5);
    EXPECT_EQ(harrell_davis(Values{3, 3, 3}, q), 3);
  }
  Values nothing;
  EXPECT_EQ(median_in_place(nothing), 0);
}

TEST(Quantile, HalfIsTheMedianAndBothMirror) {
  rc::check([](std::uint32_t seed) {
    Rng rng(seed);
    Values values(1 + seed % 40);
    Values mirrored;
    for (double& value : values)
      mirrored.push_back(-(value = rng.normal()));
    Values copy = values;
    RC_ASSERT(std::abs(median_in_place(copy) - quantile(values, 0.5)) < 1e-15);
    for (const double q : {0.03, 0.25, 0.5, 0.9}) {
      RC_ASSERT(std::abs(quantile(values, q) + quantile(mirrored, 1 - q)) < 1e-12);
      RC_ASSERT(std::abs(harrell_davis(values, q) + harrell_davis(mirrored, 1 - q)) < 1e-11);
    }
  });
}

TEST(HarrellDavis, RisesWithTheShareAndStaysWithin) {
  double before = -1;
  for (double q = 0; q <= 1; q += 1.0 / 64) {
    const double value = harrell_davis(kSpatialA, q);
    EXPECT_GT(value, before);
    EXPECT_LE(value, 48);
    before = value;
  }
}

// Every weight written out, against the window that large samples use.
TEST(HarrellDavis, LeavesOutOnlyWeightsThatDoNotCount) {
  Rng rng(1);
  for (const double q : {0.0005, 0.01, 0.5, 0.95, 0.9999}) {
    Values values(20'000);
    for (double& value : values)
      value = 1000 * rng.exponential();
    const double windowed = harrell_davis(values, q);
    std::sort(values.begin(), values.end());
    const auto n = static_cast<double>(values.size());
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto upto = [&](std::size_t k) {
        return beta_cdf(static_cast<double>(k) / n, (n + 1) * q, (n + 1) * (1 - q));
      };
      sum += (upto(i + 1) - upto(i)) * values[i];
    }
    EXPECT_NEAR(windowed / sum, 1, 1e-10) << q;
  }
}

TEST(HarrellDavis, TakesTenMillionValues) {
  Values values(10'000'000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i);
  EXPECT_NEAR(harrell_davis(values, 0.999), 9'990'000, 1);
}

}  // namespace
}  // namespace schedlab::stats
