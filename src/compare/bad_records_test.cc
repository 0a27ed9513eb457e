// Records as no run should leave them: a refusal or a row that says what is wrong, never a figure
// that is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "compare/fake_experiment.h"
#include "core/rng.h"

namespace schedlab::compare {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

FakeExperiment twelve_blocks() {
  FakeExperiment fake;
  Rng rng(1);
  const auto value = [&] { return std::exp(0.01 * rng.normal()); };
  for (std::int32_t block = 0; block < 12; ++block)
    fake.add_block(block, {value(), value()}, {value(), value()});
  return fake;
}

bool is_finite(const ArmSummary& arm) {
  return std::isfinite(arm.mean) && std::isfinite(arm.harmonic_mean) && std::isfinite(arm.median) &&
         std::isfinite(arm.sd) && std::isfinite(arm.cv) && std::isfinite(arm.min) &&
         std::isfinite(arm.max);
}

bool is_finite(const Row& row) {
  bool finite = is_finite(row.base) && is_finite(row.contender);
  if (row.effect) {
    const Effect& effect = *row.effect;
    for (const double value : {effect.ratio,
                               effect.interval95.low,
                               effect.interval95.high,
                               effect.interval90.low,
                               effect.interval90.high,
                               effect.hodges_lehmann,
                               effect.p_value,
                               effect.p_adjusted,
                               effect.p_tost})
      finite = finite && std::isfinite(value);
  }
  for (const Check& check : row.checks) {
    for (const auto& [name, value] : check.figures)
      finite = finite && std::isfinite(value);
  }
  return finite;
}

// The comparison's only row, after a look at all its figures.
Row only_row(const FakeExperiment& fake) {
  const auto result = fake.compare();
  EXPECT_TRUE(result) << result.error().message;
  if (!result || result->rows.size() != 1) {
    ADD_FAILURE() << "not one row";
    return {};
  }
  EXPECT_TRUE(is_finite(result->rows.front()));
  return result->rows.front();
}

TEST(BadRecords, OneRunOfEachArmIsARowWithoutAnEffect) {
  FakeExperiment fake;
  fake.add_run("base", 0, 0, {time_metric(1)});
  fake.add_run("new", 0, 1, {time_metric(2)});
  const Row row = only_row(fake);
  EXPECT_FALSE(row.effect);
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_THAT(row.flags, Contains(HasSubstr("an interval needs 2")));
}

TEST(BadRecords, ConstantDataIsJudgedBySigns) {
  FakeExperiment fake;
  for (std::int32_t block = 0; block < 8; ++block)
    fake.add_block(block, {1, 1}, {1, 1});
  const Row row = only_row(fake);
  EXPECT_EQ(row.verdict, Verdict::Same);
  EXPECT_FALSE(row.two_modes);
  EXPECT_THAT(row.flags, Contains(HasSubstr("sign test")));
}

TEST(BadRecords, ConstantBootsOfEachArmsOwnAreJudgedByArrangements) {
  FakeExperiment fake;
  for (std::int32_t block = 0; block < 12; ++block) {
    fake.add_block(block, {1, 1}, {0.9, 0.9});
    for (std::size_t i = fake.runs.size() - 4; i < fake.runs.size(); ++i) {
      RunRecord& run = fake.runs[i];
      run.boot_id = run.arm + std::to_string(run.arm == "base" ? block / 2 : block / 3);
    }
  }
  const Row row = only_row(fake);
  EXPECT_FALSE(row.replication.paired);
  EXPECT_NEAR(row.effect->p_value, 2.0 / 210, 1e-12) << "six boots and four: C(10, 4) = 210";
  EXPECT_EQ(row.verdict, Verdict::Better);
}

TEST(BadRecords, ValuesWithoutALogarithmLeaveNoEffectAndAreCounted) {
  for (const double bad : {0.0, -1.0, std::nan(""), kInfinity, -kInfinity}) {
    FakeExperiment fake = twelve_blocks();
    fake.runs[0].output.metrics[0].value = bad;
    const Row row = only_row(fake);
    EXPECT_FALSE(row.effect) << bad;
    EXPECT_THAT(row.flags,
                Contains(HasSubstr("no ratio: zero, negative or not a number in 1 of 24")))
        << bad;
  }
}

TEST(BadRecords, WhereNoValueIsFiniteThereIsNothingToShow) {
  FakeExperiment fake = twelve_blocks();
  for (RunRecord& run : fake.runs)
    run.output.metrics[0].value = run.arm == "new" ? std::nan("") : 1;
  const Row row = only_row(fake);
  EXPECT_THAT(row.contender.values, IsEmpty());
  EXPECT_THAT(row.flags, Contains(HasSubstr("24 of 24")));
}

TEST(BadRecords, ExtremesStayFinite) {
  FakeExperiment fake = twelve_blocks();
  for (RunRecord& run : fake.runs) {
    const bool tiny = (run.block + (run.arm == "new" ? 1 : 0)) % 2 == 0;
    run.output.metrics[0].value = tiny ? 1e-200 : 1e200;
  }
  EXPECT_EQ(only_row(fake).verdict, Verdict::Inconclusive);
}

TEST(BadRecords, UnitsThatDifferWithinAnArmAreNotMixed) {
  FakeExperiment fake = twelve_blocks();
  fake.runs[5].output.metrics[0].unit = Unit::Nanoseconds;
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_THAT(result->rows, IsEmpty());
  EXPECT_THAT(
      result->notes,
      Contains(HasSubstr("metric time is not comparable: unit s in one run, ns in another")));
}

TEST(BadRecords, DirectionsThatDifferWithinAnArmAreNotMixed) {
  FakeExperiment fake = twelve_blocks();
  fake.runs[5].output.metrics[0].direction = Direction::HigherIsBetter;
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_THAT(result->rows, IsEmpty());
  EXPECT_THAT(result->notes, Contains(HasSubstr("its runs disagree on which way is better")));
}

TEST(BadRecords, VersionsThatDifferWithinAnArmAreRefused) {
  FakeExperiment fake = twelve_blocks();
  fake.runs[5].output.workload_version = "2";
  EXPECT_THAT(fake.compare().error().message, HasSubstr("version"));
}

TEST(BadRecords, NoiseAndCanariesOfGarbageAreNoFigures) {
  FakeExperiment fake = twelve_blocks();
  for (RunRecord& run : fake.runs) {
    run.canary = Nanos{run.block % 2 == 0 ? 0 : -5};
    run.noise.foreign_cpu = Nanos{std::numeric_limits<std::int64_t>::max()};
    run.start_monotonic = Nanos{5};
    run.end_monotonic = Nanos{0};
  }
  EXPECT_TRUE(only_row(fake).effect);
}

TEST(BadRecords, SeriesOfNaNConstantsAndNothingAreLookedPast) {
  for (const std::vector<double>& values : {std::vector<double>(60, std::nan("")),
                                            std::vector<double>(60, 7.0),
                                            std::vector<double>(),
                                            std::vector<double>(3, kInfinity)}) {
    FakeExperiment fake = twelve_blocks();
    for (RunRecord& run : fake.runs)
      run.output.series = {{"time", Unit::Seconds, Nanos(1), values}};
    EXPECT_TRUE(only_row(fake).effect);
  }
}

TEST(BadRecords, EmptyHistogramsAreNotMerged) {
  FakeExperiment fake = twelve_blocks();
  for (RunRecord& run : fake.runs) {
    Metric& metric = run.output.metrics[0];
    metric.name = "wakeup_p99";
    metric.unit = Unit::Nanoseconds;
    metric.metric_class = MetricClass::LatencyTail;
    run.output.histograms = {{"wakeup", Unit::Nanoseconds, Histogram()}};
  }
  EXPECT_FALSE(only_row(fake).merged);
}

TEST(BadRecords, AMetricThatSomeRunsLackLeavesTheirBlocksOut) {
  FakeExperiment fake = twelve_blocks();
  for (std::size_t i = 0; i < 8; ++i)
    fake.runs[i].output.metrics.clear();
  const Row row = only_row(fake);
  EXPECT_EQ(row.log_ratios.size(), 10U);
  EXPECT_THAT(row.flags, Contains("2 blocks not used: a run lacks the metric"));
}

}  // namespace
}  // namespace schedlab::compare
