#include "stats/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/rng.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// Test series of Apache Otava.
const Values kThreeLevels = {
    0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0};
const Values kTwoLevels = {1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96,
                           0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51, 0.50, 0.49};

std::vector<std::size_t> indices(const std::vector<ChangePoint>& points) {
  std::vector<std::size_t> result;
  for (const ChangePoint& point : points)
    result.push_back(point.index);
  return result;
}

Values noise(Rng& rng, std::size_t n) {
  Values values(n);
  for (double& value : values)
    value = rng.normal();
  return values;
}

// Q straight from its definition.
double q_of(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const auto m = static_cast<double>(y.size());
  const auto pairs = [](std::span<const double> values) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        sum += std::abs(values[i] - values[j]);
    }
    return sum;
  };
  double between = 0;
  for (const double a : x) {
    for (const double b : y)
      between += std::abs(a - b);
  }
  double q = 2 / (m + n) * between;
  if (n > 1) q -= 2 * m / ((m + n) * (n - 1)) * pairs(x);
  if (m > 1) q -= 2 * n / ((m + n) * (m - 1)) * pairs(y);
  return q;
}

TEST(BestSplit, AgreesWithOtavaOnThreeLevels) {
  const auto split = best_split(kThreeLevels);
  ASSERT_TRUE(split);
  EXPECT_NEAR(split->q, 761.282143, 5e-7);
  EXPECT_EQ(split->index, 5U);
  EXPECT_EQ(split->end, 14U);
}

TEST(BestSplit, IsTheLargestQOfAllSplitsAndEnds) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    Values series(*rc::gen::inRange<std::size_t>(2, 25));
    for (double& value : series)
      value = static_cast<double>(rng.below(30));
    const auto shortest = *rc::gen::inRange<std::size_t>(1, 4);
    double best = 0;
    for (std::size_t split = shortest; split + shortest <= series.size(); ++split) {
      for (std::size_t end = split + shortest; end <= series.size(); ++end) {
        const std::span<const double> all = series;
        best = std::max(best, q_of(all.first(split), all.subspan(split, end - split)));
      }
    }
    RC_ASSERT(std::abs(best_split(series, shortest)->q - best) < 1e-9);
  }));
}

TEST(EDivisive, FindsOtavasPoints) {
  const auto three = e_divisive(kThreeLevels);
  ASSERT_TRUE(three);
  EXPECT_THAT(indices(*three), testing::ElementsAre(5, 8));
  const auto two = e_divisive(kTwoLevels, {.alpha = 0.01, .permutations = 999});
  ASSERT_TRUE(two);
  EXPECT_THAT(indices(*two), testing::ElementsAre(10));
  EXPECT_NEAR(two->front().mean_before, 1.004, 1e-12);
  EXPECT_NEAR(two->front().mean_after, 0.501, 1e-12);
  EXPECT_LE(two->front().p, 0.01);
  EXPECT_EQ(two->front().low, 10U);
  EXPECT_EQ(two->front().high, 10U);
}

TEST(EDivisive, AlarmsAtAlphaWhenNothingChanges) {
  int alarms = 0;
  for (std::uint64_t r = 0; r < 400; ++r) {
    Rng rng(1, r);
    alarms += e_divisive(noise(rng, 20), {.permutations = 99, .seed = r})->empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 34);  // 20 expected; 3 sd above
  EXPECT_GE(alarms, 6);
}

TEST(EDivisive, SeesAChangeOfSpread) {
  Rng rng(3);
  Values series = noise(rng, 80);
  for (std::size_t i = 40; i < 80; ++i)
    series[i] *= 8;
  const auto points = e_divisive(series, {.shortest = 15});
  ASSERT_TRUE(points);
  ASSERT_FALSE(points->empty());
  EXPECT_NEAR(static_cast<double>(points->front().index), 40, 12);
}

