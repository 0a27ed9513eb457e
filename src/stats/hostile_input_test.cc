// What every public function does with input that no formula here can use: refuse it, or say that
// it has no answer; never hang, never hand on a figure that is not a number. Sizes go up to 10^7;
// where a method has a limit, it must say so at once.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/rng.h"
#include "stats/autocorrelation.h"
#include "stats/bootstrap.h"
#include "stats/change_points.h"
#include "stats/dip.h"
#include "stats/energy_distance.h"
#include "stats/false_discovery.h"
#include "stats/fieller.h"
#include "stats/median_interval.h"
#include "stats/modes.h"
#include "stats/multiplicity_families.h"
#include "stats/order_effects.h"
#include "stats/outliers.h"
#include "stats/pairwise.h"
#include "stats/quantile.h"
#include "stats/quantile_interval.h"
#include "stats/rank_sum.h"
#include "stats/signed_rank.h"
#include "stats/student_t.h"
#include "stats/summary.h"
#include "stats/trend.h"
#include "stats/variance_components.h"
#include "stats/warmup.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A method that may refuse: its figures, or none where it refused.
struct Method {
  std::string name;
  std::function<Result<Values>(const Values&)> figures;
};

template <typename T, typename Take>
Result<Values> figures_of(const Result<T>& outcome, const Take& take) {
  if (!outcome) return outcome.error();
  return take(*outcome);
}

Values interval_of(const BootstrapInterval& found) {
  return {found.estimate, found.interval.low, found.interval.high};
}

Values points_of(const std::vector<ChangePoint>& points) {
  Values figures;
  for (const ChangePoint& point : points)
    figures.insert(figures.end(), {point.mean_before, point.mean_after, point.p});
  return figures;
}

double middle(std::span<double> values) {
  return median_in_place(values);
}

/// Every method that takes a sample or series and answers with a Result.
std::vector<Method> refusing_methods() {
  return {
      {"autocorrelations",
       [](const Values& v) {
         return figures_of(autocorrelations(v, 3), [](const auto& r) { return r; });
       }},
      {"ljung_box",
       [](const Values& v) {
         return figures_of(ljung_box(v, 2), [](const auto& r) { return Values{r.q, r.p}; });
       }},
      {"effective_size",
       [](const Values& v) {
         return figures_of(effective_size(v), [](const auto& r) { return Values{r.n}; });
       }},
      {"effective_size_ar",
       [](const Values& v) {
         return figures_of(effective_size_ar(v), [](const auto& r) { return Values{r.n}; });
       }},
      {"bca",
       [](const Values& v) { return figures_of(bca(v, middle, {.resamples = 200}), interval_of); }},
      {"bca_two_sample",
       [](const Values& v) {
         const auto difference = [](std::span<double> a, std::span<double> b) {
           return median_in_place(a) - median_in_place(b);
         };
         return figures_of(bca_two_sample(v, v, difference, {.resamples = 200}), interval_of);
       }},
      {"e_divisive",
       [](const Values& v) { return figures_of(e_divisive(v, {.permutations = 19}), points_of); }},
      {"best_split",
       [](const Values& v) {
         return figures_of(best_split(v), [](const auto& r) { return Values{r.q}; });
       }},
      {"pelt", [](const Values& v) { return figures_of(pelt(v), points_of); }},
      {"pelt_variance",
       [](const Values& v) {
         return figures_of(pelt(v, {.cost = PeltCost::MeanAndVariance}), points_of);
       }},
      {"dip",
       [](const Values& v) { return figures_of(dip(v), [](double r) { return Values{r}; }); }},
      {"dip_test",
       [](const Values& v) {
         return figures_of(dip_test(v, 0.5), [](const auto& r) { return Values{r.dip, r.p}; });
       }},
      {"energy_distance",
       [](const Values& v) {
         return figures_of(energy_distance(v, v), [](const auto& r) {
           return Values{r.e, r.t, r.h};
         });
       }},
      {"fieller_ratio",
       [](const Values& v) {
         return figures_of(fieller_ratio(v, v, 0.95), [](const auto& r) {
           return Values{r.ratio, r.interval.low, r.interval.high};
         });
       }},
      {"first_boot_effect",
       [](const Values& v) {
         return figures_of(first_boot_effect(v), [](const auto& r) {
           return r ? Values{r->effect, r->p} : Values{};
         });
       }},
      {"modified_z_scores",
       [](const Values& v) {
         return figures_of(modified_z_scores(v), [](const auto& r) { return r; });
       }},
      {"generalised_esd",
       [](const Values& v) {
         return figures_of(generalised_esd(v), [](const auto& r) {
           Values figures;
           for (const GesdStep& step : r.steps)
             figures.insert(figures.end(), {step.deviate, step.critical});
           return figures;
         });
       }},
      {"quantile_interval",
       [](const Values& v) {
         return figures_of(quantile_interval(v, 0.5, 0.95), [](const auto& r) {
           return Values{r.value, r.low, r.high};
         });
       }},
      {"variance_components",
       [](const Values& v) {
         return figures_of(variance_components({{v.size()}, v}),
                           [](const auto& r) { return Values{r.mean}; });
       }},
      {"find_warmup",
       [](const Values& v) {
         return figures_of(find_warmup(v), [](const auto& r) { return Values{r.mser}; });
       }},
  };
}

