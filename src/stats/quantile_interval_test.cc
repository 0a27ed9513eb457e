#include "stats/quantile_interval.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/rng.h"
#include "stats/median_interval.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// P(low <= B < high) by summing the binomial's terms.
double coverage_by_terms(std::int64_t n, double q, std::int64_t low, std::int64_t high) {
  double sum = 0;
  for (std::int64_t k = low; k < high; ++k) {
    const auto whole = static_cast<double>(n);
    const auto part = static_cast<double>(k);
    sum += std::exp(std::lgamma(whole + 1) - std::lgamma(part + 1) - std::lgamma(whole - part + 1) +
                    part * std::log(q) + (whole - part) * std::log1p(-q));
  }
  return sum;
}

TEST(QuantileRanks, NeedTheKnownNumberOfSamples) {
  EXPECT_EQ(quantile_minimum_samples(0.5, 0.95), 6);
  EXPECT_EQ(quantile_minimum_samples(0.9, 0.95), 29);
  EXPECT_EQ(quantile_minimum_samples(0.95, 0.95), 59);
  EXPECT_EQ(quantile_minimum_samples(0.99, 0.95), 299);
  EXPECT_EQ(quantile_minimum_samples(0.999, 0.95), 2995);
  EXPECT_EQ(quantile_minimum_samples(0.01, 0.95), 299);
  for (const double q : {0.5, 0.9, 0.95, 0.99, 0.999, 0.01}) {
    const std::int64_t minimum = quantile_minimum_samples(q, 0.95);
    EXPECT_TRUE(quantile_ranks(minimum, q, 0.95)) << q;
    EXPECT_FALSE(quantile_ranks(minimum - 1, q, 0.95)) << q;
  }
}

TEST(QuantileRanks, OfTheMedianAreThoseOfTheSignTest) {
  for (const std::int64_t n : {5, 6, 10, 20, 30, 101}) {
    const auto ours = quantile_ranks(n, 0.5, 0.95);
    const auto known = median_ranks(n, 0.95);
    ASSERT_EQ(ours.has_value(), known.has_value()) << n;
    if (!ours) continue;
    EXPECT_EQ(ours->low, known->low);
    EXPECT_EQ(ours->high, known->high);
    EXPECT_NEAR(ours->coverage, known->coverage, 1e-12);
  }
}

TEST(QuantileRanks, CoverWhatTheySayAndMirror) {
  rc::check([](std::uint16_t seed) {
    const std::int64_t n = 1 + seed % 400;
    const double q = 0.01 + 0.98 * (seed / 65536.0);
    const auto ranks = quantile_ranks(n, q, 0.95);
    if (!ranks) {
      RC_ASSERT(n < quantile_minimum_samples(q, 0.95));
      return;
    }
    RC_ASSERT(1 <= ranks->low && ranks->low < ranks->high && ranks->high <= n);
    RC_ASSERT(ranks->coverage >= 0.95 - 1e-12);
    RC_ASSERT(std::abs(ranks->coverage - coverage_by_terms(n, q, ranks->low, ranks->high)) < 1e-9);
    const auto mirrored = quantile_ranks(n, 1 - q, 0.95);
    RC_ASSERT(mirrored.has_value());
    RC_ASSERT(std::abs(mirrored->low - (n + 1 - ranks->high)) <= 1);  // 1 - q is rounded
  });
}

TEST(QuantileInterval, IsMadeOfOrderStatistics) {
  Values values(299);
  std::iota(values.begin(), values.end(), 1.0);
  const auto p99 = quantile_interval(values, 0.99, 0.95);
  ASSERT_TRUE(p99) << p99.error().message;
  EXPECT_EQ(p99->value, 297);
  EXPECT_EQ(p99->high, 299);
  EXPECT_EQ(p99->bin_width, 0);
  EXPECT_FALSE(p99->resolution_limited(0.01));
  EXPECT_GE(p99->coverage, 0.95);
}

TEST(QuantileInterval, SaysHowManySamplesItNeeds) {
  const auto found = quantile_interval(Values(298, 1.0), 0.99, 0.95);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("299"), std::string::npos) << found.error().message;
}

TEST(QuantileInterval, HoldsTheTruthAtItsRate) {
  int held = 0;
  constexpr int kTrials = 1'000;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Rng rng(trial);
    Values values(500);
    for (double& value : values)
      value = rng.exponential();
    const auto found = quantile_interval(values, 0.99, 0.95);
    ASSERT_TRUE(found);
    held += found->low <= std::log(100) && std::log(100) <= found->high ? 1 : 0;
  }
  EXPECT_GE(held, kTrials * 94 / 100);
}

