#include "stats/order_effects.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "core/rng.h"
#include "stats/distributions.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;
using Flags = std::vector<std::uint8_t>;

TEST(OrderEffect, ExactByHand) {
  // {1, 2} against {3, 4}: of the 6 choices of 2, {1, 2} and {3, 4} are as far apart.
  const auto effect = order_effect(Values{1, 3, 2, 4}, Flags{1, 0, 1, 0}, 0);
  ASSERT_TRUE(effect);
  EXPECT_EQ(effect->effect, -2);
  EXPECT_NEAR(effect->p, 2.0 / 6, 1e-15);
  // {1, 3} against {2, 4}: sums 3 and 7, and 4 and 6, are as far from 5; 5 and 5 are not.
  EXPECT_NEAR(order_effect(Values{1, 3, 2, 4}, Flags{1, 1, 0, 0}, 0)->p, 4.0 / 6, 1e-15);
}

TEST(OrderEffect, DrawnAgreesWithExactInSize) {
  int alarms = 0;
  for (std::uint64_t r = 0; r < 400; ++r) {
    Rng rng(2, r);
    Values values(12);
    Flags flags(12);
    for (std::size_t i = 0; i < 12; ++i) {
      values[i] = rng.exponential();
      flags[i] = i % 2;
    }
    alarms += order_effect(values, flags, r)->p <= 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(alarms, 20, 16);
  Values many(60);
  Flags flags(60);
  for (std::size_t i = 0; i < 60; ++i) {
    flags[i] = i % 2;
    many[i] = static_cast<double>(i % 7) + (flags[i] != 0 ? 5 : 0);
  }
  const auto drawn = order_effect(many, flags, 1);
  EXPECT_NEAR(drawn->p, 1e-4, 1e-9);  // none of the drawn: 1/(9999 + 1)
  EXPECT_EQ(order_effect(many, flags, 1)->p, drawn->p);
}

TEST(OrderEffect, TurnsWithTheLabelsAndIsFreeOfUnit) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    Values values(10);
    Values scaled(10);
    Flags flags(10);
    Flags turned(10);
    for (std::size_t i = 0; i < 10; ++i) {
      values[i] = static_cast<double>(rng.below(20));
      scaled[i] = 8 - 4 * values[i];
      flags[i] = i < 2 || (i < 8 && rng.below(2) == 1) ? 1 : 0;
      turned[i] = flags[i] == 0 ? 1 : 0;
    }
    const auto plain = order_effect(values, flags, 0);
    RC_ASSERT(order_effect(values, turned, 0)->effect == -plain->effect);
    RC_ASSERT(std::abs(order_effect(values, turned, 0)->p - plain->p) < 1e-12);
    RC_ASSERT(std::abs(order_effect(scaled, flags, 0)->p - plain->p) < 1e-12);
  }));
}

TEST(OrderEffect, ConstantsAreNoEffectAndTheUnusableIsRefused) {
  EXPECT_EQ(order_effect(Values(6, 0.1), Flags{1, 0, 1, 0, 1, 0}, 0)->p, 1);
  EXPECT_FALSE(order_effect(Values{1, 2, 3}, Flags{1, 0, 0}, 0));
  EXPECT_FALSE(order_effect(Values{1, 2, 3, 4}, Flags{1, 0, 0}, 0));
  EXPECT_FALSE(order_effect(Values{}, Flags{}, 0));
  EXPECT_FALSE(order_effect(Values{1, 2, 3, std::nan("")}, Flags{1, 1, 0, 0}, 0));
}

TEST(FirstBoot, ByHand) {
  // Rest 1 2 3: mean 2, sd 1; t = 4 / sqrt(4/3) = 3.4641 with 2 degrees of freedom.
  const auto effect = first_boot_effect(Values{6, 1, 2, 3});
  ASSERT_TRUE(effect && *effect);
  EXPECT_EQ((*effect)->effect, 4);
  EXPECT_NEAR((*effect)->p, 2 * t_cdf(-4 / std::sqrt(4.0 / 3), 2), 1e-15);
  EXPECT_NEAR((*effect)->p, 0.0741799, 1e-6);
}

TEST(FirstBoot, HasItsSizeOnNormalBoots) {
  int alarms = 0;
  for (std::uint64_t r = 0; r < 1000; ++r) {
    Rng rng(4, r);
    Values boots(6);
    for (double& boot : boots)
      boot = rng.normal();
    alarms += (*first_boot_effect(boots))->p <= 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(alarms, 50, 22);
}

TEST(FirstBoot, NoSpreadNoAnswer) {
  EXPECT_FALSE(*first_boot_effect(Values{6, 1, 1, 1}));
  EXPECT_FALSE(first_boot_effect(Values{1, 2, 3}));
  EXPECT_FALSE(first_boot_effect(Values{1, 2, 3, HUGE_VAL}));
}

TEST(FirstRun, IsATestOverBoots) {
  // Contrasts 4, 5, 6: mean 5, error 1/sqrt(3); the boot of one run is left out.
  const std::vector<Values> boots = {{5, 1, 1}, {7, 2}, {8, 1, 3}, {100}};
  const auto effect = first_run_effect(boots);
  ASSERT_TRUE(effect && *effect);
  EXPECT_NEAR((*effect)->effect, 5, 1e-15);
  EXPECT_NEAR((*effect)->p, 2 * t_cdf(-5 * std::sqrt(3.0), 2), 1e-12);
  EXPECT_FALSE(*first_run_effect(std::vector<Values>{{1, 2}, {1, 2}}));
  EXPECT_FALSE(*first_run_effect(std::vector<Values>{{1, 2}, {1, 2}, {1, 2}}));
  EXPECT_FALSE(first_run_effect(std::vector<Values>{{1, std::nan("")}}));
}

}  // namespace
}  // namespace schedlab::stats
