#include "stats/variance_components.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/rng.h"
#include "stats/fieller.h"

namespace schedlab::stats {
namespace {

using Boots = std::vector<std::vector<std::vector<double>>>;

// The toy of Kalibera and Jones: three boots of two runs of two samples.
const Boots kToy = {{{10, 10.2}, {10.4, 10.6}}, {{11, 11.2}, {11, 11.4}}, {{9.8, 9.6}, {10, 10.2}}};

VarianceComponents components_of(const Boots& boots) {
  auto nested = nest(boots);
  EXPECT_TRUE(nested);
  auto components = variance_components(*nested);
  EXPECT_TRUE(components);
  return *components;
}

TEST(VarianceComponents, AgreeWithKaliberaAndJonesOnTheirToy) {
  const VarianceComponents found = components_of(kToy);
  ASSERT_EQ(found.levels.size(), 3U);
  EXPECT_NEAR(found.levels[0].variance_of_means, 0.03, 1e-12);
  EXPECT_NEAR(found.levels[1].variance_of_means, 0.055, 1e-12);
  EXPECT_NEAR(found.levels[2].variance_of_means, 0.4075, 1e-12);
  EXPECT_NEAR(found.levels[0].own_variance, 0.03, 1e-12);
  EXPECT_NEAR(found.levels[1].own_variance, 0.04, 1e-12);
  EXPECT_NEAR(found.levels[2].own_variance, 0.38, 1e-12);
  EXPECT_NEAR(found.mean, 10.45, 1e-12);
  const Interval interval = mean_of(found).interval(0.95);
  EXPECT_NEAR((interval.high - interval.low) / 2, 1.58577, 5e-6);
}

TEST(RepetitionPlan, AgreesWithKaliberaAndJonesOnTheirToy) {
  const std::vector<double> costs = {1, 5, 120};
  const auto plan = plan_repetitions(components_of(kToy), costs, {.half_width = 0.5});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->exact.size(), 2U);
  EXPECT_NEAR(plan->exact[0], 1.936, 5e-4);
  EXPECT_NEAR(plan->exact[1], 1.589, 5e-4);
  ASSERT_EQ(plan->repetitions.size(), 3U);
  EXPECT_EQ(plan->repetitions[0], 2U);
  EXPECT_EQ(plan->repetitions[1], 2U);
  // The plan keeps the toy's 2 x 2 inside a boot, so S^2 stays 0.4075: t(8) sqrt(0.4075 / 9) =
  // 0.491 is the first half-width at or below 0.5. Cost: 9 boots of 120 + 2 runs of (5 + 2 samples
  // of 1).
  EXPECT_EQ(plan->repetitions[2], 9U);
  EXPECT_NEAR(plan->cost, 9 * (120 + 2 * (5 + 2 * 1)), 1e-9);
  EXPECT_FALSE(plan->capped);
}

TEST(RepetitionPlan, PassesOverLevelsThatDoNotVary) {
  VarianceComponents components;
  components.mean = 100;
  components.levels = {{4, 1.0, 1.0}, {4, 0.2, -0.05}, {4, 0.05, 0.25}};
  const std::vector<double> costs = {1, 10, 100};
  const auto plan = plan_repetitions(components, costs, {.half_width = 1});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->repetitions[0], 20U);  // sqrt(100/1 * 1/0.25), against boots, not runs
  EXPECT_EQ(plan->repetitions[1], 1U);
  components.levels[2].own_variance = -1;
  const auto nothing_above = plan_repetitions(components, costs, {.half_width = 1});
  ASSERT_TRUE(nothing_above);
  EXPECT_EQ(nothing_above->repetitions[0], 1U);
}

TEST(RepetitionPlan, SaysWhenTheGoalIsOutOfReach) {
  const std::vector<double> costs = {1, 5, 120};
  const auto plan = plan_repetitions(components_of(kToy), costs, {.half_width = 1e-9});
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->capped);
}

TEST(RepetitionPlan, RefusesNonsense) {
  const VarianceComponents toy = components_of(kToy);
  const std::vector<double> costs = {1, 5, 120};
  EXPECT_FALSE(plan_repetitions(toy, std::vector<double>{1, 5}, {.half_width = 1}));
  EXPECT_FALSE(plan_repetitions(toy, std::vector<double>{1, 0, 5}, {.half_width = 1}));
  EXPECT_FALSE(plan_repetitions(toy, std::vector<double>{1, std::nan(""), 5}, {.half_width = 1}));
  EXPECT_FALSE(plan_repetitions(toy, costs, {.half_width = 0}));
  EXPECT_FALSE(plan_repetitions(toy, costs, {.half_width = 1, .confidence = 1}));
  EXPECT_FALSE(plan_repetitions({}, {}, {.half_width = 1}));
}

