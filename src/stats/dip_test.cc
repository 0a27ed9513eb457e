#include "stats/dip.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/rng.h"

namespace schedlab::stats {
namespace {

using Values = std::vector<double>;

// Scores of 63 statistics faculties (Hartigan and Hartigan 1985; R's diptest `statfaculty`).
const Values kFaculty = {30, 33, 35, 36, 37, 37, 39, 39, 39, 39, 39, 40, 40, 40, 40, 41,
                         42, 43, 43, 43, 44, 44, 45, 45, 46, 46, 47, 47, 48, 48, 48, 49,
                         50, 50, 51, 52, 52, 53, 53, 53, 53, 53, 54, 54, 57, 57, 59, 60,
                         60, 60, 61, 61, 61, 61, 62, 62, 62, 62, 63, 66, 70, 72, 72};

// R's `faithful$eruptions`: minutes, Old Faithful (Azzalini and Bowman 1990).
const Values kEruptions = {
    3.6,   1.8,   3.333, 2.283, 4.533, 2.883, 4.7,   3.6,   1.95,  4.35,  1.833, 3.917, 4.2,
    1.75,  4.7,   2.167, 1.75,  4.8,   1.6,   4.25,  1.8,   1.75,  3.45,  3.067, 4.533, 3.6,
    1.967, 4.083, 3.85,  4.433, 4.3,   4.467, 3.367, 4.033, 3.833, 2.017, 1.867, 4.833, 1.833,
    4.783, 4.35,  1.883, 4.567, 1.75,  4.533, 3.317, 3.833, 2.1,   4.633, 2,     4.8,   4.716,
    1.833, 4.833, 1.733, 4.883, 3.717, 1.667, 4.567, 4.317, 2.233, 4.5,   1.75,  4.8,   1.817,
    4.4,   4.167, 4.7,   2.067, 4.7,   4.033, 1.967, 4.5,   4,     1.983, 5.067, 2.017, 4.567,
    3.883, 3.6,   4.133, 4.333, 4.1,   2.633, 4.067, 4.933, 3.95,  4.517, 2.167, 4,     2.2,
    4.333, 1.867, 4.817, 1.833, 4.3,   4.667, 3.75,  1.867, 4.9,   2.483, 4.367, 2.1,   4.5,
    4.05,  1.867, 4.7,   1.783, 4.85,  3.683, 4.733, 2.3,   4.9,   4.417, 1.7,   4.633, 2.317,
    4.6,   1.817, 4.417, 2.617, 4.067, 4.25,  1.967, 4.6,   3.767, 1.917, 4.5,   2.267, 4.65,
    1.867, 4.167, 2.8,   4.333, 1.833, 4.383, 1.883, 4.933, 2.033, 3.733, 4.233, 2.233, 4.533,
    4.817, 4.333, 1.983, 4.633, 2.017, 5.1,   1.8,   5.033, 4,     2.4,   4.6,   3.567, 4,
    4.5,   4.083, 1.8,   3.967, 2.2,   4.15,  2,     3.833, 3.5,   4.583, 2.367, 5,     1.933,
    4.617, 1.917, 2.083, 4.583, 3.333, 4.167, 4.333, 4.5,   2.417, 4,     4.167, 1.883, 4.583,
    4.25,  3.767, 2.033, 4.433, 4.083, 1.833, 4.417, 2.183, 4.8,   1.833, 4.8,   4.1,   3.966,
    4.233, 3.5,   4.366, 2.25,  4.667, 2.1,   4.35,  4.133, 1.867, 4.6,   1.783, 4.367, 3.85,
    1.933, 4.5,   2.383, 4.7,   1.867, 3.833, 3.417, 4.233, 2.4,   4.8,   2,     4.15,  1.867,
    4.267, 1.75,  4.483, 4,     4.117, 4.083, 4.267, 3.917, 4.55,  4.083, 2.417, 4.183, 2.217,
    4.45,  1.883, 1.85,  4.283, 3.95,  2.333, 4.15,  2.35,  4.933, 2.9,   4.583, 3.833, 2.083,
    4.367, 2.133, 4.35,  2.2,   4.45,  3.567, 4.5,   4.15,  3.817, 3.917, 4.45,  2,     4.283,
    4.767, 4.533, 1.85,  4.25,  1.983, 2.25,  4.75,  4.117, 2.15,  4.417, 1.817, 4.467};

double dip_of(const Values& values) {
  return *dip(values);
}

// The definition, by brute force: for every mode m and a distance d, is there a distribution
// function within d of the sample's, convex left of m, concave right of it and free to jump at m?
// Heights are bounded at each jump; the best mode and d are found by trying and bisecting. O(n^3) a
// trial.
class BruteForce {
 public:
  explicit BruteForce(Values values) : values_(std::move(values)) {
    std::sort(values_.begin(), values_.end());
    x_ = values_;
    x_.erase(std::unique(x_.begin(), x_.end()), x_.end());
  }

