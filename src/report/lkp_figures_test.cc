#include "report/lkp_figures.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace schedlab::report {
namespace {

using Values = std::vector<double>;

TEST(LkpFigures, DeviationHasTheDivisorN) {
  const LkpFigures figures = lkp_figures(Values{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(figures.n, 8U);
  EXPECT_DOUBLE_EQ(figures.mean, 5);
  EXPECT_DOUBLE_EQ(figures.stddev_percent, 40) << "population deviation 2 of 5";
  EXPECT_EQ(lkp_figures(Values{}).stddev_percent, 0);
  EXPECT_EQ(lkp_figures(Values{-1, 1}).stddev_percent, 0) << "no % of zero";
}

TEST(LkpRule, NeedsEachMedianOutsideTheOthersRange) {
  const Values base = {10, 11, 12};
  EXPECT_TRUE(lkp_lists(base, Values{11.5, 12.5, 13}, 1.01));
  EXPECT_TRUE(lkp_lists(Values{11.5, 12.5, 13}, base, 1.01)) << "either way";
  EXPECT_FALSE(lkp_lists(base, Values{11, 12.5, 13}, 1.01)) << "least run at the median";
  EXPECT_FALSE(lkp_lists(base, Values{11.5, 12, 13}, 1.01)) << "median at the greatest run";
}

TEST(LkpRule, NeedsThreeRunsOfAnArmAndTheMediansApart) {
  EXPECT_FALSE(lkp_lists(Values{10, 11}, Values{20, 21}, 1.01));
  EXPECT_TRUE(lkp_lists(Values{10, 11}, Values{20, 21, 22}, 1.01));
  EXPECT_FALSE(lkp_lists(Values{}, Values{20, 21, 22}, 1.01));
  EXPECT_FALSE(lkp_lists(Values{100, 100, 100}, Values{101, 101, 101}, 1.01)) << "not above 1 %";
  EXPECT_TRUE(lkp_lists(Values{100, 100, 100}, Values{101.1, 101.1, 101.1}, 1.01));
  EXPECT_FALSE(lkp_lists(Values{100, 100, 100}, Values{101.1, 101.1, 101.1}, 1.05));
  EXPECT_TRUE(lkp_lists(Values{0, 0, 0}, Values{1, 1, 1}, 1.05)) << "from zero";
  EXPECT_FALSE(lkp_lists(Values{0, 0, 0}, Values{0, 0, 0}, 1.05));
}

Values ramp(double from, std::size_t n, double low_outlier) {
  Values values(n);
  std::iota(values.begin(), values.end(), from);
  if (n > 0) values.front() = low_outlier;
  return values;
}

TEST(LkpRule, TrimsOneRunInThirtyTwo) {
  // One stray low run hides the change in 31 runs and is trimmed in 32.
  EXPECT_FALSE(lkp_lists(ramp(1000, 31, 1000), ramp(2000, 31, 1), 1.01));
  EXPECT_TRUE(lkp_lists(ramp(1000, 32, 1000), ramp(2000, 32, 1), 1.01));
  Values two_strays = ramp(2000, 32, 1);
  two_strays[1] = 1;
  EXPECT_FALSE(lkp_lists(ramp(1000, 32, 1000), two_strays, 1.01));
  Values many = ramp(2000, 320, 1);
  many[1] = many[2] = 1;
  EXPECT_TRUE(lkp_lists(ramp(1000, 32, 1000), many, 1.01)) << "three at most";
  many[3] = 1;
  EXPECT_FALSE(lkp_lists(ramp(1000, 32, 1000), many, 1.01));
  Values of_three_base = ramp(2000, 320, 1);
  EXPECT_TRUE(lkp_lists(Values{1000, 1001, 1002}, of_three_base, 1.01));
  of_three_base[1] = 1;
  EXPECT_FALSE(lkp_lists(Values{1000, 1001, 1002}, of_three_base, 1.01)) << "one at most";
}

}  // namespace
}  // namespace schedlab::report
