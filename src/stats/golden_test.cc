// Published and independently computed answers (R 4.2, scipy 1.10, NIST StRD): every method family
// against figures that were not made by this code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "stats/blocks_needed.h"
#include "stats/equivalence.h"
#include "stats/false_discovery.h"
#include "stats/fisher_exact.h"
#include "stats/median_interval.h"
#include "stats/rank_sum.h"
#include "stats/signed_rank.h"
#include "stats/student_t.h"
#include "stats/summary.h"
#include "stats/trend.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// R's `sleep`: extra hours of sleep of ten people under two drugs (Student 1908).
const Values kSleep1 = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const Values kSleep2 = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

// R's ?wilcox.test: depression scores (Hollander and Wolfe 1973, p. 29) and permeability of
// membranes (p. 69).
const Values kDepression1 = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
const Values kDepression2 = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
const Values kPermeability1 = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
const Values kPermeability2 = {1.15, 0.88, 0.90, 0.74, 1.21};

// Twelve paired blocks, d = ln(base/patched) of a time.
const Values kWorkedExample = {
    0.021, 0.035, -0.004, 0.028, 0.031, 0.015, 0.042, 0.009, 0.026, 0.018, 0.033, 0.024};

Values differences(const Values& x, const Values& y) {
  Values d(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    d[i] = x[i] - y[i];
  return d;
}

// ln(10 + hours): sleep shifted to be positive, as a ratio needs.
Values log_of_ten_plus(const Values& values) {
  Values logs;
  for (const double value : values)
    logs.push_back(std::log(10 + value));
  return logs;
}

void expect_interval(const Interval& interval, double low, double high, double tolerance) {
  EXPECT_NEAR(interval.low, low, tolerance);
  EXPECT_NEAR(interval.high, high, tolerance);
}

TEST(Summary, AgreesWithNistOnMichelson) {
  const Values light = {
      299.85, 299.74, 299.90, 300.07, 299.93, 299.85, 299.95, 299.98, 299.98, 299.88,
      300.00, 299.98, 299.93, 299.65, 299.76, 299.81, 300.00, 300.00, 299.96, 299.96,
      299.96, 299.94, 299.96, 299.94, 299.88, 299.80, 299.85, 299.88, 299.90, 299.84,
      299.83, 299.79, 299.81, 299.88, 299.88, 299.83, 299.80, 299.79, 299.76, 299.80,
      299.88, 299.88, 299.88, 299.86, 299.72, 299.72, 299.62, 299.86, 299.97, 299.95,
      299.88, 299.91, 299.85, 299.87, 299.84, 299.84, 299.85, 299.84, 299.84, 299.84,
      299.89, 299.81, 299.81, 299.82, 299.80, 299.77, 299.76, 299.74, 299.75, 299.76,
      299.91, 299.92, 299.89, 299.86, 299.88, 299.72, 299.84, 299.85, 299.85, 299.78,
      299.89, 299.84, 299.78, 299.81, 299.76, 299.81, 299.79, 299.81, 299.82, 299.85,
      299.87, 299.87, 299.81, 299.74, 299.81, 299.94, 299.95, 299.80, 299.81, 299.87};
  ASSERT_EQ(light.size(), 100U);
  EXPECT_NEAR(mean(light), 299.852400000000, 1e-12);
  EXPECT_NEAR(standard_deviation(light), 0.0790105478190518, 1e-14);
  EXPECT_NEAR(lag1_autocorrelation(light), 0.535199668621283, 1e-12);
}

TEST(Summary, KeepsItsDigitsWhenTheMeanDwarfsTheSpread) {  // NIST NumAcc1-4, certified
  EXPECT_EQ(mean(Values{10000001, 10000003, 10000002}), 10000002);
  EXPECT_EQ(standard_deviation(Values{10000001, 10000003, 10000002}), 1);
  for (const double base : {1.0, 1000000.0, 10000000.0}) {
    Values values = {base + 0.2};
    for (int i = 0; i < 500; ++i)
      values.insert(values.end(), {base + 0.1, base + 0.3});
    EXPECT_NEAR(mean(values), base + 0.2, base * 1e-15);
    EXPECT_NEAR(standard_deviation(values), 0.1, 1e-8 * std::max(1.0, base / 1e7));
    EXPECT_NEAR(lag1_autocorrelation(values), -0.999, 1e-7);
  }
}

TEST(Summary, HasEveryFigureOfASmallSample) {
  const Summary summary = summarise(Values{4, 1, 2});
  EXPECT_EQ(summary.n, 3U);
  EXPECT_NEAR(summary.mean, 7.0 / 3, 1e-15);
  EXPECT_NEAR(summary.harmonic_mean, 12.0 / 7, 1e-15);
  EXPECT_EQ(summary.median, 2);
  EXPECT_NEAR(summary.sd, std::sqrt(7.0 / 3), 1e-15);
  EXPECT_NEAR(summary.population_sd, std::sqrt(14.0 / 9), 1e-15);
  EXPECT_NEAR(summary.cv, std::sqrt(7.0 / 3) / (7.0 / 3), 1e-15);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 4);
  EXPECT_EQ(summarise(Values{4, 1, 2, 10}).median, 3);
}