TEST(QuantileInterval, OfAHistogramHoldsTheOneOfItsSamples) {
  Rng rng(2);
  Histogram histogram;
  Values values;
  for (int i = 0; i < 5'000; ++i) {
    const auto ns = static_cast<std::uint64_t>(20'000 * std::exp(0.8 * rng.normal()));
    histogram.record(ns);
    values.push_back(static_cast<double>(ns));
  }
  for (const double q : {0.1, 0.5, 0.9, 0.99, 0.999}) {
    const auto exact = quantile_interval(values, q, 0.95);
    const auto binned = quantile_interval(histogram, q, 0.95);
    ASSERT_TRUE(exact && binned);
    EXPECT_GE(binned->value, exact->value);
    EXPECT_LE(binned->value, exact->value * (1 + 1.0 / 256));
    EXPECT_LE(binned->low, exact->low);
    EXPECT_GE(binned->high, exact->high);
    EXPECT_LE(binned->high, exact->high * (1 + 1.0 / 256));
    EXPECT_EQ(binned->coverage, exact->coverage);
    EXPECT_EQ(
        binned->bin_width,
        static_cast<double>(Histogram::bucket_width(static_cast<std::uint64_t>(binned->value))));
  }
}

TEST(QuantileInterval, KnowsWhenAStepIsCoarserThanTheMargin) {
  Histogram small;  // whole microseconds around 20: one step is 5 %
  Histogram large;
  for (std::uint64_t i = 0; i < 100; ++i) {
    small.record(18 + i % 5);
    large.record(20'000 + i);
  }
  const auto coarse = quantile_interval(small, 0.5, 0.95);
  const auto fine = quantile_interval(large, 0.5, 0.95);
  const auto fine_in_whole_microseconds = quantile_interval(large, 0.5, 0.95, 1'000);
  ASSERT_TRUE(coarse && fine && fine_in_whole_microseconds);
  EXPECT_TRUE(coarse->resolution_limited(0.01));
  EXPECT_FALSE(coarse->resolution_limited(0.06));
  EXPECT_FALSE(fine->resolution_limited(0.01));
  EXPECT_TRUE(fine_in_whole_microseconds->resolution_limited(0.01));
  EXPECT_TRUE((QuantileInterval{.value = 0, .low = 0, .high = 0, .bin_width = 1, .coverage = 0})
                  .resolution_limited(0.5));
}

TEST(QuantileInterval, RefusesWhatItCannotAnswer) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(quantile_interval(Values{}, 0.5, 0.95));
  EXPECT_FALSE(quantile_interval(Values{1}, 0.5, 0.95));
  EXPECT_FALSE(quantile_interval(Values{1, 2, 3, 4, 5, nan, 7}, 0.5, 0.95));
  EXPECT_FALSE(quantile_interval(Values(100, 1.0), 0, 0.95));
  EXPECT_FALSE(quantile_interval(Values(100, 1.0), 1, 0.95));
  EXPECT_FALSE(quantile_interval(Values(100, 1.0), nan, 0.95));
  EXPECT_FALSE(quantile_interval(Values(100, 1.0), 0.5, nan));
  EXPECT_FALSE(quantile_interval(Histogram(), 0.5, 0.95));
  Histogram too_large;
  too_large.record_many(Histogram::kMaxTrackable + 1, 100);
  EXPECT_FALSE(quantile_interval(too_large, 0.5, 0.95));
  EXPECT_FALSE(quantile_ranks(-3, 0.5, 0.95));
  EXPECT_EQ(quantile_minimum_samples(nan, 0.95), 0);
}

TEST(QuantileInterval, TakesConstantDataAndTenMillionSamples) {
  const auto constant = quantile_interval(Values(100, 4.0), 0.9, 0.95);
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->low, 4);
  EXPECT_EQ(constant->high, 4);
  const auto ranks = quantile_ranks(10'000'000, 0.999, 0.95);
  ASSERT_TRUE(ranks);
  EXPECT_NEAR(static_cast<double>(ranks->high - ranks->low), 2 * 1.96 * std::sqrt(9'990), 3);
}

}  // namespace
}  // namespace schedlab::stats