TEST(VarianceComponents, FindTheSpreadThatWasPutIn) {
  Rng rng(1);
  NestedSample sample;
  sample.repetitions = {4, 4, 4'000};
  for (int boot = 0; boot < 4'000; ++boot) {
    const double of_boot = 2 * rng.normal();
    for (int run = 0; run < 4; ++run) {
      const double of_run = 1 * rng.normal();
      for (int i = 0; i < 4; ++i)
        sample.values.push_back(100 + of_boot + of_run + 0.5 * rng.normal());
    }
  }
  const auto found = variance_components(sample);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->levels[0].own_variance, 0.25, 0.01);
  EXPECT_NEAR(found->levels[1].own_variance, 1, 0.06);
  EXPECT_NEAR(found->levels[2].own_variance, 4, 0.4);
}

TEST(VarianceComponents, OneLevelIsTheTInterval) {
  const std::vector<double> values = {1, 2, 4, 8};
  const auto found = variance_components({{4}, values});
  const auto t = one_sample_t(values);
  ASSERT_TRUE(found && t);
  EXPECT_NEAR(mean_of(*found).standard_error, t->standard_error, 1e-15);
  EXPECT_EQ(mean_of(*found).df, t->df);
}

TEST(VarianceComponents, FollowTheUnitAndIgnoreTheOrderWithinALevel) {
  rc::check([](std::uint32_t seed) {
    Rng rng(seed);
    NestedSample sample{{3, 2, 4}, {}};
    for (int i = 0; i < 24; ++i)
      sample.values.push_back(100 + rng.normal());
    NestedSample changed = sample;
    for (double& value : changed.values)
      value *= 4;
    std::swap(changed.values[0], changed.values[2]);  // samples of one run
    for (std::size_t i = 0; i < 6; ++i)               // boots 0 and 3
      std::swap(changed.values[i], changed.values[18 + i]);
    const auto one = variance_components(sample);
    const auto other = variance_components(changed);
    RC_ASSERT(one.has_value() && other.has_value());
    for (std::size_t level = 0; level < 3; ++level) {
      RC_ASSERT(std::abs(other->levels[level].own_variance - 16 * one->levels[level].own_variance) <
                1e-9);
    }
  });
}

TEST(VarianceComponents, OfTwoArmsMakeARatioByFieller) {
  Boots slower = kToy;
  for (auto& boot : slower)
    for (auto& run : boot)
      for (double& value : run)
        value *= 1.5;
  const auto ratio =
      fieller_ratio(mean_of(components_of(slower)), mean_of(components_of(kToy)), 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->ratio, 1.5, 1e-12);
  // Both means 10.45 -+ 1.58577, by the closed form of equal relative half-widths w:
  // (1 -+ sqrt(1 - (1 - w^2)^2)) / (1 - w^2).
  const double w = 1.58577 / 10.45;
  const double root = std::sqrt(1 - std::pow(1 - w * w, 2));
  EXPECT_NEAR(ratio->interval.low, 1.5 * (1 - root) / (1 - w * w), 1e-5);
  EXPECT_NEAR(ratio->interval.high, 1.5 * (1 + root) / (1 - w * w), 1e-5);
}

TEST(VarianceComponents, RefuseWhatIsNotBalancedOrNotANumber) {
  EXPECT_FALSE(nest({}));
  EXPECT_FALSE(nest({{}}));
  EXPECT_FALSE(nest({{{1, 2}}, {{1, 2}, {3, 4}}}));
  EXPECT_FALSE(nest({{{1, 2}}, {{1, 2, 3}}}));
  EXPECT_FALSE(variance_components({}));
  EXPECT_FALSE(variance_components({{0}, {}}));
  EXPECT_FALSE(variance_components({{1, 4}, {1, 2, 3, 4}}));
  EXPECT_FALSE(variance_components({{2, 3}, {1, 2, 3, 4}}));
  EXPECT_FALSE(variance_components({{1ULL << 63U, 4}, {1, 2, 3, 4}}));
  EXPECT_FALSE(variance_components({{2}, {1, std::numeric_limits<double>::quiet_NaN()}}));
  const auto constant = variance_components({{2, 2}, {5, 5, 5, 5}});
  ASSERT_TRUE(constant);
  EXPECT_EQ(mean_of(*constant).standard_error, 0);
}

}  // namespace
}  // namespace schedlab::stats