TEST(EDivisive, IsRepeatableAndFreeOfUnitAndShift) {
  Rng rng(5);
  Values series = noise(rng, 60);
  for (std::size_t i = 25; i < 60; ++i)
    series[i] += 4;
  Values other = series;
  for (double& value : other)
    value = 1024 * value - 4096;
  const auto points = e_divisive(series);
  EXPECT_EQ(indices(*points), indices(*e_divisive(series)));
  EXPECT_EQ(indices(*points), indices(*e_divisive(other)));
  EXPECT_EQ(points->front().p, e_divisive(other)->front().p);
}

TEST(EDivisive, FindsNothingInConstantsOrTooFewAndRefusesTheUnusable) {
  EXPECT_TRUE(e_divisive(Values{})->empty());
  EXPECT_TRUE(e_divisive(Values{1})->empty());
  EXPECT_TRUE(e_divisive(Values{1, 2, 3})->empty());
  EXPECT_TRUE(e_divisive(Values(50, 7.0))->empty());
  EXPECT_TRUE(e_divisive(Values{1e308, -1e308, 1e308, -1e308}));
  EXPECT_FALSE(e_divisive(Values{1, 2, std::nan(""), 3}));
  EXPECT_FALSE(e_divisive(Values(kEDivisiveMost + 1, 1.0)));
  EXPECT_FALSE(e_divisive(Values(10'000'000, 1.0)));
  EXPECT_FALSE(e_divisive(kTwoLevels, {.alpha = 0.001, .permutations = 99}));
  EXPECT_FALSE(e_divisive(kTwoLevels, {.alpha = 0}));
}

// ---- Groups of values

// A step inside the middle group: only its ends may be named.
TEST(Boundaries, AreTheOnlyPlacesOfAChange) {
  Rng rng(11);
  Values series = noise(rng, 60);
  for (std::size_t i = 27; i < 60; ++i)
    series[i] += 6;
  const std::vector<std::size_t> boundaries = {10, 20, 30, 40, 50};
  const auto divided = e_divisive(series, {.boundaries = boundaries});
  const auto cheapest = pelt(series, {.boundaries = boundaries});
  ASSERT_TRUE(divided);
  ASSERT_TRUE(cheapest);
  ASSERT_FALSE(divided->empty());
  ASSERT_FALSE(cheapest->empty());
  for (const auto* points : {&*divided, &*cheapest}) {
    for (const ChangePoint& point : *points) {
      for (const std::size_t index : {point.index, point.low, point.high})
        EXPECT_THAT(boundaries, testing::Contains(index));
    }
  }
}

TEST(Boundaries, OfEveryValueChangeNothing) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    Values series = noise(rng, *rc::gen::inRange<std::size_t>(8, 40));
    for (std::size_t i = series.size() / 2; i < series.size(); ++i)
      series[i] += 3;
    std::vector<std::size_t> all;
    for (std::size_t i = 1; i < series.size(); ++i)
      all.push_back(i);
    const auto free = e_divisive(series, {.permutations = 39});
    const auto bound = e_divisive(series, {.permutations = 39, .boundaries = all});
    RC_ASSERT(indices(*free) == indices(*bound));
    RC_ASSERT(indices(*pelt(series)) == indices(*pelt(series, {.boundaries = all})));
  }));
}

TEST(Boundaries, AlarmAtAlphaWhenNothingChanges) {
  int alarms = 0;
  for (std::uint64_t r = 0; r < 400; ++r) {
    Rng rng(21, r);
    alarms += e_divisive(noise(rng, 24), {.permutations = 99, .seed = r, .boundaries = {6, 12, 18}})
                      ->empty()
                  ? 0
                  : 1;
  }
  EXPECT_LE(alarms, 34);  // 20 expected; 3 sd above
  EXPECT_GE(alarms, 6);
}

TEST(Boundaries, MustAscendWithinTheSeries) {
  for (const std::vector<std::size_t>& bad :
       {std::vector<std::size_t>{0, 3}, {3, 3}, {5, 4}, {20}, {7, 21}}) {
    EXPECT_FALSE(e_divisive(kTwoLevels, {.boundaries = bad}));
    EXPECT_FALSE(pelt(kTwoLevels, {.boundaries = bad}));
  }
}