TEST(Summary, OfNothingOrOneValueIsDefined) {
  EXPECT_EQ(summarise({}).n, 0U);
  EXPECT_EQ(summarise({}).max, 0);
  EXPECT_EQ(summarise(Values{5}).sd, 0);
  EXPECT_EQ(summarise(Values{5}).median, 5);
  EXPECT_EQ(summarise(Values{0, 5}).harmonic_mean, 0);
  EXPECT_EQ(summarise(Values{-1, 1}).cv, 0);
}

TEST(Welch, AgreesWithROnSleep) {
  const auto welch = welch_t(kSleep1, kSleep2);
  ASSERT_TRUE(welch);
  EXPECT_NEAR(welch->t(), -1.86081, 1e-5);
  EXPECT_NEAR(welch->df, 17.7765, 1e-4);
  EXPECT_NEAR(welch->p_two_sided(), 0.0793941, 1e-7);
  expect_interval(welch->interval(0.95), -3.36548, 0.205483, 1e-5);
}

TEST(PairedT, AgreesWithROnSleep) {
  const auto paired = one_sample_t(differences(kSleep1, kSleep2));
  ASSERT_TRUE(paired);
  EXPECT_NEAR(paired->t(), -4.06213, 1e-5);
  EXPECT_EQ(paired->df, 9);
  EXPECT_NEAR(paired->p_two_sided(), 0.00283289, 1e-8);
  expect_interval(paired->interval(0.95), -2.45989, -0.700114, 1e-5);
}

TEST(StudentT, IsNotDefinedWithoutSpreadOrValues) {
  EXPECT_FALSE(one_sample_t({}));
  EXPECT_FALSE(one_sample_t(Values{1}));
  EXPECT_FALSE(one_sample_t(Values{1, 1, 1}));
  EXPECT_FALSE(welch_t(Values{1, 1}, Values{2, 2}));
  EXPECT_FALSE(welch_t(Values{1}, Values{2, 3}));
}

TEST(Equivalence, AgreesWithROnLogsOfSleep) {
  const auto ratio = welch_t(log_of_ten_plus(kSleep2), log_of_ten_plus(kSleep1));
  ASSERT_TRUE(ratio);
  const Equivalence tost = two_one_sided_tests(*ratio, std::log(1.25));
  EXPECT_NEAR(tost.p_low, 4.8216e-5, 1e-9);
  EXPECT_NEAR(tost.p_high, 0.126250, 1e-6);
  EXPECT_EQ(tost.p(), tost.p_high);
  EXPECT_NEAR(std::exp(tost.interval.low), 1.012104, 1e-6);
  EXPECT_NEAR(std::exp(tost.interval.high), 1.300947, 1e-6);
  EXPECT_FALSE(tost.interval.inside({-std::log(1.25), std::log(1.25)}));
}

TEST(RankSum, AgreesWithROnPermeability) {
  const RankSum test = rank_sum_test(kPermeability1, kPermeability2);
  EXPECT_EQ(test.u, 35);
  EXPECT_NEAR(test.p_two_sided, 0.254412254412, 1e-12);
  EXPECT_NEAR(test.p_greater, 0.127206127206, 1e-12);
  EXPECT_NEAR(hodges_lehmann_shift(kPermeability1, kPermeability2), 0.305, 1e-12);
  const auto interval = hodges_lehmann_shift_interval(kPermeability1, kPermeability2, 0.95);
  ASSERT_TRUE(interval);
  expect_interval(*interval, -0.15, 0.76, 1e-12);
}

TEST(RankSum, AgreesWithScipyOnItsExample) {
  const RankSum test = rank_sum_test(Values{19, 22, 16, 29, 24}, Values{20, 11, 17, 12});
  EXPECT_EQ(test.u, 17);
  EXPECT_NEAR(test.p_two_sided, 1.0 / 9, 1e-12);
}

TEST(RankSum, NeedsFourAndFourForAnInterval) {
  EXPECT_FALSE(hodges_lehmann_shift_interval(Values{1, 2, 3}, Values{4, 5, 6}, 0.95));
  EXPECT_TRUE(hodges_lehmann_shift_interval(Values{1, 2, 3, 4}, Values{4, 5, 6, 7}, 0.95));
}

TEST(HodgesLehmann, OfLogsIsTheRatioOfATypicalPair) {  // the middle pair is averaged on logs
  const double shift = hodges_lehmann_shift(log_of_ten_plus(kSleep2), log_of_ten_plus(kSleep1));
  EXPECT_NEAR(std::exp(shift), 1.1320, 5e-5);
}

