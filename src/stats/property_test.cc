// What holds for any sample: fast algorithms against brute force, symmetry, error rates.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/rng.h"
#include "stats/fisher_exact.h"
#include "stats/modes.h"
#include "stats/rank_sum.h"
#include "stats/signed_rank.h"
#include "stats/student_t.h"
#include "stats/summary.h"
#include "stats/trend.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// Few distinct values, so that ties and zeros are common.
Values tied_values(std::size_t fewest, std::size_t most) {
  const auto size = *rc::gen::inRange(fewest, most + 1);
  Values values;
  for (const int value : *rc::gen::container<std::vector<int>>(size, rc::gen::inRange(-9, 10))) {
    values.push_back(value / 4.0);
  }
  return values;
}

Values normal_values(Rng& rng, std::size_t n) {
  Values values(n);
  for (double& value : values)
    value = rng.normal();
  return values;
}

TEST(HodgesLehmann, IsTheMedianOfAllWalshAverages) {
  EXPECT_TRUE(rc::check([] {
    const Values values = tied_values(1, 30);
    Values walsh;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = i; j < values.size(); ++j)
        walsh.push_back((values[i] + values[j]) / 2);
    }
    RC_ASSERT(hodges_lehmann(values) == median(walsh));
  }));
}

TEST(HodgesLehmann, ShiftIsTheMedianOfAllDifferences) {
  EXPECT_TRUE(rc::check([] {
    const Values x = tied_values(1, 15);
    const Values y = tied_values(1, 15);
    Values pairs;
    for (const double a : x) {
      for (const double b : y)
        pairs.push_back(a - b);
    }
    RC_ASSERT(hodges_lehmann_shift(x, y) == median(pairs));
  }));
}

TEST(SignedRank, CountsSignPatternsExactly) {
  EXPECT_TRUE(rc::check([] {
    Values values = tied_values(1, 9);
    const SignedRank test = signed_rank_test(values);
    std::erase(values, 0.0);
    RC_PRE(!values.empty());
    std::size_t at_least = 0;
    const std::size_t patterns = std::size_t{1} << values.size();
    for (std::size_t pattern = 0; pattern < patterns; ++pattern) {
      Values flipped;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const bool up = ((pattern >> i) & 1U) != 0;
        flipped.push_back(up ? std::abs(values[i]) : -std::abs(values[i]));
      }
      at_least += signed_rank_test(flipped).v >= test.v ? 1U : 0U;
    }
    const double exact = static_cast<double>(at_least) / static_cast<double>(patterns);
    RC_ASSERT(std::abs(test.p_greater - exact) < 1e-12);
  }));
}

TEST(SignedRank, ExactAndNormalFormsMeetAtFiftyValues) {
  Rng rng(7);
  Values values = normal_values(rng, 51);
  for (double& value : values)
    value += 0.3;
  const double normal = signed_rank_test(values).p_two_sided;
  const auto normal_interval = hodges_lehmann_interval(values, 0.95);
  values.erase(std::min_element(
      values.begin(), values.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  EXPECT_NEAR(signed_rank_test(values).p_two_sided, normal, 0.01);
  const auto exact_interval = hodges_lehmann_interval(values, 0.95);
  EXPECT_NEAR(exact_interval->low, normal_interval->low, 0.05);
  EXPECT_NEAR(exact_interval->high, normal_interval->high, 0.05);
}

TEST(SignedRank, TurnsWithItsSign) {
  EXPECT_TRUE(rc::check([] {
    const Values values = tied_values(1, 60);
    Values turned = values;
    for (double& value : turned)
      value = -value;
    RC_ASSERT(hodges_lehmann(turned) == -hodges_lehmann(values));
    RC_ASSERT(std::abs(signed_rank_test(turned).p_two_sided -
                       signed_rank_test(values).p_two_sided) < 1e-12);
    const auto interval = hodges_lehmann_interval(values, 0.95);
    const auto mirrored = hodges_lehmann_interval(turned, 0.95);
    RC_ASSERT(interval.has_value() == (values.size() >= 6));
    if (interval) RC_ASSERT(interval->low == -mirrored->high && interval->high == -mirrored->low);
  }));
}

TEST(RankSum, ChancesAddUpWhateverTheSizes) {
  EXPECT_TRUE(rc::check([] {
    const auto m = *rc::gen::inRange<std::size_t>(1, 51);
    const auto n = *rc::gen::inRange<std::size_t>(1, 51);
    Values x(m);
    Values y(n);
    for (std::size_t i = 0; i < m; ++i)
      x[i] = 1000.0 + static_cast<double>(i);
    for (std::size_t i = 0; i < n; ++i)
      y[i] = static_cast<double>(i);
    RC_ASSERT(std::abs(rank_sum_test(y, x).p_greater - 1) < 1e-9);  // U = 0: certain
    const double rarest = rank_sum_test(x, y).p_greater;            // U = mn: one in m+n over m
    const double ways =
        std::exp(std::lgamma(static_cast<double>(m + n + 1)) -
                 std::lgamma(static_cast<double>(m + 1)) - std::lgamma(static_cast<double>(n + 1)));
    RC_ASSERT(std::abs(rarest * ways - 1) < 1e-6);
  }));
}

TEST(MannKendall, CountsPairsLikeTheDefinition) {
  EXPECT_TRUE(rc::check([] {
    const Values values = tied_values(3, 80);
    std::int64_t s = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        s += (values[j] > values[i] ? 1 : 0) - (values[j] < values[i] ? 1 : 0);
      }
    }
    const Trend trend = mann_kendall(values);
    RC_ASSERT(trend.s == s);
    RC_ASSERT(trend.p_two_sided >= 0 && trend.p_two_sided <= 1);
  }));
}