// ---- PELT

// The cost as documented in the header, in the series' own unit.
double cost_of(std::span<const double> segment, double noise_variance, const PeltOptions& options) {
  const auto count = static_cast<double>(segment.size());
  double rest = 0;
  for (const double value : segment)
    rest += (value - mean(segment)) * (value - mean(segment));
  const double fit = options.cost == PeltCost::Mean ? rest / noise_variance
                                                    : count * std::log(rest / count) + count;
  return fit + (options.penalty == PeltPenalty::ModifiedBic ? std::log(count) : 0);
}

double penalty_of(std::size_t n, const PeltOptions& options) {
  return ((options.cost == PeltCost::Mean ? 2 : 3) +
          (options.penalty == PeltPenalty::ModifiedBic ? 1 : 0)) *
         std::log(static_cast<double>(n));
}

double noise_variance_of(const Values& series) {
  Values steps;
  for (std::size_t i = 1; i < series.size(); ++i)
    steps.push_back(std::abs(series[i] - series[i - 1]));
  const double sd = 1.4826022185056018 * median(steps) / std::sqrt(2.0);
  return sd * sd;
}

// Every end against every start: no pruning.
double least_cost(const Values& series, const PeltOptions& options) {
  const double noise_variance = noise_variance_of(series);
  const double penalty = penalty_of(series.size(), options);
  Values best(series.size() + 1, std::numeric_limits<double>::infinity());
  best[0] = -penalty;
  for (std::size_t end = options.shortest; end <= series.size(); ++end) {
    for (std::size_t start = 0; start + options.shortest <= end; ++start) {
      const auto segment = std::span(series).subspan(start, end - start);
      best[end] =
          std::min(best[end], best[start] + cost_of(segment, noise_variance, options) + penalty);
    }
  }
  return best.back();
}

double cost_of_points(const Values& series,
                      const std::vector<ChangePoint>& points,
                      const PeltOptions& options) {
  std::vector<std::size_t> edges = {0};
  for (const ChangePoint& point : points)
    edges.push_back(point.index);
  edges.push_back(series.size());
  double total = penalty_of(series.size(), options) * static_cast<double>(points.size());
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    total += cost_of(std::span(series).subspan(edges[i], edges[i + 1] - edges[i]),
                     noise_variance_of(series),
                     options);
  }
  return total;
}

TEST(Pelt, FindsTheCheapestOfAllSegmentations) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    PeltOptions options;
    options.cost = *rc::gen::element(PeltCost::Mean, PeltCost::MeanAndVariance);
    options.penalty = *rc::gen::element(PeltPenalty::Bic, PeltPenalty::ModifiedBic);
    options.shortest = *rc::gen::inRange<std::size_t>(3, 7);
    Values series = noise(rng, *rc::gen::inRange<std::size_t>(12, 80));
    double level = 0;
    for (double& value : series) {
      if (rng.below(12) == 0) level += 4 * rng.normal();
      value += level;
    }
    const auto points = pelt(series, options);
    RC_ASSERT(points.has_value());
    const double least = least_cost(series, options);
    RC_ASSERT(std::abs(cost_of_points(series, *points, options) - least) <
              1e-6 * (1 + std::abs(least)));
  }));
}

TEST(Pelt, FindsOtavasPoints) {
  EXPECT_THAT(indices(*pelt(kThreeLevels)), testing::ElementsAre(5, 8));
  EXPECT_THAT(indices(*pelt(kTwoLevels)), testing::ElementsAre(10));
}

TEST(Pelt, RarelyAlarmsOnNoise) {
  int alarms = 0;
  for (std::uint64_t r = 0; r < 200; ++r) {
    Rng rng(9, r);
    alarms += pelt(noise(rng, 100))->empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 30);
}

TEST(Pelt, MeanAndVarianceSeesAChangeOfSpread) {
  Rng rng(4);
  Values series = noise(rng, 100);
  for (std::size_t i = 60; i < 100; ++i)
    series[i] *= 6;
  const auto points = pelt(series, {.cost = PeltCost::MeanAndVariance, .shortest = 5});
  ASSERT_TRUE(points);
  ASSERT_FALSE(points->empty());
  EXPECT_NEAR(static_cast<double>(points->front().index), 60, 6);
}