TEST(SignedRank, AgreesWithROnDepression) {
  const Values d = differences(kDepression1, kDepression2);
  const SignedRank test = signed_rank_test(d);
  EXPECT_EQ(test.v, 40);
  EXPECT_EQ(test.p_two_sided, 0.0390625);
  EXPECT_EQ(test.p_greater, 0.01953125);
  EXPECT_NEAR(hodges_lehmann(d), 0.46, 1e-12);
  const auto interval = hodges_lehmann_interval(d, 0.95);
  ASSERT_TRUE(interval);
  expect_interval(*interval, 0.01, 0.786, 1e-12);
}

TEST(SignedRank, LeavesOutZerosAndSharesTiedRanks) {
  // |x| = 1 1 2 3: ranks 1.5 1.5 3 4; V = 1.5 + 3 + 4 = 8.5. Of 16 sign patterns V >= 8.5 in three
  // ({1.5,3,4} twice, all), V = 8.5's mirror likewise.
  const SignedRank test = signed_rank_test(Values{0, 1, -1, 2, 0, 3});
  EXPECT_EQ(test.n_used, 4U);
  EXPECT_EQ(test.v, 8.5);
  EXPECT_EQ(test.p_greater, 3.0 / 16);
  EXPECT_EQ(test.p_two_sided, 6.0 / 16);
  EXPECT_EQ(signed_rank_test(Values{0, 0}).p_two_sided, 1);
}

TEST(SignedRank, HasNoIntervalBelowSixValues) {
  EXPECT_FALSE(hodges_lehmann_interval(Values{1, 2, 3, 4, 5}, 0.95));
  const auto interval = hodges_lehmann_interval(Values{1, 2, 3, 4, 5, 6}, 0.95);
  ASSERT_TRUE(interval);
  expect_interval(*interval, 1, 6, 0);
}

TEST(MedianInterval, HasThePublishedRanks) {
  const auto expect_ranks = [](std::int64_t n, std::int64_t low, std::int64_t high, double chance) {
    const auto ranks = median_ranks(n, 0.95);
    ASSERT_TRUE(ranks) << n;
    EXPECT_EQ(ranks->low, low) << n;
    EXPECT_EQ(ranks->high, high) << n;
    EXPECT_NEAR(ranks->coverage, chance, 5e-7) << n;
  };
  expect_ranks(6, 1, 6, 0.96875);
  expect_ranks(10, 2, 9, 0.978516);
  expect_ranks(20, 6, 15, 0.958611);
  expect_ranks(30, 10, 21, 0.957226);
  EXPECT_FALSE(median_ranks(5, 0.95));
  EXPECT_FALSE(median_ranks(0, 0.95));
}

TEST(MedianInterval, AnytimeRanksAndEvidenceAreThePublishedOnes) {
  const auto expect_ranks = [](std::int64_t n, std::int64_t low, std::int64_t high) {
    EXPECT_EQ(anytime_median_ranks(n, 0.95), (MedianRanks{low, high, 0})) << n;
  };
  expect_ranks(8, 1, 8);
  expect_ranks(10, 1, 10);
  expect_ranks(12, 2, 11);
  expect_ranks(15, 2, 14);
  expect_ranks(20, 4, 17);
  expect_ranks(30, 7, 24);
  expect_ranks(40, 11, 30);
  expect_ranks(60, 19, 42);
  EXPECT_FALSE(anytime_median_ranks(7, 0.95));
  EXPECT_NEAR(sign_e_value(8, 8), 28.444, 1e-3);
  EXPECT_NEAR(sign_e_value(10, 10), 93.0909, 1e-4);
  EXPECT_NEAR(sign_e_value(7, 7), 16, 1e-12);
}

TEST(BenjaminiHochberg, AgreesWithTheirPaper) {  // 1995, section 3.2: four of fifteen rejected
  const Values p = {0.0001,
                    0.0004,
                    0.0019,
                    0.0095,
                    0.0201,
                    0.0278,
                    0.0298,
                    0.0344,
                    0.0459,
                    0.3240,
                    0.4262,
                    0.5719,
                    0.6528,
                    0.7590,
                    1.0};
  const std::vector<double> adjusted = benjamini_hochberg(p);
  const Values expected = {
      0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.063857, 0.063857, 0.0645, 0.0765};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(adjusted[i], expected[i], 5e-7);
  EXPECT_EQ(adjusted.back(), 1);
  EXPECT_EQ(std::count_if(adjusted.begin(), adjusted.end(), [](double q) { return q <= 0.05; }), 4);
}

