#include "report/mmtests_figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace schedlab::report {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(MmtestsFigures, BestMeanKeepsTheBestNinetyFivePercent) {
  // 28 of 30, 4 of 5, 2 of 3, 1 of 1; lower is better, so the first ones.
  EXPECT_DOUBLE_EQ(mmtests_figures(one_to(30), false).best_mean95, 14.5);
  EXPECT_DOUBLE_EQ(mmtests_figures(one_to(5), false).best_mean95, 2.5);
  EXPECT_DOUBLE_EQ(mmtests_figures(one_to(3), false).best_mean95, 1.5);
  EXPECT_DOUBLE_EQ(mmtests_figures(one_to(1), false).best_mean95, 1);
}

TEST(MmtestsFigures, PercentileIsTheOrderStatisticFromTheBest) {
  EXPECT_EQ(mmtests_figures(one_to(30), false).pctile95, 28);
  EXPECT_EQ(mmtests_figures(one_to(30), true).pctile95, 3);
}

TEST(MmtestsFigures, ArithmeticWhereLowerIsBetter) {
  const MmtestsFigures figures =
      mmtests_figures(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}, false);
  EXPECT_DOUBLE_EQ(figures.mean, 5);
  EXPECT_DOUBLE_EQ(figures.stddev, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(figures.coeff_var, 100 * std::sqrt(32.0 / 7) / 5);
  EXPECT_EQ(figures.min, 2);
  EXPECT_EQ(figures.max, 9);
}

TEST(MmtestsFigures, HarmonicWhereHigherIsBetter) {
  // 1/x = 1, 1/2, 1/4; H = 3 / 1.75.
  const MmtestsFigures figures = mmtests_figures(std::vector<double>{1, 2, 4}, true);
  const double h = 3 / 1.75;
  EXPECT_DOUBLE_EQ(figures.mean, h);
  const double squares =
      std::pow(1 - 1 / h, 2) + std::pow(0.5 - 1 / h, 2) + std::pow(0.25 - 1 / h, 2);
  EXPECT_NEAR(figures.stddev, std::sqrt(squares * h * h * h * h / 3), 1e-12);
  // The best two of three are 4 and 2.
  EXPECT_DOUBLE_EQ(figures.best_mean95, 2 / 0.75);
}

TEST(MmtestsFigures, NothingAndZeroRatesDivideByNothing) {
  EXPECT_EQ(mmtests_figures({}, true).mean, 0);
  const MmtestsFigures zero = mmtests_figures(std::vector<double>{0, 5}, true);
  EXPECT_EQ(zero.mean, 0);
  EXPECT_EQ(zero.stddev, 0);
  EXPECT_EQ(zero.coeff_var, 0);
}

TEST(MmtestsChange, IsPositiveForBetter) {
  EXPECT_NEAR(mmtests_change(2.0363, 1.9610, false), 3.70, 0.005);
  EXPECT_DOUBLE_EQ(mmtests_change(100, 110, true), 10);
  EXPECT_DOUBLE_EQ(mmtests_change(100, 110, false), -10);
  EXPECT_DOUBLE_EQ(mmtests_change(10, 0, false), 100);
}

TEST(MmtestsChange, FromZeroHasFixedAnswers) {
  EXPECT_EQ(mmtests_change(0, 0, true), 0);
  EXPECT_EQ(mmtests_change(0, 0, false), 0);
  EXPECT_EQ(mmtests_change(0, 5, true), 100);
  EXPECT_EQ(mmtests_change(0, 5, false), -99);
}

MmtestsFigures figures(std::size_t n, double mean, double stddev) {
  MmtestsFigures out;
  out.n = n;
  out.mean = mean;
  out.stddev = stddev;
  return out;
}

TEST(MmtestsStar, NewRuleNeedsTheBandsApartWhateverN) {
  // 1.96 * (1 + 1) = 3.92.
  for (const std::size_t n : {3U, 30U, 3000U}) {
    EXPECT_FALSE(mmtests_star(figures(n, 100, 1), figures(n, 103.9, 1), StarRule::BandsApart));
    EXPECT_TRUE(mmtests_star(figures(n, 100, 1), figures(n, 96.0, 1), StarRule::BandsApart));
  }
}

TEST(MmtestsStar, OldRuleIsATTestAtTenPercent) {
  // n = 5 each: standard error sqrt(2/5), 8 degrees of freedom, critical t 1.859548.
  const double critical = 1.859548 * std::sqrt(0.4);
  EXPECT_FALSE(mmtests_star(figures(5, 0, 1), figures(5, critical - 1e-4, 1), StarRule::TTest));
  EXPECT_TRUE(mmtests_star(figures(5, 0, 1), figures(5, critical + 1e-4, 1), StarRule::TTest));
  EXPECT_TRUE(mmtests_star(figures(30, 100, 1), figures(30, 101, 1), StarRule::TTest))
      << "more runs do help here";
}

TEST(MmtestsStar, WithoutVarianceAnyDifferenceIsAStar) {
  EXPECT_TRUE(mmtests_star(figures(3, 100, 0), figures(3, 100.001, 0), StarRule::TTest));
  EXPECT_FALSE(mmtests_star(figures(3, 100, 0), figures(3, 100, 0), StarRule::TTest));
  EXPECT_FALSE(mmtests_star(figures(1, 100, 0), figures(1, 101, 0), StarRule::TTest))
      << "no freedom";
}

}  // namespace
}  // namespace schedlab::report
