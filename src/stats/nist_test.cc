// NIST Statistical Reference Datasets, univariate: the sets that golden_test.cc does not hold.
// Certified mean, standard deviation (divisor n-1) and lag-1 autocorrelation, 15 digits each.
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "stats/summary.h"

namespace schedlab::stats {
namespace {

struct Certified {
  double mean;
  double sd;
  double lag1;
};

void expect_certified(const std::vector<double>& values, const Certified& certified) {
  const auto near = [](double value, double wanted, double relative) {
    EXPECT_NEAR(value, wanted, std::abs(wanted) * relative);
  };
  near(mean(values), certified.mean, 1e-14);
  near(standard_deviation(values), certified.sd, 2e-13);
  near(lag1_autocorrelation(values), certified.lag1, 2e-12);
}

TEST(NistStrd, Lew) {
  const std::vector<double> deflections = {
#include "tests/data/nist/lew.inc"
  };
  ASSERT_EQ(deflections.size(), 200U);
  expect_certified(deflections, {-177.435, 277.332168044316, -0.307304800605679});
}

TEST(NistStrd, Lottery) {
  const std::vector<double> draws = {
#include "tests/data/nist/lottery.inc"
  };
  ASSERT_EQ(draws.size(), 218U);
  expect_certified(draws, {518.958715596330, 291.699727470969, -0.120948622967393});
}

TEST(NistStrd, Mavro) {
  const std::vector<double> transmittances = {
#include "tests/data/nist/mavro.inc"
  };
  ASSERT_EQ(transmittances.size(), 50U);
  expect_certified(transmittances, {2.00185600000000, 0.000429123454003053, 0.937989183438248});
}

TEST(NistStrd, PiDigits) {
  constexpr std::string_view kDigits =
#include "tests/data/nist/pidigits.inc"
      ;
  ASSERT_EQ(kDigits.size(), 5000U);
  std::vector<double> digits;
  for (const char digit : kDigits)
    digits.push_back(digit - '0');
  expect_certified(digits, {4.53480000000000, 2.86733906028871, -0.00355099287237972});
}

}  // namespace
}  // namespace schedlab::stats
