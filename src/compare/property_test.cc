// What must hold whatever the figures: of the unit, of the order of the records, of which arm is
// called base, and of more of the same effect.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "compare/fake_experiment.h"
#include "core/rng.h"

namespace schedlab::compare {
namespace {

// Blocks of both arms, a boot or none shared; sometimes with boots of each arm's own.
FakeExperiment arbitrary_experiment() {
  const auto blocks = *rc::gen::inRange<std::int32_t>(3, 30);
  const auto boots = *rc::gen::inRange<std::int32_t>(1, 7);
  const bool apart = *rc::gen::arbitrary<bool>();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double effect = 0.01 * *rc::gen::inRange(-8, 9);
  const double spread = 0.001 * *rc::gen::inRange(1, 60);
  FakeExperiment fake;
  Rng rng(seed);
  for (std::int32_t block = 0; block < blocks; ++block) {
    const bool base_first = rng.below(2) == 0;
    for (std::int32_t position = 0; position < 4; ++position) {
      const bool outer = position == 0 || position == 3;
      const bool is_new = outer != base_first;
      const double level = (is_new ? effect : 0) + spread * rng.normal();
      RunRecord& run = fake.add_run(is_new ? "new" : "base",
                                    block,
                                    position,
                                    {time_metric(std::exp(-level)), rate_metric(std::exp(level))});
      const std::int32_t of_arm = is_new ? boots + 1 : boots;
      if (apart) run.boot_id = run.arm + std::to_string(block % of_arm);
    }
  }
  return fake;
}

Comparison compared(const FakeExperiment& fake, const Options& options = {}) {
  const auto result = fake.compare(options);
  RC_ASSERT(result.has_value());
  return *result;
}

Verdict opposite(Verdict verdict) {
  if (verdict == Verdict::Better) return Verdict::Worse;
  if (verdict == Verdict::Worse) return Verdict::Better;
  return verdict;
}

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

// 2^k changes no digit of a value and adds k ln 2 to its logarithm.
TEST(Invariance, OfTheUnit) {
  EXPECT_TRUE(rc::check([] {
    const FakeExperiment fake = arbitrary_experiment();
    FakeExperiment scaled = fake;
    const double factor = std::ldexp(1.0, *rc::gen::inRange(-30, 31));
    for (RunRecord& run : scaled.runs) {
      for (Metric& metric : run.output.metrics)
        metric.value *= factor;
    }
    const Comparison before = compared(fake);
    const Comparison after = compared(scaled);
    for (std::size_t i = 0; i < before.rows.size(); ++i) {
      const Row& a = before.rows[i];
      const Row& b = after.rows[i];
      RC_ASSERT(a.verdict == b.verdict);
      RC_ASSERT(a.effect.has_value() == b.effect.has_value());
      if (!a.effect) continue;
      RC_ASSERT(close(a.effect->ratio, b.effect->ratio));
      RC_ASSERT(close(a.effect->p_value, b.effect->p_value));
      RC_ASSERT(close(a.effect->interval95.low, b.effect->interval95.low));
    }
  }));
}

TEST(Invariance, OfTheOrderOfTheRecords) {
  EXPECT_TRUE(rc::check([] {
    const FakeExperiment fake = arbitrary_experiment();
    FakeExperiment shuffled = fake;
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    rng.shuffle(std::span<RunRecord>(shuffled.runs));
    const Comparison before = compared(fake);
    const Comparison after = compared(shuffled);
    RC_ASSERT(before.notes == after.notes);
    for (std::size_t i = 0; i < before.rows.size(); ++i) {
      const Row& a = before.rows[i];
      const Row& b = after.rows[i];
      RC_ASSERT(a.log_ratios == b.log_ratios);
      RC_ASSERT(a.base_levels == b.base_levels);
      RC_ASSERT(a.flags == b.flags);
      RC_ASSERT(a.verdict == b.verdict);
      RC_ASSERT(!a.effect || a.effect->p_adjusted == b.effect->p_adjusted);
    }
  }));
}

TEST(Symmetry, OfTheArms) {
  EXPECT_TRUE(rc::check([] {
    const FakeExperiment fake = arbitrary_experiment();
    Options mirrored;
    mirrored.base_arm = "new";
    mirrored.new_arm = "base";
    const Comparison there = compared(fake);
    const Comparison back = compared(fake, mirrored);
    for (std::size_t i = 0; i < there.rows.size(); ++i) {
      const Row& a = there.rows[i];
      const Row& b = back.rows[i];
      RC_ASSERT(b.verdict == opposite(a.verdict));
      RC_ASSERT(a.more_blocks == b.more_blocks);
      RC_ASSERT(a.log_ratios.size() == b.log_ratios.size());
      for (std::size_t k = 0; k < a.log_ratios.size(); ++k)
        RC_ASSERT(a.log_ratios[k] == -b.log_ratios[k]);
      RC_ASSERT(a.base_levels == b.contender_levels);
      if (!a.effect) continue;
      // The logarithms are each other's negative to the last bit; exp rounds once more.
      RC_ASSERT(std::abs(a.effect->ratio * b.effect->ratio - 1) < 1e-15);
      RC_ASSERT(std::abs(a.effect->interval95.low * b.effect->interval95.high - 1) < 1e-15);
      RC_ASSERT(a.effect->p_value == b.effect->p_value);
      RC_ASSERT(a.effect->p_adjusted == b.effect->p_adjusted);
      RC_ASSERT(a.effect->p_tost == b.effect->p_tost);
    }
  }));
}

// The same noise around a larger effect: p falls, under every correction.
TEST(Monotone, PFallsAsTheEffectGrows) {
  EXPECT_TRUE(rc::check([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto correction = *rc::gen::element(Correction::BenjaminiHochberg,
                                              Correction::BenjaminiYekutieli,
                                              Correction::TwoStage,
                                              Correction::Holm,
                                              Correction::None);
    double before = 2;
    double adjusted_before = 2;
    for (const double effect : {0.0, 0.01, 0.02, 0.04, 0.08}) {
      FakeExperiment fake;
      Rng rng(seed);
      std::vector<double> noise(8);
      double centre = 0;
      for (double& value : noise) {
        value = 0.02 * rng.normal();
        centre += value / 8;
      }
      for (double& value : noise)
        value += effect - centre;
      fake.add_blocks_of_log_ratios(noise);
      Options options;
      options.correction = correction;
      const Row row = compared(fake, options).rows.at(0);
      RC_ASSERT(row.effect->p_value < before);
      RC_ASSERT(row.effect->p_adjusted <= adjusted_before);
      before = row.effect->p_value;
      adjusted_before = row.effect->p_adjusted;
    }
  }));
}

}  // namespace
}  // namespace schedlab::compare