TEST(Pelt, IsFreeOfUnitAndShift) {
  Rng rng(6);
  Values series = noise(rng, 60);
  for (std::size_t i = 25; i < 60; ++i)
    series[i] += 4;
  Values other = series;
  for (double& value : other)
    value = 64 - 1024 * value;
  EXPECT_EQ(indices(*pelt(series)), indices(*pelt(other)));
}

TEST(Pelt, FindsNothingInConstantsOrTooFewAndRefusesTheUnusable) {
  EXPECT_TRUE(pelt(Values{})->empty());
  EXPECT_TRUE(pelt(Values{1})->empty());
  EXPECT_TRUE(pelt(Values{1, 2, 3})->empty());
  EXPECT_TRUE(pelt(Values(50, 0.1))->empty());
  EXPECT_TRUE(pelt(Values(50, 0.1), {.cost = PeltCost::MeanAndVariance})->empty());
  EXPECT_TRUE(pelt(Values{1, 2}, {.shortest = std::numeric_limits<std::size_t>::max()})->empty());
  EXPECT_FALSE(pelt(Values{1, 2, HUGE_VAL, 3}));
  EXPECT_FALSE(pelt(Values(10'000'000, 1.0)));
}

TEST(Pelt, AStepWithoutNoiseIsFoundExactly) {
  Values series(40, 1.0);
  std::fill(series.begin() + 17, series.end(), 2.0);
  EXPECT_THAT(indices(*pelt(series)), testing::ElementsAre(17));
  EXPECT_THAT(indices(*pelt(series, {.cost = PeltCost::MeanAndVariance})),
              testing::ElementsAre(17));
}

// ---- Intervals

TEST(ChangeInterval, CoversTheTrueIndexAsOftenAsPromised) {
  int covered = 0;
  double width = 0;
  for (std::uint64_t r = 0; r < 500; ++r) {
    Rng rng(8, r);
    Values segment = noise(rng, 40);
    const std::size_t change = 5 + rng.below(31);
    for (std::size_t i = change; i < segment.size(); ++i)
      segment[i] += 1.5;
    const ChangeInterval interval = change_interval(segment, 0.95);
    covered += interval.low <= change && change <= interval.high ? 1 : 0;
    width += static_cast<double>(interval.high - interval.low);
  }
  EXPECT_GE(covered, 465);  // 475 expected
  EXPECT_LT(width / 500, 16);
}

TEST(ChangeInterval, ShrinksWithTheChangeAndWithConfidence) {
  Rng rng(2);
  const Values flat = noise(rng, 50);
  std::size_t before = 50;
  for (const double step : {1.0, 2.0, 4.0, 8.0}) {
    Values segment = flat;
    for (std::size_t i = 25; i < 50; ++i)
      segment[i] += step;
    const ChangeInterval wide = change_interval(segment, 0.95);
    const ChangeInterval narrow = change_interval(segment, 0.5);
    EXPECT_LE(wide.high - wide.low, before);
    EXPECT_LE(narrow.high - narrow.low, wide.high - wide.low);
    before = wide.high - wide.low;
  }
}

TEST(ChangeInterval, ByHandAndAtTheEdges) {
  const ChangeInterval exact = change_interval(Values{0, 0, 0, 1, 1, 1}, 0.95);
  EXPECT_EQ(exact.low, 3U);
  EXPECT_EQ(exact.high, 3U);
  const ChangeInterval equal = change_interval(Values(10, 2.0), 0.95);
  EXPECT_EQ(equal.low, 1U);
  EXPECT_EQ(equal.high, 9U);
  const ChangeInterval pair = change_interval(Values{1, 2}, 0.95);
  EXPECT_EQ(pair.low, 1U);
  EXPECT_EQ(pair.high, 1U);
}

}  // namespace
}  // namespace schedlab::stats