TEST(BenjaminiHochberg, KeepsTheOrderGiven) {
  EXPECT_THAT(benjamini_hochberg(Values{0.5, 0.01, 0.04}),
              testing::ElementsAre(0.5, testing::DoubleEq(0.03), testing::DoubleEq(0.06)));
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(FisherExact, AgreesWithR) {
  EXPECT_NEAR(fisher_exact(3, 10, 0, 10), 0.2105263, 1e-7);
  EXPECT_NEAR(fisher_exact(6, 20, 0, 20), 0.0202, 5e-5);
  EXPECT_NEAR(fisher_exact(5, 10, 5, 10), 1, 1e-12);
  EXPECT_NEAR(fisher_exact(0, 0, 3, 5), 1, 1e-12);
}

TEST(MannKendall, AgreesWithScipy) {
  const Trend trend = mann_kendall(Values{5.1, 4.9, 5, 5.2, 4.8, 6.4, 6.6, 6.5, 6.3, 6.7});
  EXPECT_EQ(trend.s, 25);
  EXPECT_NEAR(trend.tau, 0.555556, 1e-6);
  EXPECT_NEAR(trend.p_two_sided, 0.0286095, 1e-7);
}

TEST(MannKendall, FallingIsNegativeAndConstantIsNoTrend) {
  EXPECT_EQ(mann_kendall(Values{5, 4, 3, 2, 1}).tau, -1);
  EXPECT_NEAR(mann_kendall(Values{5, 4, 3, 2, 1}).p_two_sided, 2.0 / 120, 1e-15);
  EXPECT_EQ(mann_kendall(Values(20, 7.0)).p_two_sided, 1);
  EXPECT_EQ(mann_kendall(Values{1, 2}).p_two_sided, 1);
}

TEST(WorkedExample, HasEveryPublishedFigure) {
  const auto t = one_sample_t(kWorkedExample);
  ASSERT_TRUE(t);
  EXPECT_NEAR(t->estimate, 0.0231667, 5e-8);
  EXPECT_NEAR(t->t(), 6.41469, 5e-6);
  EXPECT_EQ(t->df, 11);
  expect_interval(t->interval(0.95), 0.0152178, 0.0311155, 5e-8);
  EXPECT_NEAR(100 * std::expm1(t->estimate), 2.34, 5e-3);
  EXPECT_NEAR(100 * std::expm1(t->interval(0.95).low), 1.53, 5e-3);
  EXPECT_NEAR(100 * std::expm1(t->interval(0.95).high), 3.16, 5e-3);
  EXPECT_NEAR(hodges_lehmann(kWorkedExample), 0.02425, 1e-12);
  EXPECT_EQ(signed_rank_test(kWorkedExample).p_two_sided, 0.0009765625);
  expect_interval(*hodges_lehmann_interval(kWorkedExample, 0.95), 0.0150, 0.0315, 1e-12);
  expect_interval(*median_interval(kWorkedExample, 0.95), 0.015, 0.033, 0);
  EXPECT_EQ(median_ranks(12, 0.95)->low, 3);
  expect_interval(*anytime_median_interval(kWorkedExample, 0.95), 0.009, 0.035, 0);
  EXPECT_GT(t->interval(0.95).low, std::log(1.01));  // better at delta 1 %
}

TEST(BlocksNeeded, IsTheFirstBlockCountThatDecides) {
  // t(0.975, n-1) 0.02 / sqrt(n) < 0.01 first holds at n = 18: t(17) = 2.1098 -> 0.009946.
  EXPECT_EQ(blocks_needed(0.01, 0.02, 5, {.margin = 1e-9}), 18);
  // t(0.95, n-1) 0.02 / sqrt(n) < 0.01: n = 13, t(12) = 1.7823 -> 0.009886.
  EXPECT_EQ(blocks_needed(0, 0.02, 5, {.margin = 0.01}), 13);
  EXPECT_EQ(blocks_needed(-0.01, 0.02, 5, {.margin = 1e-9}), 18);
}

TEST(BlocksNeeded, AlwaysAsksForMoreThanThereAre) {
  EXPECT_EQ(blocks_needed(0.01, 0.02, 18, {.margin = 1e-9}), 19);
  EXPECT_GT(blocks_needed(0.01, 0.02, 5, {.margin = 1e-9, .alpha_change = 0.005}), 18);
}

TEST(BlocksNeeded, DoesNotGuessWhatCannotBePredicted) {
  EXPECT_FALSE(blocks_needed(0.01, 0, 5, {.margin = 0.01}));
  EXPECT_FALSE(blocks_needed(NAN, 0.02, 5, {.margin = 0.01}));
  EXPECT_FALSE(blocks_needed(1e-6, 1.0, 5, {.margin = 1e-6}));  // beyond the cap
  EXPECT_FALSE(blocks_needed(0.01, 0.02, kBlocksCap, {.margin = 0.01}));
}

}  // namespace
}  // namespace schedlab::stats