Values noise(std::size_t n, std::uint64_t seed = 1) {
  Rng rng(seed);
  Values values(n);
  for (double& value : values)
    value = 100 + rng.normal();
  return values;
}

bool all_numbers(const Values& figures) {
  for (const double figure : figures) {
    if (std::isnan(figure)) return false;
  }
  return true;
}

TEST(HostileInput, WhatIsNoNumberIsRefusedWhereverItStands) {
  for (const Method& method : refusing_methods()) {
    ASSERT_TRUE(method.figures(noise(60))) << method.name << " must work on good values";
    for (const double bad : {kNan, kInfinity, -kInfinity}) {
      for (const std::size_t at : {std::size_t{0}, std::size_t{31}, std::size_t{59}}) {
        Values values = noise(60);
        values[at] = bad;
        EXPECT_FALSE(method.figures(values)) << method.name << " took " << bad << " at " << at;
      }
    }
  }
}

TEST(HostileInput, NoFigureIsNotANumberWhateverTheFiniteValues) {
  for (const Method& method : refusing_methods()) {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 5U, 12U, 60U}) {
      for (std::uint64_t round = 0; round < 12; ++round) {
        Rng rng(7, round);
        Values values(n);
        for (double& value : values) {
          switch (round % 6) {
            case 0:
              value = 0;
              break;
            case 1:
              value = 5;
              break;
            case 2:
              value = static_cast<double>(rng.below(2));
              break;
            case 3:
              value = std::exp(200 * rng.normal());
              break;
            case 4:
              value = rng.below(2) == 0 ? 1e-320 : -1e-320;
              break;
            default:
              value = rng.below(2) == 0 ? 1e300 : -1e300;
          }
          if (!std::isfinite(value)) value = 1e300;
        }
        const auto figures = method.figures(values);
        if (figures) {
          EXPECT_TRUE(all_numbers(*figures)) << method.name << " n " << n << " round " << round;
        } else {
          EXPECT_FALSE(figures.error().message.empty()) << method.name;
        }
      }
    }
  }
}

TEST(HostileInput, TenMillionValuesAreTakenOrRefusedAtOnce) {
  const Values many = noise(10'000'000);
  for (const Method& method : refusing_methods()) {
    const auto figures = method.figures(many);
    if (figures) {
      EXPECT_TRUE(all_numbers(*figures)) << method.name;
    }
  }
}

/// Methods that always answer: of finite values, never with a NaN.
TEST(HostileInput, PlainFiguresOfExtremeValuesAreNumbers) {
  const std::vector<Values> samples = {{},
                                       {0},
                                       {1e300},
                                       {-1e300, 1e300},
                                       Values(9, 0.0),
                                       Values(9, 1e-320),
                                       {1e-320, 2e-320, 3e-320},
                                       {-1, 0, 1, -1, 0, 1, -1, 0, 1}};
  for (const Values& x : samples) {
    const Summary summary = summarise(x);
    EXPECT_TRUE(all_numbers({summary.mean,
                             summary.harmonic_mean,
                             summary.median,
                             summary.sd,
                             summary.population_sd,
                             summary.cv,
                             lag1_autocorrelation(x),
                             quantile(x, 0.3),
                             harrell_davis(x, 0.3),
                             hodges_lehmann(x),
                             spread(x),
                             mann_kendall(x).tau,
                             mann_kendall(x).p_two_sided,
                             signed_rank_test(x).p_two_sided}));
    if (const auto t = one_sample_t(x)) {
      EXPECT_TRUE(all_numbers({t->estimate, t->p_two_sided(), t->interval(0.95).low}));
    }
    for (const Values& y : samples) {
      EXPECT_TRUE(all_numbers({rank_sum_test(x, y).p_two_sided, hodges_lehmann_shift(x, y)}));
      if (const auto t = welch_t(x, y)) {
        EXPECT_TRUE(all_numbers({t->estimate, t->p_two_sided(), t->interval(0.95).low}));
      }
      if (const auto found = disparity(x, y)) {
        EXPECT_FALSE(std::isnan(*found));
      }
      if (const auto found = pairwise_ratio(x, y)) {
        EXPECT_FALSE(std::isnan(*found));
      }
    }
  }
}

TEST(HostileInput, TenMillionValuesHaveTheirPlainFigures) {
  const Values many = noise(10'000'000);
  const Summary summary = summarise(many);
  EXPECT_NEAR(summary.mean, 100, 0.01);
  EXPECT_NEAR(summary.sd, 1, 0.01);
  EXPECT_NEAR(quantile(many, 0.5), 100, 0.01);
  ASSERT_TRUE(median_interval(many, 0.95));
  EXPECT_LT(median_interval(many, 0.95)->low, median_interval(many, 0.95)->high);
}

TEST(HostileInput, FamiliesOfPValuesRefuseWhatIsNone) {
  for (const double bad : {kNan, -0.1, 1.1, kInfinity}) {
    EXPECT_FALSE(holm(Values{0.1, bad}));
    EXPECT_FALSE(benjamini_yekutieli(Values{0.1, bad}));
    EXPECT_FALSE(simes(Values{0.1, bad}));
    EXPECT_FALSE(two_stage(std::vector<Values>{{0.1}, {bad}}, 0.05));
  }
  EXPECT_FALSE(e_benjamini_hochberg(Values{0, kNan}));
}

}  // namespace
}  // namespace schedlab::stats
