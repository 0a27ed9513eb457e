// Each look at a row's values, their order and what lies below them: it warns where the fault is
// planted and keeps quiet where there is none.
#include "compare/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "compare/fake_experiment.h"
#include "core/rng.h"

namespace schedlab::compare {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// What a run takes, in seconds before the noise.
using Level = std::function<double(bool is_new, std::int32_t block, std::int32_t position)>;

// Blocks in the order base new new base and its mirror in turn, noise of 0.2 %.
FakeExperiment blocks_of(std::int32_t blocks, const Level& level) {
  FakeExperiment fake;
  Rng rng(5);
  for (std::int32_t block = 0; block < blocks; ++block) {
    for (std::int32_t position = 0; position < 4; ++position) {
      const bool outer = position == 0 || position == 3;
      const bool base_first = block % 2 == 0;
      const bool is_new = outer != base_first;
      const double seconds = level(is_new, block, position) * std::exp(0.002 * rng.normal());
      fake.add_run(is_new ? "new" : "base", block, position, {time_metric(seconds)});
    }
  }
  return fake;
}

double one(bool, std::int32_t, std::int32_t) {
  return 1;
}

Row row_of(const FakeExperiment& fake, const SampleLookup& samples = {}) {
  const auto result = compare(fake.experiment, fake.runs, {}, {}, samples);
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->rows.at(0) : Row{};
}

const Check* find(const Row& row, std::string_view name) {
  for (const Check& check : row.checks) {
    if (check.name == name) return &check;
  }
  return nullptr;
}

bool warns(const Row& row, std::string_view name) {
  return std::any_of(row.checks.begin(), row.checks.end(), [&](const Check& check) {
    return check.name == name && check.warns;
  });
}

double figure(const Row& row, std::string_view check, std::string_view name) {
  const Check* found = find(row, check);
  if (found == nullptr) return std::nan("");
  for (const auto& [key, value] : found->figures) {
    if (key == name) return value;
  }
  return std::nan("");
}

TEST(Checks, OfAQuietRowAreMadeAndDoNotWarn) {
  const Row row = row_of(blocks_of(16, one));
  for (const Check& check : row.checks)
    EXPECT_FALSE(check.warns) << check.sentence;
  for (const char* name :
       {"dip", "drift", "effect_drift", "order", "visits", "first", "neighbours"}) {
    ASSERT_NE(find(row, name), nullptr) << name;
    EXPECT_FALSE(find(row, name)->sentence.empty());
    EXPECT_FALSE(find(row, name)->figures.empty());
    EXPECT_EQ(find(row, name)->flag, "");
  }
}

TEST(Checks, SeeThatTheOrderMatters) {
  // Whoever comes second finds the cache warm: 2 % faster.
  const auto fake = blocks_of(14, [](bool, std::int32_t, std::int32_t position) {
    return position == 1 || position == 2 ? 0.98 : 1.0;
  });
  const Row row = row_of(fake);
  EXPECT_TRUE(warns(row, "order"));
  EXPECT_NEAR(std::abs(figure(row, "order", "effect")), 0.04, 0.005);
  EXPECT_THAT(row.flags, Contains(HasSubstr("order matters")));
}

TEST(Checks, OfTheOrderAreCheapForManyBlocksToo) {
  const auto fake = blocks_of(60, [](bool, std::int32_t, std::int32_t position) {
    return position == 1 || position == 2 ? 0.98 : 1.0;
  });
  const Row row = row_of(fake);
  EXPECT_TRUE(warns(row, "order"));
  EXPECT_THAT(find(row, "order")->sentence, HasSubstr("Welch"));
}

TEST(Checks, SeeThatOneArmGainsOnItsSecondVisit) {
  const auto fake = blocks_of(14, [](bool is_new, std::int32_t, std::int32_t position) {
    return is_new && position >= 2 ? 0.97 : 1.0;
  });
  const Row row = row_of(fake);
  EXPECT_TRUE(warns(row, "visits"));
  EXPECT_NEAR(figure(row, "visits", "new"), std::expm1(-std::log(0.97)), 0.003);
  EXPECT_NEAR(figure(row, "visits", "base"), 0, 0.003);
}

TEST(Checks, SeeAFirstBlockThatIsOff) {
  const auto fake = blocks_of(14, [](bool is_new, std::int32_t block, std::int32_t) {
    return is_new && block == 0 ? 1.05 : 1.0;
  });
  const Row row = row_of(fake);
  EXPECT_TRUE(warns(row, "first"));
  EXPECT_THAT(row.flags, Contains(HasSubstr("the first block is off by -4.")));
}

TEST(Checks, SeeThatNeighbouringBlocksAreAlike) {
  const auto fake = blocks_of(40, [](bool is_new, std::int32_t block, std::int32_t) {
    return is_new ? 1 + 0.01 * std::sin(0.4 * block) : 1.0;
  });
  const Row row = row_of(fake);
  EXPECT_TRUE(warns(row, "neighbours"));
  EXPECT_GT(figure(row, "neighbours", "r1"), 0.6);
  EXPECT_LT(figure(row, "neighbours", "effective"), 20);
}

// Four boots of five blocks, both arms in each; the effect follows the boot.
TEST(Checks, SeeAnEffectThatDiffersBetweenSharedBoots) {
  const auto in_boots = [](FakeExperiment fake) {
    for (RunRecord& run : fake.runs)
      run.boot_id = "boot" + std::to_string(run.block / 5);
    return row_of(fake);
  };
  const Row differs = in_boots(blocks_of(20, [](bool is_new, std::int32_t block, std::int32_t) {
    return is_new ? 1 + 0.01 * (block / 5) : 1.0;
  }));
  EXPECT_EQ(differs.log_ratios.size(), 20U);
  EXPECT_TRUE(warns(differs, "between_boots"));
  EXPECT_THAT(differs.flags, Contains(HasSubstr("the effect differs between boots")));
  const Row alike = in_boots(blocks_of(20, one));
  ASSERT_NE(find(alike, "between_boots"), nullptr);
  EXPECT_FALSE(warns(alike, "between_boots"));
  EXPECT_EQ(find(row_of(blocks_of(20, one)), "between_boots"), nullptr) << "a single boot";
}

// Ratios 1, 2, 3 % in one boot and 4, 5, 9 % in another: between 24 on 1, within 16 on 4: F = 6,
// p = 0.0705 (scipy's f.sf(6, 1, 4)).
TEST(Checks, BetweenBootsAreAnAnalysisOfVariance) {
  FakeExperiment fake;
  const std::vector<double> ratios = {0.01, 0.02, 0.03, 0.04, 0.05, 0.09};
  fake.add_blocks_of_log_ratios(ratios);
  for (RunRecord& run : fake.runs)
    run.boot_id = run.block < 3 ? "a" : "b";
  const Row row = row_of(fake);
  EXPECT_NEAR(figure(row, "between_boots", "f"), 6, 1e-9);
  EXPECT_NEAR(figure(row, "between_boots", "p"), 0.070484, 1e-6);
}

TEST(Checks, MarkOutliersWithWhatDisturbedThem) {
  FakeExperiment fake = blocks_of(14, one);
  RunRecord& run = fake.runs[20];
  run.output.metrics[0].value *= 1.4;
  run.noise.foreign_cpu = Nanos{420'000'000};
  run.noise.steal = Nanos{30'000'000};
  run.noise.throttle_events = 3;
  run.noise.interrupts = 1200;
  const Row row = row_of(fake);
  EXPECT_TRUE(warns(row, "outliers"));
  EXPECT_THAT(
      find(row, "outliers")->sentence,
      testing::AllOf(HasSubstr("block 6 run 1: 1.397 s"),
                     HasSubstr("GESD"),
                     HasSubstr("modified z +"),
                     HasSubstr("foreign CPU 420 ms, steal 30 ms, throttled 3 times, 1200")));
  EXPECT_THAT(row.flags, Contains(HasSubstr("outliers: base 0 of 28 runs, new 1 of 28")));
  EXPECT_EQ(row.base.values.size(), 28U) << "nothing is dropped";
  EXPECT_EQ(row.contender.values.size(), 28U);
}

TEST(Checks, OfOutliersSayWhenNothingIsKnownOfTheMachine) {
  FakeExperiment fake = blocks_of(14, one);
  fake.runs[20].output.metrics[0].value *= 1.4;
  EXPECT_THAT(find(row_of(fake), "outliers")->sentence, HasSubstr("is not known"));
}

TEST(Checks, SeeTwoModesThatTouchByTheDip) {
  Rng rng(17);
  // Two humps with a thin valley in which a few values lie: no gap of four spreads.
  const auto fake = blocks_of(60, [&](bool, std::int32_t, std::int32_t) {
    return (rng.below(2) == 0 ? 1.0 : 1.5) + 0.09 * rng.normal();
  });
  const Row row = row_of(fake);
  EXPECT_EQ(find(row, "modes"), nullptr);
  EXPECT_TRUE(warns(row, "dip"));
  EXPECT_THAT(row.flags, Contains(HasSubstr("more than one mode (dip ")));
  EXPECT_TRUE(row.two_modes);
}

TEST(Checks, DoNotTakeACoarseInstrumentForModes) {
  FakeExperiment fake = blocks_of(30, one);
  Rng rng(3);
  for (RunRecord& run : fake.runs) {
    run.output.metrics[0].value = std::round(20 + 2 * rng.normal());
    run.output.metrics[0].resolution = 1;
  }
  EXPECT_FALSE(warns(row_of(fake), "dip"));
  for (RunRecord& run : fake.runs)
    run.output.metrics[0].resolution = 0;  // not known: the smallest step seen takes its place
  EXPECT_FALSE(warns(row_of(fake), "dip"));
  EXPECT_EQ(figure(row_of(fake), "dip", "step"), 1);
}

TEST(Checks, SeeTheCanaryDrift) {
  FakeExperiment fake = blocks_of(12, one);
  for (std::size_t i = 0; i < fake.runs.size(); ++i)
    fake.runs[i].canary = Nanos{50'000'000 + 40'000 * static_cast<std::int64_t>(i)};
  const Row row = row_of(fake);
  EXPECT_TRUE(warns(row, "canary_drift"));
  EXPECT_THAT(row.flags, Contains(HasSubstr("canary drifts: +2.")));
  EXPECT_FALSE(warns(row, "canary"));
  EXPECT_FALSE(warns(row, "canary_apart"));
}

// A series of `count` values; the first `warmup` are `low` times the rest.
Series series_of(std::size_t count, std::size_t warmup, double low, Rng& rng) {
  Series series{"rps", Unit::PerSecond, Nanos(1'000'000'000), {}};
  for (std::size_t i = 0; i < count; ++i)
    series.values.push_back((i < warmup ? low : 1.0) * 1000 * std::exp(0.01 * rng.normal()));
  return series;
}

FakeExperiment rates_with_series(std::size_t warmup) {
  FakeExperiment fake;
  Rng rng(8);
  for (std::int32_t block = 0; block < 6; ++block) {
    for (std::int32_t position = 0; position < 4; ++position) {
      Metric metric = rate_metric(1000 * std::exp(0.01 * rng.normal()));
      metric.name = "rps_p50";
      const bool outer = position == 0 || position == 3;
      RunRecord& run = fake.add_run(outer ? "base" : "new", block, position, {metric});
      run.output.series = {series_of(60, warmup, 0.8, rng)};
    }
  }
  return fake;
}

TEST(Checks, SeeARunThatWarmsUp) {
  const Row row = row_of(rates_with_series(15));
  EXPECT_TRUE(warns(row, "warmup"));
  EXPECT_EQ(figure(row, "warmup", "discard"), 15);
  EXPECT_GE(figure(row, "warmup", "cut"), 20);
  EXPECT_NEAR(figure(row, "warmup", "start_off"), -0.2, 0.01);
  EXPECT_THAT(row.flags, Contains(HasSubstr("warm-up: first 15 of 60 values of rps are -")));
  EXPECT_FALSE(warns(row_of(rates_with_series(0)), "warmup"));
}

TEST(Checks, CountHowManyIndependentValuesASeriesHolds) {
  FakeExperiment fake = rates_with_series(0);
  EXPECT_NEAR(figure(row_of(fake), "series", "r1"), 0, 0.15);
  EXPECT_GT(figure(row_of(fake), "series", "effective"), 30);
  Rng rng(2);
  for (RunRecord& run : fake.runs) {
    double level = 0;
    for (double& value : run.output.series[0].values) {
      level = 0.9 * level + 0.01 * rng.normal();
      value = 1000 * std::exp(level);
    }
  }
  EXPECT_GT(figure(row_of(fake), "series", "r1"), 0.6);
  EXPECT_LT(figure(row_of(fake), "series", "effective"), 20);
  EXPECT_THAT(find(row_of(fake), "series")->sentence, HasSubstr("a run is one value"));
}

// Latencies around 8 us; the new arm's are `ratio` times as long.
FakeExperiment latencies(double ratio, std::int32_t blocks = 8) {
  FakeExperiment fake;
  Rng rng(11);
  for (std::int32_t block = 0; block < blocks; ++block) {
    for (std::int32_t position = 0; position < 4; ++position) {
      const bool is_new = position == 1 || position == 2;
      Histogram histogram;
      for (int i = 0; i < 2000; ++i) {
        histogram.record(
            static_cast<std::uint64_t>((is_new ? ratio : 1) * 8000 * std::exp(0.3 * rng.normal())));
      }
      const Metric metric = {"wakeup_p99",
                             static_cast<double>(histogram.quantile(0.99)),
                             Unit::Nanoseconds,
                             Direction::LowerIsBetter,
                             MetricClass::LatencyTail,
                             1,
                             true};
      RunRecord& run = fake.add_run(is_new ? "new" : "base", block, position, {metric});
      run.output.histograms = {{"wakeup", Unit::Nanoseconds, std::move(histogram)}};
    }
  }
  return fake;
}

TEST(MergedQuantile, HasAnIntervalAndTheBucketsWidth) {
  const Row row = row_of(latencies(1.1));
  ASSERT_TRUE(row.merged);
  const MergedQuantile& merged = *row.merged;
  EXPECT_EQ(merged.q, 0.99);
  EXPECT_NEAR(merged.base, 8000 * std::exp(0.3 * 2.326), 300);
  EXPECT_NEAR(merged.ratio, 1 / 1.1, 0.02);
  EXPECT_LT(merged.interval95.low, merged.ratio);
  EXPECT_GT(merged.interval95.high, merged.ratio);
  EXPECT_LT(merged.interval95.high, 1);
  EXPECT_EQ(merged.bin_width, 64) << "16,384 ns and up: 256 buckets to the power of two";
  EXPECT_EQ(merged.difference, merged.contender - merged.base);
  EXPECT_FALSE(merged.resolution_limited);
}

TEST(MergedQuantile, TurnsWithTheArms) {
  const FakeExperiment fake = latencies(1.1);
  Options mirrored;
  mirrored.base_arm = "new";
  mirrored.new_arm = "base";
  const Row there = row_of(fake);
  const auto back = fake.compare(mirrored);
  ASSERT_TRUE(there.merged && back && back->rows[0].merged);
  EXPECT_NEAR(there.merged->ratio * back->rows[0].merged->ratio, 1, 1e-12);
  EXPECT_NEAR(there.merged->interval95.low * back->rows[0].merged->interval95.high, 1, 1e-12);
}

TEST(MergedQuantile, IsResolutionLimitedByTheInstrument) {
  FakeExperiment fake = latencies(1.1);
  for (RunRecord& run : fake.runs)
    run.output.metrics[0].resolution = 1000;
  const Row row = row_of(fake);
  ASSERT_TRUE(row.merged);
  EXPECT_EQ(row.merged->bin_width, 1000);
  EXPECT_TRUE(row.merged->resolution_limited);
}

TEST(MergedQuantile, IsAbsentWithReasonsToBe) {
  FakeExperiment fake = latencies(1.1);
  for (RunRecord& run : fake.runs)
    run.output.metrics[0].name = "wakeup_mean";
  EXPECT_FALSE(row_of(fake).merged) << "no percentile";
  fake = latencies(1.1);
  fake.runs[3].output.histograms.clear();
  EXPECT_FALSE(row_of(fake).merged) << "a run without";
  const Row few = row_of(latencies(1.1, 3));
  EXPECT_FALSE(few.merged);
  ASSERT_NE(find(few, "merged"), nullptr) << "three blocks are too few, and it says so";
  EXPECT_THAT(find(few, "merged")->sentence, HasSubstr("no interval"));
}

TEST(Samples, AreLookedUpForRecordsThatCameWithoutThem) {
  FakeExperiment fake = latencies(1.1);
  const std::vector<RunRecord> whole = fake.runs;
  for (RunRecord& run : fake.runs)
    run.output.histograms.clear();
  EXPECT_FALSE(row_of(fake).merged);
  const Row row = row_of(fake, [&](const RunRecord& run) -> Result<RunOutput> {
    return whole.at(static_cast<std::size_t>(run.id.value) - 1).output;
  });
  ASSERT_TRUE(row.merged);
  EXPECT_EQ(row.merged->ratio, row_of(latencies(1.1)).merged->ratio);
}

TEST(Samples, ThatCannotBeReadAreANote) {
  FakeExperiment fake = latencies(1.1);
  for (RunRecord& run : fake.runs)
    run.output.histograms.clear();
  const auto result =
      compare(fake.experiment, fake.runs, {}, {}, [](const RunRecord&) -> Result<RunOutput> {
        return failed("blob damaged");
      });
  ASSERT_TRUE(result);
  EXPECT_THAT(result->notes, Contains(HasSubstr("samples of 32 runs could not be read")));
  EXPECT_THAT(result->notes, Contains(HasSubstr("blob damaged")));
  EXPECT_TRUE(result->rows[0].effect);
}

}  // namespace
}  // namespace schedlab::compare
