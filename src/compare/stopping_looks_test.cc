#include "compare/stopping_looks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/rng.h"
#include "stats/distributions.h"
#include "stats/group_sequential.h"

namespace schedlab::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kAlpha = 0.05;

StoppingRule looks_rule(std::int32_t looks, Spending spending = Spending::LanDeMets) {
  return {.when = StopWhen::Looks, .looks = looks, .spending = spending};
}

LookTable table_at(const StoppingRule& rule,
                   std::int32_t planned,
                   std::int32_t done,
                   std::size_t rows = 1) {
  auto table = LookTable::make(rule, planned, done, kAlpha, rows);
  EXPECT_TRUE(table) << table.error().message;
  return *std::move(table);
}

double boundary_of(const LookTable& table) {
  return -stats::normal_quantile(table.nominal_alpha() / 2);
}

double two_sided(double z) {
  return 2 * stats::normal_cdf(-z);
}

TEST(LookBlocks, AreEvenAndEndWithThePlan) {
  EXPECT_THAT(*look_blocks(5, 15), ElementsAre(3, 6, 9, 12, 15));
  EXPECT_THAT(*look_blocks(4, 13), ElementsAre(4, 7, 10, 13));
  EXPECT_EQ(look_blocks(20, 100'000)->back(), 100'000);
}

TEST(LookBlocks, RefuseWhatIsNoPlan) {
  EXPECT_THAT(look_blocks(99, 1000).error().message, HasSubstr("2 to 20"));
  EXPECT_FALSE(look_blocks(1, 12));
  EXPECT_FALSE(look_blocks(0, 12));
  EXPECT_FALSE(look_blocks(-5, 12));
  EXPECT_THAT(look_blocks(5, 12).error().message, HasSubstr("at least 15 blocks"));
  EXPECT_FALSE(look_blocks(5, -1));
}

TEST(LookTable, HasThePublishedBoundaries) {
  const std::array<double, 5> brien_fleming = {4.562, 3.226, 2.634, 2.281, 2.040};
  const std::array<double, 5> lan_demets = {4.877, 3.357, 2.680, 2.290, 2.031};
  for (std::int32_t look = 1; look <= 5; ++look) {
    const auto at = static_cast<std::size_t>(look - 1);
    const std::int32_t done = 10 * look;
    EXPECT_NEAR(boundary_of(table_at(looks_rule(5, Spending::OBrienFleming), 50, done)),
                brien_fleming[at],
                2e-3);
    EXPECT_NEAR(boundary_of(table_at(looks_rule(5, Spending::Pocock), 50, done)), 2.413, 2e-3);
    EXPECT_NEAR(boundary_of(table_at(looks_rule(5), 50, done)), lan_demets[at], 2e-3);
    EXPECT_EQ(table_at(looks_rule(5), 50, done).reached(), look);
  }
}

TEST(LookTable, ReachesTheLevelExactlyOnTheBoundary) {
  for (const Spending spending : {Spending::LanDeMets, Spending::OBrienFleming, Spending::Pocock}) {
    const LookTable table = table_at(looks_rule(4, spending), 24, 12, 10);
    EXPECT_NEAR(table.repeated_p(table.nominal_alpha()), kAlpha, 1e-9);
    EXPECT_NEAR(table.repeated_p(table.nominal_twice_alpha()), 2 * kAlpha, 1e-9);
    EXPECT_LT(table.nominal_alpha(), kAlpha);
    // At a tenth of the level, which the table leaves the smallest of ten rows.
    const auto exact = LookTable::make(looks_rule(4, spending), 24, 12, kAlpha / 10, 1);
    EXPECT_NEAR(table.repeated_p(exact->nominal_alpha()), kAlpha / 10, kAlpha / 1000);
  }
}

TEST(LookTable, IsStricterThanThePlainTestAndMonotone) {
  const LookTable table = table_at(looks_rule(4), 24, 12);
  double before = 0;
  for (double p = 1e-12; p < 1; p *= 1.7) {
    EXPECT_GE(table.repeated_p(p), before);
    EXPECT_GE(table.repeated_p(p), p * 0.99);
    before = table.repeated_p(p);
  }
  EXPECT_GT(table.repeated_p(0), 0);
  EXPECT_EQ(table.repeated_p(1), 1);
}

TEST(LookTable, SaysNothingBeforeThreeBlocks) {
  for (const std::int32_t done : {0, 1, 2}) {
    const LookTable table = table_at(looks_rule(4), 24, done);
    EXPECT_EQ(table.repeated_p(1e-9), 1);
    EXPECT_EQ(table.nominal_alpha(), 0);
  }
  EXPECT_EQ(table_at(looks_rule(4), 100'000, 5).repeated_p(1e-9), 1);
}

TEST(LookTable, BetweenTwoLooksSpendsNoMoreThanTheNextMay) {
  for (const Spending spending : {Spending::LanDeMets, Spending::OBrienFleming, Spending::Pocock}) {
    // Between the second look, after 12, and the third, after 18.
    const LookTable second = table_at(looks_rule(4, spending), 24, 12);
    const LookTable between = table_at(looks_rule(4, spending), 24, 15);
    const LookTable third = table_at(looks_rule(4, spending), 24, 18);
    EXPECT_EQ(between.reached(), 2);
    const std::array<double, 4> boundaries = {boundary_of(table_at(looks_rule(4, spending), 24, 6)),
                                              boundary_of(second),
                                              boundary_of(between),
                                              0};
    const std::array<double, 3> shares = {0.25, 0.5, 0.625};
    const double spent = stats::crossing_chance(std::span(boundaries).first(3), shares);
    const std::array<double, 3> planned = {boundaries[0], boundaries[1], boundary_of(third)};
    const std::array<double, 3> planned_shares = {0.25, 0.5, 0.75};
    EXPECT_LT(spent, stats::crossing_chance(planned, planned_shares));
    EXPECT_GT(
        spent,
        stats::crossing_chance(std::span(planned).first(2), std::span(planned_shares).first(2)));
  }
}

TEST(LookTable, AllLooksTogetherErrAsOftenAsOneTest) {
  constexpr int kPlans = 4000;
  constexpr std::int32_t kBlocks = 40;
  std::vector<LookTable> tables;
  for (std::int32_t look = 1; look <= 5; ++look)
    tables.push_back(table_at(looks_rule(5), kBlocks, 8 * look));
  int alarms = 0;
  for (int plan = 0; plan < kPlans; ++plan) {
    Rng rng(11, static_cast<std::uint64_t>(plan));
    double sum = 0;
    bool alarm = false;
    for (std::int32_t block = 1; block <= kBlocks; ++block) {
      sum += rng.normal();
      if (block % 8 != 0) continue;
      const double z = sum / std::sqrt(static_cast<double>(block));
      const auto& table = tables[static_cast<std::size_t>(block / 8 - 1)];
      alarm = alarm || table.repeated_p(two_sided(std::abs(z))) < kAlpha;
    }
    alarms += alarm ? 1 : 0;
  }
  const double rate = static_cast<double>(alarms) / kPlans;
  EXPECT_LT(rate, 0.05 + 3 * std::sqrt(0.05 * 0.95 / kPlans));
  EXPECT_GT(rate, 0.05 - 3 * std::sqrt(0.05 * 0.95 / kPlans));
}

TEST(LookTable, RefusesLooksThatDoNotFitThePlan) {
  EXPECT_FALSE(LookTable::make(looks_rule(5), 12, 3, kAlpha, 1));
  EXPECT_FALSE(LookTable::make(looks_rule(0), 12, 3, kAlpha, 1));
}

}  // namespace
}  // namespace schedlab::compare