  [[nodiscard]] double dip() const {
    double best = 1;
    for (std::size_t mode = 0; mode < x_.size(); ++mode) {
      double low = 0;
      double high = 1;
      for (int i = 0; i < 50; ++i) {
        const double middle = (low + high) / 2;
        (fits(mode, middle) ? high : low) = middle;
      }
      best = std::min(best, high);
    }
    return best;
  }

 private:
  [[nodiscard]] double share_below(double x) const {
    return static_cast<double>(std::lower_bound(values_.begin(), values_.end(), x) -
                               values_.begin()) /
           static_cast<double>(values_.size());
  }

  [[nodiscard]] double share_through(double x) const {
    return static_cast<double>(std::upper_bound(values_.begin(), values_.end(), x) -
                               values_.begin()) /
           static_cast<double>(values_.size());
  }

  // A convex rising function through [floor, ceiling] at each point exists iff no chord between two
  // ceilings passes below a floor, and no floor exceeds a later ceiling. Returns the lowest it can
  // be at the last point, whose own floor is the one before it; none when there is none.
  static bool lowest_end(const Values& x, const Values& floor, const Values& ceiling, double& end) {
    end = -10;
    for (std::size_t j = 0; j + 1 < x.size(); ++j) {
      if (floor[j] > ceiling[j]) return false;
      for (std::size_t k = j + 1; k < x.size(); ++k) {
        if (floor[j] > ceiling[k]) return false;
        for (std::size_t i = 0; i < j; ++i) {
          const double chord =
              ceiling[i] + (ceiling[k] - ceiling[i]) * (x[j] - x[i]) / (x[k] - x[i]);
          if (chord < floor[j]) return false;
        }
      }
      end = std::max(end, floor[j]);
      for (std::size_t i = 0; i < j; ++i) {
        const double slope = (floor[j] - ceiling[i]) / (x[j] - x[i]);
        end = std::max(end, floor[j] + slope * (x.back() - x[j]));
      }
    }
    return end <= ceiling.back();
  }

  [[nodiscard]] bool fits(std::size_t mode, double d) const {
    // Left of the mode: at x the function is at least F(x) - d and at most F(x-) + d.
    Values x;
    Values floor;
    Values ceiling;
    for (std::size_t i = 0; i <= mode; ++i) {
      x.push_back(x_[i]);
      floor.push_back(share_through(x_[i]) - d);
      ceiling.push_back(share_below(x_[i]) + d);
    }
    double left = 0;
    if (!lowest_end(x, floor, ceiling, left)) return false;
    // The right side is the left side of the mirrored sample.
    x.clear();
    floor.clear();
    ceiling.clear();
    for (std::size_t i = x_.size(); i-- > mode;) {
      x.push_back(-x_[i]);
      floor.push_back(1 - share_below(x_[i]) - d);
      ceiling.push_back(1 - share_through(x_[i]) + d);
    }
    double right = 0;
    if (!lowest_end(x, floor, ceiling, right)) return false;
    return left <= 1 - right + 1e-13;  // no fall at the mode
  }

  Values values_;
  Values x_;
};

TEST(Dip, HasThePublishedValues) {
  EXPECT_NEAR(dip_of(kFaculty), 0.0595238, 5e-8);
  EXPECT_NEAR(dip_of({0, 0, 1, 1}), 0.25, 1e-15);
  ASSERT_EQ(kEruptions.size(), 272U);
  EXPECT_NEAR(dip_of(kEruptions), 0.0923810, 5e-8);
}

TEST(Dip, PAgreesWithThePublishedOnes) {
  EXPECT_NEAR(dip_p(dip_of(kFaculty), 63), 0.086723, 0.004);
  EXPECT_EQ(dip_p(dip_of(kEruptions), 272), kDipSmallestP);  // published as 0
}

TEST(Dip, IsSmallestForEvenlySpacedValues) {
  Values values;
  for (int i = 0; i < 50; ++i)
    values.push_back(i);
  EXPECT_NEAR(dip_of(values), 1.0 / 100, 1e-12);
  EXPECT_EQ(dip_of({5}), 0.5);
  EXPECT_EQ(dip_of({5, 5, 5, 5}), 0.125);
}

TEST(Dip, ApproachesAQuarterForTwoFarClusters) {
  Values values;
  Rng rng(9);
  for (int i = 0; i < 200; ++i)
    values.push_back(rng.normal() + (i % 2 == 0 ? 0 : 1000));
  EXPECT_GT(dip_of(values), 0.24);
  EXPECT_LE(dip_of(values), 0.25);
}

TEST(Dip, IsTheDefinitionOnSmallSamples) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    const auto grid = *rc::gen::element<std::uint64_t>(5, 12, 40, 1'000'000);
    Values values(*rc::gen::inRange<std::size_t>(2, 11));
    for (double& value : values)
      value = static_cast<double>(rng.below(grid));
    const double least = 0.5 / static_cast<double>(values.size());
    RC_ASSERT(std::abs(dip_of(values) - std::max(least, BruteForce(values).dip())) < 1e-9);
  }));
}

