#include "stats/multiplicity_families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/rng.h"
#include "stats/false_discovery.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// Benjamini and Hochberg 1995, their example of 15 tests.
const Values kFifteen = {.0001,
                         .0004,
                         .0019,
                         .0095,
                         .0201,
                         .0278,
                         .0298,
                         .0344,
                         .0459,
                         .3240,
                         .4262,
                         .5719,
                         .6528,
                         .7590,
                         1};

std::ptrdiff_t rejected(const Values& adjusted, double q) {
  return std::count_if(adjusted.begin(), adjusted.end(), [q](double p) { return p <= q; });
}

TEST(Multiplicity, RejectsAsPublishedOnTheFifteen) {
  EXPECT_EQ(rejected(benjamini_hochberg(kFifteen), 0.05), 4);
  EXPECT_EQ(rejected(*holm(kFifteen), 0.05), 3);
  EXPECT_EQ(rejected(*benjamini_yekutieli(kFifteen), 0.05), 3);
}

TEST(Multiplicity, AdjustsByHand) {
  const auto by_holm = holm(Values{0.01, 0.04, 0.03});
  ASSERT_TRUE(by_holm);  // 3 x 0.01; 2 x 0.03; max(0.06, 0.04)
  EXPECT_THAT(*by_holm, testing::Pointwise(testing::DoubleNear(1e-15), Values{0.03, 0.06, 0.06}));
  const auto by_by = benjamini_yekutieli(Values{0.01, 0.04, 0.03});
  ASSERT_TRUE(by_by);  // BH 0.03 0.04 0.04 times 11/6
  EXPECT_THAT(
      *by_by,
      testing::Pointwise(testing::DoubleNear(1e-15), Values{0.055, 0.04 * 11 / 6, 0.04 * 11 / 6}));
}

TEST(Simes, IsTheSmallestScaledOrderStatistic) {
  EXPECT_NEAR(*simes(Values{0.04, 0.03, 0.5}), 0.06, 1e-15);  // 3 x 0.04 / 2
  EXPECT_EQ(*simes(Values{0.2}), 0.2);
  EXPECT_EQ(*simes(Values{}), 1);
}

TEST(TwoStage, FollowsBenjaminiAndBogomolovByHand) {
  // Simes: 0.002, 0.06, 0.9. BH over 3 families at 0.05: 0.006, 0.09, 0.9 -> one selected; inside
  // it BH at 0.05/3: adjusted 0.002 and 0.02, times 3.
  const std::vector<Values> families = {{0.02, 0.001}, {0.06, 0.06}, {0.9}};
  const auto findings = two_stage(families, 0.05);
  ASSERT_TRUE(findings);
  EXPECT_NEAR((*findings)[0].simes_p, 0.002, 1e-15);
  EXPECT_TRUE((*findings)[0].selected);
  EXPECT_NEAR((*findings)[0].adjusted[0], 0.06, 1e-15);
  EXPECT_NEAR((*findings)[0].adjusted[1], 0.006, 1e-15);
  EXPECT_NEAR((*findings)[1].simes_p, 0.06, 1e-15);
  EXPECT_FALSE((*findings)[1].selected);
  EXPECT_THAT((*findings)[1].adjusted, testing::ElementsAre(1, 1));
}

TEST(TwoStage, OneFamilyIsPlainBenjaminiHochberg) {
  const std::vector<Values> one = {kFifteen};
  const auto findings = two_stage(one, 0.05);
  ASSERT_TRUE(findings);
  EXPECT_EQ((*findings)[0].adjusted, benjamini_hochberg(kFifteen));
}

TEST(TwoStage, EmptyFamiliesAreNeverSelected) {
  const std::vector<Values> families = {{}, {0.001}};
  const auto findings = two_stage(families, 0.05);
  ASSERT_TRUE(findings);
  EXPECT_FALSE((*findings)[0].selected);
  EXPECT_TRUE((*findings)[1].selected);
  EXPECT_NEAR((*findings)[1].adjusted[0], 0.002, 1e-15);
  EXPECT_TRUE(two_stage({}, 0.05)->empty());
}

TEST(EBenjaminiHochberg, RejectsTheLargestKWithEnoughEvidence) {
  // K = 4, alpha = 0.05: k largest with E_(k) >= 80/k. 30 >= 80/3 but 50 < 80 and 35 < 40, so the
  // step-up takes three although the first two fail on their own.
  const Values log_e = {std::log(30), std::log(50), std::log(0.5), std::log(35)};
  const auto adjusted = e_benjamini_hochberg(log_e);
  ASSERT_TRUE(adjusted);
  EXPECT_LE((*adjusted)[0], 0.05);
  EXPECT_LE((*adjusted)[1], 0.05);
  EXPECT_GT((*adjusted)[2], 0.05);
  EXPECT_LE((*adjusted)[3], 0.05);
  const Values fewer = {std::log(26), std::log(50), std::log(0.5), std::log(35)};
  EXPECT_EQ(rejected(*e_benjamini_hochberg(fewer), 0.05), 0);
}

TEST(EBenjaminiHochberg, TakesInfiniteAndHugeEvidence) {
  const auto adjusted = e_benjamini_hochberg(Values{1e6, -1e6, HUGE_VAL});
  ASSERT_TRUE(adjusted);
  EXPECT_THAT(*adjusted, testing::ElementsAre(0, 1, 0));
}

TEST(Multiplicity, RefusesWhatIsNoProbability) {
  for (const double bad : {-0.1, 1.1, std::nan("")}) {
    const Values p_values = {0.5, bad};
    EXPECT_FALSE(holm(p_values));
    EXPECT_FALSE(benjamini_yekutieli(p_values));
    EXPECT_FALSE(simes(p_values));
    EXPECT_FALSE(two_stage(std::vector<Values>{p_values}, 0.05));
  }
  EXPECT_FALSE(two_stage({}, 0));
  EXPECT_FALSE(e_benjamini_hochberg(Values{std::nan("")}));
  EXPECT_TRUE(holm(Values{})->empty());
  EXPECT_TRUE(benjamini_yekutieli(Values{})->empty());
}

TEST(Multiplicity, AdjustedValuesNeverShrinkNorTurnTheOrder) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    Values p_values(*rc::gen::inRange<std::size_t>(1, 40));
    for (double& p : p_values)
      p = static_cast<double>(rng.below(50)) / 50;
    const Values h = *holm(p_values);
    const Values y = *benjamini_yekutieli(p_values);
    const Values b = benjamini_hochberg(p_values);
    for (std::size_t i = 0; i < p_values.size(); ++i) {
      // BH scales by m/rank, Holm by whole numbers: equal but for rounding where they meet.
      RC_ASSERT(h[i] >= p_values[i] && h[i] >= b[i] - 1e-12 && y[i] >= b[i]);
      RC_ASSERT(h[i] <= 1 && y[i] <= 1);
      for (std::size_t j = 0; j < p_values.size(); ++j) {
        if (p_values[i] <= p_values[j]) RC_ASSERT(h[i] <= h[j] && y[i] <= y[j]);
      }
    }
  }));
}

}  // namespace
}  // namespace schedlab::stats
