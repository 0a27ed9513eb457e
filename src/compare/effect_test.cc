// The verdict rule: what each verdict needs, and the corners where Student's t has nothing to say.
#include "compare/effect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace schedlab::compare {
namespace {

using LogRatios = std::vector<double>;

const LogRatios kWorkedExample = {
    0.021, 0.035, -0.004, 0.028, 0.031, 0.015, 0.042, 0.009, 0.026, 0.018, 0.033, 0.024};

Row row_of(const LogRatios& log_ratios, double delta = 0.01) {
  Row row;
  row.log_ratios = log_ratios;
  row.delta = delta;
  row.metric.primary = true;
  row.effect = estimate_effect(log_ratios, delta, 0.05);
  decide(row, 0.05);
  return row;
}

LogRatios scaled(const LogRatios& values, double factor, double shift = 0) {
  LogRatios result;
  for (const double value : values)
    result.push_back(value * factor + shift);
  return result;
}

Row bimodal(std::optional<Interval> ranks) {
  Row row;
  row.log_ratios.assign(12, 0.1);
  row.effect.emplace();
  row.effect->ratio = 1.1;
  row.effect->interval95 = {1.05, 1.15};
  row.effect->hodges_lehmann = 1.2;
  row.effect->hl_interval95 = ranks;
  row.effect->p_value = row.effect->p_adjusted = 0.01;
  row.two_modes = true;
  return row;
}

TEST(TwoModes, HaveAVerdictOnlyWhenTheRanksConfirmIt) {
  Row row = bimodal(Interval{1.01, 1.3});
  decide(row, 0.05);
  EXPECT_EQ(row.verdict, Verdict::Better);
  for (const auto& ranks : {std::optional(Interval{0.9, 1.3}), std::optional<Interval>()}) {
    row = bimodal(ranks);
    decide(row, 0.05);
    EXPECT_EQ(row.verdict, Verdict::Inconclusive);
    EXPECT_EQ(row.flags.size(), 1U);
    row.two_modes = false;
    decide(row, 0.05);
    EXPECT_EQ(row.verdict, Verdict::Better);
  }
}

TEST(TwoModes, HaveTheRanksAsTheirHeadline) {
  Row row = bimodal(Interval{0.9, 1.3});
  EXPECT_EQ(headline_of(row)->ratio, 1.2);
  EXPECT_EQ(headline_of(row)->interval95->low, 0.9);
  row.two_modes = false;
  EXPECT_EQ(headline_of(row)->ratio, 1.1);
  EXPECT_EQ(headline_of(row)->interval95->low, 1.05);
  row.effect.reset();
  EXPECT_FALSE(headline_of(row));
}

TEST(Effect, HasTheFiguresOfTheWorkedExample) {
  const auto effect = estimate_effect(kWorkedExample, 0.01, 0.05);
  ASSERT_TRUE(effect);
  EXPECT_NEAR(effect->ratio, std::exp(0.0231667), 1e-7);
  EXPECT_NEAR(std::log(effect->interval95.low), 0.0152178, 1e-7);
  EXPECT_NEAR(std::log(effect->interval95.high), 0.0311155, 1e-7);
  EXPECT_NEAR(std::log(effect->hodges_lehmann), 0.02425, 1e-12);
  ASSERT_TRUE(effect->hl_interval95);
  EXPECT_NEAR(std::log(effect->hl_interval95->low), 0.0150, 1e-12);
  EXPECT_NEAR(std::log(effect->hl_interval95->high), 0.0315, 1e-12);
  EXPECT_NEAR(effect->p_value, 4.98e-5, 5e-7);  // t = 6.41469 on 11 df
  EXPECT_GT(effect->p_tost, 0.99);
  EXPECT_LT(effect->interval95.low, effect->interval90.low);
}

TEST(Effect, NeedsTwoBlocksAndSixForHodgesLehmann) {
  EXPECT_FALSE(estimate_effect({}, 0.01, 0.05));
  EXPECT_FALSE(estimate_effect(LogRatios{0.1}, 0.01, 0.05));
  EXPECT_FALSE(estimate_effect(LogRatios{0.1, 0.2, 0.3, 0.2, 0.1}, 0.01, 0.05)->hl_interval95);
}

TEST(Effect, StaysFiniteHoweverWildTheBlocks) {
  const auto effect = estimate_effect(LogRatios{-600, 600}, 0.01, 0.05);
  EXPECT_TRUE(std::isfinite(effect->interval95.high));
  EXPECT_GT(effect->interval95.low, 0);
}

TEST(Verdict, OfTheWorkedExampleIsBetter) {
  EXPECT_EQ(row_of(kWorkedExample).verdict, Verdict::Better);
  EXPECT_EQ(row_of(scaled(kWorkedExample, -1)).verdict, Verdict::Worse);
  EXPECT_FALSE(row_of(kWorkedExample).more_blocks);
}

TEST(Verdict, IsSameWhenTheNarrowIntervalLiesWithinDelta) {
  const Row row = row_of(scaled(kWorkedExample, 0.2, -0.005));  // mean -0.00037, sd 0.0025
  EXPECT_EQ(row.verdict, Verdict::Same);
  EXPECT_FALSE(row.real_but_small);
  EXPECT_GT(row.effect->interval90.low, 1 / 1.01);
  EXPECT_LT(row.effect->interval90.high, 1.01);
}

TEST(Verdict, OfARealButSmallEffectIsSameAndSaysSo) {
  const Row row = row_of(scaled(kWorkedExample, 0.2));  // mean 0.0046, well off 0, within 1 %
  EXPECT_EQ(row.verdict, Verdict::Same);
  EXPECT_TRUE(row.real_but_small);
  EXPECT_EQ(row_of(scaled(kWorkedExample, 0.2), 0.002).verdict, Verdict::Better);
}

TEST(Verdict, IsInconclusiveWithAGuessOfWhatWouldDecide) {
  const Row row = row_of(scaled(kWorkedExample, 2, -0.04));  // mean 0.006, sd 0.025
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  ASSERT_TRUE(row.more_blocks);
  EXPECT_GT(*row.more_blocks, 20);
  EXPECT_LT(*row.more_blocks, 120);
}

TEST(Verdict, NeedsThreeBlocksHoweverClear) {
  const Row row = row_of({0.5000001, 0.5});
  EXPECT_LT(row.effect->p_value, 0.05);
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_EQ(row.more_blocks, 1);
  EXPECT_EQ(row_of({0.5000001, 0.5, 0.4999999}).verdict, Verdict::Better);
}

TEST(Verdict, WithoutSpreadComesFromTheSignTest) {
  const double step = std::log(3.0 / 2);
  EXPECT_EQ(row_of(LogRatios(2, step)).verdict, Verdict::Inconclusive);
  EXPECT_EQ(row_of(LogRatios(5, step)).verdict, Verdict::Inconclusive);  // p = 1/16
  EXPECT_EQ(row_of(LogRatios(5, step)).more_blocks, 1);
  const Row clear = row_of(LogRatios(6, step));
  EXPECT_EQ(clear.verdict, Verdict::Better);
  EXPECT_EQ(clear.effect->p_value, 1.0 / 32);
  EXPECT_EQ(clear.effect->interval95.low, clear.effect->ratio);
}

TEST(Verdict, OfEqualValuesNeedsFiveBlocksToBeSame) {
  EXPECT_EQ(row_of(LogRatios(4, 0)).verdict, Verdict::Inconclusive);
  EXPECT_EQ(row_of(LogRatios(4, 0)).more_blocks, 1);
  const Row equal = row_of(LogRatios(5, 0));
  EXPECT_EQ(equal.verdict, Verdict::Same);
  EXPECT_FALSE(equal.real_but_small);
  EXPECT_EQ(equal.effect->p_value, 1);
}

TEST(Verdict, RestsOnTheAdjustedP) {
  Row row = row_of({0.08, 0.02, 0.09, 0.01, 0.07, 0.00});  // p near 0.04
  ASSERT_LT(row.effect->p_value, 0.05);
  ASSERT_EQ(row.verdict, Verdict::Better);
  std::vector<Row> noise(9, row_of({0.03, -0.02, 0.01, -0.03}));
  std::vector<Row*> family = {&row};
  for (Row& other : noise)
    family.push_back(&other);
  const auto alone = row.effect->p_value;
  adjust_p_values(family);
  decide(row, 0.05);
  EXPECT_GT(row.effect->p_adjusted, alone);
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  ASSERT_TRUE(row.more_blocks);  // the prediction uses the level that the table leaves the row
  EXPECT_GT(*row.more_blocks, 1);
}

TEST(Verdict, OfNoEffectIsInconclusiveWithoutAGuess) {
  Row row;
  decide(row, 0.05);
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_FALSE(row.more_blocks);
}

}  // namespace
}  // namespace schedlab::compare
