#include "stats/group_sequential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/rng.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

const Values kFifths = {0.2, 0.4, 0.6, 0.8, 1.0};

void expect_boundaries(BoundaryShape shape, const Values& published, double tolerance) {
  const auto boundaries = group_boundaries(shape, published.size(), 0.05);
  ASSERT_TRUE(boundaries);
  ASSERT_EQ(boundaries->size(), published.size());
  for (std::size_t k = 0; k < published.size(); ++k)
    EXPECT_NEAR((*boundaries)[k], published[k], tolerance) << k;
}

TEST(GroupSequential, OBrienFlemingAtFiveLooks) {
  expect_boundaries(BoundaryShape::OBrienFleming, {4.562, 3.226, 2.634, 2.281, 2.040}, 6e-4);
}

TEST(GroupSequential, PocockAtFiveLooks) {
  expect_boundaries(BoundaryShape::Pocock, {2.413, 2.413, 2.413, 2.413, 2.413}, 6e-4);
}

TEST(GroupSequential, LanDeMetsAtFiveLooks) {
  expect_boundaries(BoundaryShape::LanDeMets, {4.877, 3.357, 2.680, 2.290, 2.031}, 6e-4);
}

TEST(GroupSequential, OtherPublishedConstants) {  // Jennison and Turnbull 2000, tables 2.1 and 2.3
  expect_boundaries(BoundaryShape::Pocock, {2.178, 2.178}, 6e-4);
  expect_boundaries(BoundaryShape::OBrienFleming, {2.797, 1.977}, 1.1e-3);
  const auto ten = group_boundaries(BoundaryShape::OBrienFleming, 10, 0.05);
  ASSERT_TRUE(ten);
  EXPECT_NEAR(ten->back(), 2.087, 6e-4);
  const auto pocock = group_boundaries(BoundaryShape::Pocock, 20, 0.05);
  ASSERT_TRUE(pocock);
  EXPECT_NEAR(pocock->back(), 2.672, 1.1e-3);
}

TEST(GroupSequential, OneLookIsThePlainTest) {
  for (const auto shape :
       {BoundaryShape::OBrienFleming, BoundaryShape::Pocock, BoundaryShape::LanDeMets}) {
    const auto one = group_boundaries(shape, 1, 0.05);
    ASSERT_TRUE(one);
    EXPECT_NEAR(one->front(), 1.959964, 1e-5);
  }
}

TEST(GroupSequential, SpendsAlphaWhateverTheLooks) {
  for (const auto shape :
       {BoundaryShape::OBrienFleming, BoundaryShape::Pocock, BoundaryShape::LanDeMets}) {
    for (const Values& shares : {kFifths, Values{0.1, 0.35, 0.4, 1.0}, Values{0.5, 0.51, 1.0}}) {
      const auto boundaries = group_boundaries_at(shape, shares, 0.01);
      ASSERT_TRUE(boundaries);
      EXPECT_NEAR(crossing_chance(*boundaries, shares), 0.01, 1e-6);
    }
  }
}

TEST(GroupSequential, LanDeMetsNeedsNoFutureLooks) {
  const auto planned = group_boundaries_at(BoundaryShape::LanDeMets, kFifths, 0.05);
  const auto changed =
      group_boundaries_at(BoundaryShape::LanDeMets, Values{0.2, 0.4, 0.9, 1.0}, 0.05);
  ASSERT_TRUE(planned && changed);
  EXPECT_NEAR((*planned)[0], (*changed)[0], 1e-7);
  EXPECT_NEAR((*planned)[1], (*changed)[1], 1e-4);  // the grid before the next look differs
}

TEST(GroupSequential, CrossingChanceAgreesWithSimulatedPaths) {
  const Values boundaries = {2.0, 2.0, 2.0};
  const Values shares = {0.2, 0.5, 1.0};
  int crossed = 0;
  constexpr int kPaths = 40'000;
  Rng rng(5);
  for (int path = 0; path < kPaths; ++path) {
    double score = 0;
    double share = 0;
    bool over = false;
    for (std::size_t k = 0; k < shares.size(); ++k) {
      score += rng.normal() * std::sqrt(shares[k] - share);
      share = shares[k];
      over = over || std::abs(score) > boundaries[k] * std::sqrt(share);
    }
    crossed += over ? 1 : 0;
  }
  EXPECT_NEAR(crossing_chance(boundaries, shares), crossed / double{kPaths}, 0.006);
}

TEST(GroupSequential, RefusesPlansThatMakeNoSense) {
  EXPECT_FALSE(group_boundaries(BoundaryShape::Pocock, 0, 0.05));
  EXPECT_FALSE(group_boundaries(BoundaryShape::Pocock, 21, 0.05));
  EXPECT_FALSE(group_boundaries(BoundaryShape::Pocock, std::size_t{1} << 60U, 0.05));
  EXPECT_FALSE(group_boundaries(BoundaryShape::Pocock, 5, 0));
  EXPECT_FALSE(group_boundaries(BoundaryShape::Pocock, 5, std::nan("")));
  EXPECT_FALSE(group_boundaries_at(BoundaryShape::LanDeMets, Values{0.5, 0.4}, 0.05));
  EXPECT_FALSE(group_boundaries_at(BoundaryShape::LanDeMets, Values{0.5, std::nan("")}, 0.05));
  EXPECT_FALSE(group_boundaries_at(BoundaryShape::LanDeMets, Values{0.5, 1.5}, 0.05));
}

TEST(GroupSequential, AnEarlyLookThatMaySpendNothingIsStillFinite) {
  const auto boundaries = group_boundaries_at(BoundaryShape::LanDeMets, Values{0.001, 1.0}, 0.05);
  ASSERT_TRUE(boundaries);
  EXPECT_TRUE(std::isfinite(boundaries->front()));
  EXPECT_GT(boundaries->front(), 30);
  EXPECT_NEAR(boundaries->back(), 1.959964, 1e-4);
}

TEST(GroupSequential, BoundaryAsTHasTheSameTail) {
  EXPECT_NEAR(boundary_t(1.959963985, 11), 2.200985, 1e-5);
  EXPECT_NEAR(boundary_t(2.5, 1e9), 2.5, 1e-6);
}

}  // namespace
}  // namespace schedlab::stats
