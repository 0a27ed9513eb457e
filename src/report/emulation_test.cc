// The rules of mmtests and lkp against the rates published for them: from normal runs, how often
// each would mark a row. The published rates (docs/methodology.md) are from 1500 to 40,000 draws
// and stand within 1.3 points; these are from 4000, so each may be 3 points off before the rule is
// wrong. And figures that those tools and mails printed, from the same data.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "core/rng.h"
#include "report/lkp_figures.h"
#include "report/mmtests_figures.h"

namespace schedlab::report {
namespace {

using Values = std::vector<double>;
using Rule = std::function<bool(const Values&, const Values&)>;

constexpr int kDraws = 4000;

/// Runs of an arm: a level for its boot, and each run about that.
Values draw_arm(Rng& rng, std::size_t n, double level, double boot_sd, double run_sd) {
  const double boot = level * (1 + boot_sd * rng.normal());
  Values values(n);
  for (double& value : values)
    value = boot + level * run_sd * rng.normal();
  return values;
}

/// In %.
double marked(const Rule& rule, std::size_t n, double change, double boot_sd, double run_sd) {
  int count = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    Rng rng(20'241'128, static_cast<std::uint64_t>(draw));
    const Values base = draw_arm(rng, n, 1, boot_sd, run_sd);
    const Values contender = draw_arm(rng, n, 1 + change, boot_sd, run_sd);
    count += rule(base, contender) ? 1 : 0;
  }
  return 100.0 * count / kDraws;
}

bool star(const Values& base, const Values& contender, StarRule rule) {
  return mmtests_star(mmtests_figures(base, false), mmtests_figures(contender, false), rule);
}

bool new_star(const Values& base, const Values& contender) {
  return star(base, contender, StarRule::BandsApart);
}

bool old_star(const Values& base, const Values& contender) {
  return star(base, contender, StarRule::TTest);
}

bool listed(const Values& base, const Values& contender) {
  return lkp_lists(base, contender, kLkpLeastRatioOfResult);
}

TEST(Emulation, MmtestsNewStarGetsRarerWithMoreRuns) {
  // CV 3 %, true change 5 %.
  EXPECT_NEAR(marked(new_star, 3, 0.05, 0, 0.03), 10.5, 3);
  EXPECT_NEAR(marked(new_star, 5, 0.05, 0, 0.03), 2.8, 1.5);
  EXPECT_NEAR(marked(new_star, 10, 0.05, 0, 0.03), 0.1, 0.3);
  EXPECT_NEAR(marked(new_star, 30, 0.05, 0, 0.03), 0.0, 0.1);
}

TEST(Emulation, LkpsRuleLosesPowerWithMoreRuns) {
  EXPECT_NEAR(marked(listed, 3, 0.05, 0, 0.03), 67, 4);
  EXPECT_NEAR(marked(listed, 5, 0.05, 0, 0.03), 56, 4);
  EXPECT_NEAR(marked(listed, 10, 0.05, 0, 0.03), 35, 4);
  EXPECT_NEAR(marked(listed, 30, 0.05, 0, 0.03), 6, 3);
}

TEST(Emulation, LkpsRuleAlarmsMoreWithFewerRuns) {
  EXPECT_THAT(marked(listed, 3, 0, 0, 0.03), testing::AllOf(testing::Ge(12), testing::Le(21)));
  EXPECT_THAT(marked(listed, 5, 0, 0, 0.03), testing::AllOf(testing::Ge(3), testing::Le(6)));
  EXPECT_LE(marked(listed, 10, 0, 0, 0.03), 0.5);
}

TEST(Emulation, OneBootOfEachKernelFoolsEveryRule) {
  // No change; boots differ by 2 %, runs by 1 %, 10 runs each.
  EXPECT_NEAR(marked(old_star, 10, 0, 0.02, 0.01), 79, 3);
  EXPECT_NEAR(marked(new_star, 10, 0, 0.02, 0.01), 19, 3);
  EXPECT_NEAR(marked(listed, 10, 0, 0.02, 0.01), 51, 3);
}

TEST(Emulation, OldStarHasTheLevelOfATestAtTenPercent) {
  EXPECT_NEAR(marked(old_star, 5, 0, 0, 0.03), 10, 2);
  EXPECT_NEAR(marked(old_star, 30, 0, 0, 0.03), 10, 2);
}

TEST(Emulation, NewStarIsAboutFourDeviationsWhateverTheRuns) {
  // 2 x 1.96 of a deviation of 1 %: a change of 3.5 % is none, one of 4.5 % is one, from 200 runs.
  EXPECT_LE(marked(new_star, 200, 0.035, 0, 0.01), 2);
  EXPECT_GE(marked(new_star, 200, 0.045, 0, 0.01), 98);
}

// By hand from the formulas, on data whose figures come out even.
TEST(Emulation, MmtestsFiguresOfTheSameRunsByHand) {
  // Times 10, 20, 30, 40: mean 25, squares 500, divisor 3.
  const MmtestsFigures times = mmtests_figures(Values{40, 10, 30, 20}, false);
  EXPECT_DOUBLE_EQ(times.mean, 25);
  EXPECT_DOUBLE_EQ(times.stddev, std::sqrt(500.0 / 3));
  EXPECT_DOUBLE_EQ(times.coeff_var, 4 * std::sqrt(500.0 / 3));
  EXPECT_DOUBLE_EQ(times.best_mean95, 20) << "the best three of four";
  EXPECT_EQ(times.pctile95, 30) << "the third from the best";
  // Rates 1, 1/2, 1/3, 1/4: 1/H = 2.5, squares 5, H^4 = 1/39.0625, divisor 4.
  const MmtestsFigures rates = mmtests_figures(Values{1, 1.0 / 2, 1.0 / 3, 1.0 / 4}, true);
  EXPECT_DOUBLE_EQ(rates.mean, 0.4);
  EXPECT_NEAR(rates.stddev, std::sqrt(5 / 39.0625 / 4), 1e-15);
  EXPECT_NEAR(rates.best_mean95, 0.5, 1e-15) << "harmonic of 1, 1/2, 1/3";
  EXPECT_DOUBLE_EQ(rates.pctile95, 1.0 / 3);
}

// Old rule: |d| / sqrt(s1^2/n1 + s2^2/n2) against t(0.95, n1 + n2 - 2); new: against 1.96 (s1 +
// s2).
TEST(Emulation, TheRulesPartOnTheSameRuns) {
  // Deviation 1 about 100 and about 103, 5 runs each: t = 3 / sqrt(0.4) = 4.74 > 1.86, but
  // 3 < 3.92.
  const double step = std::sqrt(0.4);  // -2, -1, 0, 1, 2 steps have deviation 1
  Values base;
  Values contender;
  for (int i = -2; i <= 2; ++i) {
    base.push_back(100 + i * step);
    contender.push_back(103 + i * step);
  }
  EXPECT_TRUE(old_star(base, contender));
  EXPECT_FALSE(new_star(base, contender));
  EXPECT_TRUE(listed(base, contender)) << "101.7 > 100 and 103 > 101.3";
  for (double& value : contender)
    value += 1;
  EXPECT_TRUE(new_star(base, contender)) << "4 > 3.92";
}

}  // namespace
}  // namespace schedlab::report
