#include "stats/autocorrelation.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "core/rng.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// R's `lh`: luteinizing hormone every 10 minutes (Diggle 1990).
const Values kLh = {2.4, 2.4, 2.4, 2.2, 2.1, 1.5, 2.3, 2.3, 2.5, 2.0, 1.9, 1.7, 2.2, 1.8, 3.2, 3.2,
                    2.7, 2.2, 2.2, 1.9, 1.9, 1.8, 2.7, 3.0, 2.3, 2.0, 2.0, 2.9, 2.9, 2.7, 2.7, 2.3,
                    2.6, 2.4, 1.8, 1.7, 1.5, 1.4, 2.1, 3.3, 3.5, 3.5, 3.1, 2.6, 2.1, 3.4, 3.0, 2.9};

// R's `Nile`: yearly flow at Aswan, 1871-1970 (Cobb 1978).
const Values kNile = {1120, 1160, 963,  1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110,
                      994,  1020, 960,  1180, 799,  958,  1140, 1100, 1210, 1150, 1250, 1260, 1220,
                      1030, 1100, 774,  840,  874,  694,  940,  833,  701,  916,  692,  1020, 1050,
                      969,  831,  726,  456,  824,  702,  1120, 1100, 832,  764,  821,  768,  845,
                      864,  862,  698,  845,  744,  796,  1040, 759,  781,  865,  845,  944,  984,
                      897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,  1040, 860,  874,
                      848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,  1020,
                      906,  901,  1170, 912,  746,  919,  718,  714,  740};

Values autoregressive(Rng& rng, std::size_t n, double rho) {
  Values values(n);
  double state = rng.normal() / std::sqrt(1 - rho * rho);
  for (double& value : values) {
    value = state;
    state = rho * state + rng.normal();
  }
  return values;
}

TEST(LjungBox, AgreesWithROnLhAndNile) {
  const auto lh = ljung_box(kLh, 1);
  ASSERT_TRUE(lh);
  EXPECT_NEAR(lh->q, 16.91379, 5e-6);
  EXPECT_NEAR(lh->p, 3.9116e-5, 5e-10);
  EXPECT_NEAR(autocorrelations(kLh, 1)->front(), 0.575524, 5e-7);
  const auto nile = ljung_box(kNile, 5);
  ASSERT_TRUE(nile);
  EXPECT_NEAR(nile->q, 63.97171, 5e-6);
  EXPECT_NEAR(nile->p, 1.8311e-12, 5e-17);
}

TEST(LjungBox, TailsAreChiSquareds) {  // 95 % points of chi-squared from any table
  // n(n+2) r^2/(n-1) cannot be set freely, so check through series of many lags: independent
  // values alarm at about 5 %.
  int alarms = 0;
  for (std::uint64_t r = 0; r < 1000; ++r) {
    Rng rng(3, r);
    alarms += ljung_box(autoregressive(rng, 200, 0), 4)->p < 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(alarms, 50, 22);
}

TEST(Autocorrelations, FirstIsTheSummarysLagOne) {
  EXPECT_NEAR(autocorrelations(kNile, 3)->front(), lag1_autocorrelation(kNile), 1e-14);
}

TEST(EffectiveSize, AutoregressiveAgreesWithCodaOnLh) {
  const auto size = effective_size_ar(kLh);
  ASSERT_TRUE(size);
  EXPECT_NEAR(size->n, 30.27, 0.005);
  EXPECT_EQ(size->lags_used, 3U);
}

TEST(EffectiveSize, FirstOrderFormula) {
  EXPECT_NEAR(effective_size_ar1(100, 0.6), 25, 1e-12);
  EXPECT_EQ(effective_size_ar1(100, 0), 100);
}

TEST(EffectiveSize, BothComeCloseToTheFormulaOnLongSeries) {
  for (const double rho : {0.0, 0.3, 0.6, 0.9}) {
    Rng rng(21);
    const Values values = autoregressive(rng, 50'000, rho);
    const double expected = effective_size_ar1(50'000, rho);
    EXPECT_NEAR(effective_size(values)->n / expected, 1, 0.15) << rho;
    EXPECT_NEAR(effective_size_ar(values)->n / expected, 1, 0.15) << rho;
    EXPECT_FALSE(effective_size(values)->truncated);
  }
}

TEST(EffectiveSize, GeyerByHand) {
  // 1 1 -1 -1: r_1 = 1/4, r_2 = -1/2; the first pair sums to 5/4, lag 3 is beyond n/2.
  const auto size = effective_size(Values{1, 1, -1, -1});
  ASSERT_TRUE(size);
  EXPECT_EQ(size->lags_used, 1U);
  EXPECT_NEAR(size->n, 4 / 1.5, 1e-12);
}

TEST(EffectiveSize, AlternatingSeriesCountNoMoreThanTheirValues) {
  Values values;
  for (int i = 0; i < 100; ++i)
    values.push_back(i % 2);
  EXPECT_LE(effective_size(values)->n, 100);
  EXPECT_LE(effective_size_ar(values)->n, 100);
  EXPECT_GE(effective_size(values)->n, 90);
}

TEST(EffectiveSize, IsFreeOfUnitAndShiftAndWithinItsRange) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    Values values = autoregressive(rng, *rc::gen::inRange<std::size_t>(8, 200), 0.5);
    Values other = values;
    for (double& value : other)
      value = 1024 * value + 7;
    for (const auto estimate : {effective_size, effective_size_ar}) {
      const double plain = estimate(values)->n;
      RC_ASSERT(plain >= 1 && plain <= static_cast<double>(values.size()));
      RC_ASSERT(std::abs(estimate(other)->n - plain) < 1e-6 * plain);
    }
  }));
}

TEST(Autocorrelation, RefusesTheUnusable) {
  EXPECT_FALSE(autocorrelations(Values{}, 0));
  EXPECT_FALSE(autocorrelations(Values{1}, 0));
  EXPECT_FALSE(autocorrelations(Values{1, 2}, 2));
  EXPECT_FALSE(autocorrelations(Values{1, 2, std::nan("")}, 1));
  EXPECT_FALSE(autocorrelations(Values(100, 0.1), 1));
  EXPECT_FALSE(ljung_box(Values{1, 2, 3}, 0));
  EXPECT_FALSE(effective_size(Values(100, 0.1)));
  EXPECT_FALSE(effective_size(Values{1, 2, 3}));
  EXPECT_FALSE(effective_size_ar(Values{1, 2, HUGE_VAL, 4}));
  EXPECT_TRUE(effective_size(Values{1e308, -1e308, 1e308, 1e307, 3}));
}

TEST(EffectiveSize, HandlesTenMillionValuesAndSaysWhenItStoppedEarly) {
  Values rising(10'000'000);
  for (std::size_t i = 0; i < rising.size(); ++i)
    rising[i] = static_cast<double>(i);
  const auto size = effective_size(rising);
  ASSERT_TRUE(size);
  EXPECT_TRUE(size->truncated);
}

}  // namespace
}  // namespace schedlab::stats
