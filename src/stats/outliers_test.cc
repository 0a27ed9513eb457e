#include "stats/outliers.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/rng.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// Rosner 1983, as in the NIST/SEMATECH e-Handbook, 1.3.5.17.3.
const Values kRosner = {-0.25, 0.68, 0.94, 1.15, 1.20, 1.26, 1.26, 1.34, 1.38, 1.43, 1.49,
                        1.49,  1.55, 1.56, 1.58, 1.65, 1.69, 1.70, 1.76, 1.77, 1.81, 1.91,
                        1.94,  1.96, 1.99, 2.06, 2.09, 2.10, 2.14, 2.15, 2.23, 2.24, 2.26,
                        2.35,  2.37, 2.40, 2.47, 2.54, 2.62, 2.64, 2.90, 2.92, 2.92, 2.93,
                        3.21,  3.26, 3.30, 3.59, 3.68, 4.30, 4.64, 5.34, 5.42, 6.01};

TEST(Gesd, AgreesWithTheNistHandbookOnRosnersData) {
  const auto outcome = generalised_esd(kRosner);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->outliers, 3U);
  // The handbook's table, which cuts the third decimal.
  const Values deviates = {3.118, 2.942, 3.179, 2.810, 2.815, 2.848, 2.279, 2.310, 2.101, 2.067};
  const Values criticals = {3.158, 3.151, 3.143, 3.136, 3.128, 3.120, 3.111, 3.103, 3.094, 3.085};
  ASSERT_EQ(outcome->steps.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(outcome->steps[i].deviate, deviates[i], 1e-3) << i;
    EXPECT_NEAR(outcome->steps[i].critical, criticals[i], 1e-3) << i;
  }
  EXPECT_EQ(outcome->steps[0].index, 53U);
  EXPECT_EQ(outcome->steps[1].index, 52U);
  EXPECT_EQ(outcome->steps[2].index, 51U);
}

TEST(Gesd, WithMedianAndMadFindsFour) {
  const auto outcome = generalised_esd(kRosner, {.robust = true});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->outliers, 4U);
}

TEST(Gesd, IsFreeOfUnitAndOrder) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    Values values(30);
    for (double& value : values)
      value = rng.exponential();
    values[3] *= 20;
    Values other = values;
    rng.shuffle(std::span(other));
    for (double& value : other)
      value = 1024 * value - 512;
    const auto plain = generalised_esd(values);
    const auto changed = generalised_esd(other);
    RC_ASSERT(plain->outliers == changed->outliers);
    for (std::size_t i = 0; i < plain->steps.size(); ++i) {
      RC_ASSERT(std::abs(plain->steps[i].deviate - changed->steps[i].deviate) < 1e-6);
      RC_ASSERT(std::abs(1024 * values[plain->steps[i].index] - 512 -
                         other[changed->steps[i].index]) < 1e-6);
    }
  }));
}

TEST(Gesd, FewOnNormalValues) {
  int marked = 0;
  for (std::uint64_t r = 0; r < 1000; ++r) {
    Rng rng(1, r);
    Values values(40);
    for (double& value : values)
      value = rng.normal();
    marked += generalised_esd(values)->outliers > 0 ? 1 : 0;
  }
  EXPECT_NEAR(marked, 50, 25);
}

TEST(Gesd, EndsOnConstantsAndRefusesTheUnusable) {
  EXPECT_EQ(generalised_esd(Values(10, 3.0))->outliers, 0U);
  EXPECT_TRUE(generalised_esd(Values(10, 3.0))->steps.empty());
  EXPECT_EQ(generalised_esd(Values{1, 2, 3}, {.most = 1000})->steps.size(), 1U);
  EXPECT_FALSE(generalised_esd(Values{}));
  EXPECT_FALSE(generalised_esd(Values{1, 2}));
  EXPECT_FALSE(generalised_esd(Values{1, 2, std::nan("")}));
  EXPECT_FALSE(generalised_esd(Values{1, 2, HUGE_VAL}));
  EXPECT_FALSE(generalised_esd(Values{1, 2, 3}, {.alpha = 0}));
}

TEST(ModifiedZ, ByHand) {
  const auto scores = modified_z_scores(Values{1, 2, 3, 4, 20});  // median 3, MAD 1
  ASSERT_TRUE(scores);
  EXPECT_NEAR((*scores)[4], 0.6745 * 17, 1e-3);
  EXPECT_NEAR((*scores)[0], -0.6745 * 2, 1e-4);
  EXPECT_EQ((*scores)[2], 0);
}

TEST(ModifiedZ, FallsBackOnTheMeanDeviationWhenMostAreEqual) {
  const auto scores = modified_z_scores(Values{5, 5, 5, 5, 6});  // meanAD 0.2
  ASSERT_TRUE(scores);
  EXPECT_NEAR((*scores)[4], 1 / (1.2533141 * 0.2), 1e-6);
  EXPECT_EQ(*modified_z_scores(Values{5, 5, 5}), (Values{0, 0, 0}));
  EXPECT_EQ(*modified_z_scores(Values{5}), Values{0});
}

TEST(ModifiedZ, RefusesTheUnusable) {
  EXPECT_FALSE(modified_z_scores(Values{}));
  EXPECT_FALSE(modified_z_scores(Values{1, std::nan("")}));
}

TEST(ModifiedZ, HandlesTenMillionValues) {
  Rng rng(4);
  Values values(10'000'000);
  for (double& value : values)
    value = rng.uniform();
  values[5] = 1000;
  const auto scores = modified_z_scores(values);
  ASSERT_TRUE(scores);
  EXPECT_GT((*scores)[5], kModifiedZMark);
}

}  // namespace
}  // namespace schedlab::stats
