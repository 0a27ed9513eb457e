#include "stats/energy_distance.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "core/rng.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

Values steps(int from, int to, int by) {
  Values values;
  for (int value = from; value < to; value += by)
    values.push_back(value);
  return values;
}

double mean_distance(const Values& x, const Values& y) {
  double sum = 0;
  for (const double a : x) {
    for (const double b : y)
      sum += std::abs(a - b);
  }
  return sum / static_cast<double>(x.size() * y.size());
}

void expect_distance(const Values& x, const Values& y, double e, double t, double h) {
  const auto distance = energy_distance(x, y);
  ASSERT_TRUE(distance);
  EXPECT_NEAR(distance->e, e, 1e-3);
  EXPECT_NEAR(distance->t, t, 1e-3);
  EXPECT_NEAR(distance->h, h, 1e-3);
}

TEST(EnergyDistance, HasThePublishedValues) {
  expect_distance(steps(1, 100, 1), steps(1, 105, 1), 0.160, 8.136, 0.002);
  expect_distance(steps(1, 100, 1), steps(10000, 13000, 14), 21859.691, 1481794.709, 0.954);
  expect_distance(steps(300, 500, 1), steps(400, 900, 11), 268.352, 10035.943, 0.532);
}

TEST(EnergyDistance, IsTheSumOverPairsAndSymmetric) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    Values x(*rc::gen::inRange<std::size_t>(1, 15));
    Values y(*rc::gen::inRange<std::size_t>(1, 15));
    for (Values* values : {&x, &y}) {
      for (double& value : *values)
        value = static_cast<double>(rng.below(12)) / 4;
    }
    const double e = 2 * mean_distance(x, y) - mean_distance(x, x) - mean_distance(y, y);
    const auto distance = energy_distance(x, y);
    RC_ASSERT(std::abs(distance->e - e) < 1e-12);
    RC_ASSERT(distance->h >= 0 && distance->h <= 1 + 1e-12);
    RC_ASSERT(std::abs(energy_distance(y, x)->e - distance->e) < 1e-12);
  }));
}

TEST(EnergyDistance, OfEqualSamplesIsExactlyZero) {
  const Values x = steps(10, 70, 1);
  EXPECT_EQ(energy_distance(x, x)->e, 0);
  EXPECT_EQ(energy_distance(x, x)->h, 0);
  EXPECT_EQ(energy_distance(Values{3}, Values{3, 3})->h, 0);
}

TEST(EnergyDistance, RefusesTheUnusable) {
  EXPECT_FALSE(energy_distance(Values{}, Values{1}));
  EXPECT_FALSE(energy_distance(Values{1}, Values{}));
  EXPECT_FALSE(energy_distance(Values{1}, Values{std::nan("")}));
}

}  // namespace
}  // namespace schedlab::stats