TEST(Dip, IsFreeOfUnitShiftOrderAndMirror) {
  EXPECT_TRUE(rc::check([] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    Values values(*rc::gen::inRange<std::size_t>(1, 60));
    for (double& value : values)
      value = static_cast<double>(rng.below(1000));
    const double plain = dip_of(values);
    Values other = values;
    rng.shuffle(std::span(other));
    for (double& value : other)
      value = 64 - 1024 * value;
    RC_ASSERT(std::abs(dip_of(other) - plain) < 1e-12);
  }));
}

TEST(Dip, SurvivesHugeAndTinyValues) {
  EXPECT_LE(dip_of({-1.7e308, 0, 1, 1.7e308}), 0.25);
  EXPECT_LE(dip_of({5e-324, 1e-323, 1.5e-323, 2e-323}), 0.25);
  Values rising;
  double value = 1;
  for (int i = 0; i < 500; ++i)
    rising.push_back(value *= 1.5);
  EXPECT_LE(dip_of(rising), 0.25);
}

TEST(Dip, RefusesTheUnusable) {
  EXPECT_FALSE(dip(Values{}));
  EXPECT_FALSE(dip(Values{1, std::nan("")}));
  EXPECT_FALSE(dip(Values{1, HUGE_VAL}));
  EXPECT_FALSE(dip_test(Values{1, 2, 3}));
  EXPECT_EQ(dip_p(0.25, 3), 1);
}

TEST(DipP, TableAgreesWithFreshSimulation) {
  for (const std::size_t n : {std::size_t{5}, std::size_t{24}, std::size_t{63}}) {
    for (const double scaled : {0.35, 0.42, 0.5}) {
      const double distance = scaled / std::sqrt(static_cast<double>(n));
      EXPECT_NEAR(dip_p(distance, n), dip_p_monte_carlo(distance, n, 4000, 17), 0.03)
          << n << " " << scaled;
    }
  }
}

TEST(DipP, FallsAsTheDipGrows) {
  for (const std::size_t n : {4U, 9U, 33U, 150U, 5'000U, 10'000'000U}) {
    double before = 1;
    for (double distance = 0.5 / static_cast<double>(n); distance < 0.25; distance *= 1.05) {
      const double p = dip_p(distance, n);
      EXPECT_LE(p, before);
      EXPECT_GE(p, kDipSmallestP);
      before = p;
    }
    EXPECT_EQ(dip_p(0.5 / static_cast<double>(n), n), 1);
  }
}

TEST(DipTest, SeesTwoModesAndNotOne) {
  int alarms = 0;
  int found = 0;
  for (std::uint64_t r = 0; r < 300; ++r) {
    Rng rng(2, r);
    Values one(40);
    Values two(40);
    for (std::size_t i = 0; i < one.size(); ++i) {
      one[i] = rng.normal();
      two[i] = rng.normal() + (i % 2 == 0 ? 8 : 0);
    }
    alarms += dip_test(one)->p < 0.05 ? 1 : 0;
    found += dip_test(two)->p < 0.05 ? 1 : 0;
  }
  EXPECT_LE(alarms, 6);
  EXPECT_GE(found, 290);
}

TEST(DipTest, SpreadingTiesUndoesRounding) {
  int rounded_alarms = 0;
  int spread_alarms = 0;
  for (std::uint64_t r = 0; r < 200; ++r) {
    Rng rng(6, r);
    Values values(200);
    for (double& value : values)
      value = std::round(2 * rng.normal());  // a step of half a standard deviation
    rounded_alarms += dip_test(values)->p < 0.05 ? 1 : 0;
    spread_alarms += dip_test(values, 1)->p < 0.05 ? 1 : 0;
  }
  EXPECT_GE(rounded_alarms, 150);
  EXPECT_LE(spread_alarms, 10);
}

TEST(SpreadTies, ByHand) {
  EXPECT_EQ(spread_ties(Values{2, 1, 2}, 1), (Values{1, 1.75, 2.25}));
  EXPECT_EQ(spread_ties(Values{2, 1, 2}, 0), (Values{1, 2, 2}));
  EXPECT_TRUE(spread_ties(Values{}, 1).empty());
}

TEST(Dip, HandlesAMillionValues) {
  Rng rng(8);
  Values values(1'000'000);
  for (double& value : values)
    value = rng.uniform();
  const auto test = dip_test(values);
  ASSERT_TRUE(test);
  EXPECT_GT(test->p, 0.01);
}

}  // namespace
}  // namespace schedlab::stats