TEST(FisherExact, IsSymmetricInItsSamples) {
  EXPECT_TRUE(rc::check([] {
    const auto n = *rc::gen::inRange<std::int64_t>(1, 60);
    const auto m = *rc::gen::inRange<std::int64_t>(1, 60);
    const auto a = *rc::gen::inRange<std::int64_t>(0, n + 1);
    const auto b = *rc::gen::inRange<std::int64_t>(0, m + 1);
    const double p = fisher_exact(a, n, b, m);
    RC_ASSERT(p > 0 && p <= 1);
    RC_ASSERT(std::abs(p - fisher_exact(b, m, a, n)) < 1e-9);
    RC_ASSERT(std::abs(p - fisher_exact(n - a, n, m - b, m)) < 1e-9);
  }));
}

TEST(StudentT, IntervalHoldsTheTruthAtItsRate) {
  Rng rng(11);
  int held = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    held += one_sample_t(normal_values(rng, 5))->interval(0.95).contains(0) ? 1 : 0;
  }
  EXPECT_NEAR(held / 4000.0, 0.95, 0.011);  // three standard errors
}

TEST(HodgesLehmann, IntervalHoldsTheCentreOfSkewlessHeavyTails) {
  Rng rng(12);
  int held = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Values values(10);
    for (double& value : values)
      value = rng.normal() / (0.1 + rng.uniform());
    held += hodges_lehmann_interval(values, 0.95)->contains(0) ? 1 : 0;
  }
  EXPECT_GE(held / 2000.0, 0.94);
}

TEST(Modes, AreRarelySeenInOneNormalCluster) {
  for (const std::size_t n : {8U, 9U, 10U, 12U, 24U, 48U}) {
    Rng rng(13, n);
    int seen = 0;
    for (int trial = 0; trial < 5000; ++trial) {
      seen += find_two_modes(normal_values(rng, n), 0) ? 1 : 0;
    }
    RecordProperty("alarms_per_5000_n" + std::to_string(n), seen);
    EXPECT_LE(seen, 50) << "n = " << n;
  }
}

TEST(Modes, AreFoundWithTheirShares) {
  Rng rng(14);
  Values values;
  for (int i = 0; i < 8; ++i)
    values.push_back(33.1 + 0.2 * rng.normal());
  for (int i = 0; i < 2; ++i)
    values.push_back(2.2 + 0.1 * rng.normal());
  const auto modes = find_two_modes(values, 0);
  ASSERT_TRUE(modes);
  EXPECT_EQ(modes->lower.count, 2U);
  EXPECT_EQ(modes->upper.count, 8U);
  EXPECT_NEAR(modes->lower.centre, 2.2, 0.3);
  EXPECT_NEAR(modes->upper.centre, 33.1, 0.3);
  EXPECT_GT(modes->boundary, 3);
  EXPECT_LT(modes->boundary, 32);
}

TEST(Modes, AreNotAStepOfTheInstrumentNorALoneValue) {
  const Values steps = {2, 2, 2, 2, 3, 3, 3, 3};
  EXPECT_FALSE(find_two_modes(steps, 2));
  EXPECT_TRUE(find_two_modes(steps, 1));
  EXPECT_FALSE(find_two_modes(Values{1, 1.1, 0.9, 1, 1.05, 0.95, 1, 50}, 0));
  EXPECT_FALSE(find_two_modes(Values{1, 1, 1, 9, 9, 9, 9}, 0));  // seven values
  EXPECT_FALSE(find_two_modes(Values(20, 4.0), 0));
}

}  // namespace
}  // namespace schedlab::stats
