// compare(): pairing, selection of rows, refusals, notes.
#include "compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "compare/fake_experiment.h"
#include "core/rng.h"

namespace schedlab::compare {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::vector<double> kWorkedExample = {
    0.021, 0.035, -0.004, 0.028, 0.031, 0.015, 0.042, 0.009, 0.026, 0.018, 0.033, 0.024};

FakeExperiment worked_example() {
  FakeExperiment fake;
  fake.add_blocks_of_log_ratios(kWorkedExample);
  return fake;
}

TEST(Compare, GivesTheWorkedExampleWhole) {
  const auto result = worked_example().compare();
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->rows.size(), 1U);
  const Row& row = result->rows.front();
  EXPECT_EQ(row.workload, "fake");
  EXPECT_EQ(row.case_name, "case");
  EXPECT_EQ(row.verdict, Verdict::Better);
  EXPECT_EQ(row.delta, 0.01);
  EXPECT_EQ(row.base.mode, "native");
  EXPECT_EQ(row.contender.workload_version, "1");
  ASSERT_EQ(row.log_ratios.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_NEAR(row.log_ratios[i], kWorkedExample[i], 1e-12);
  EXPECT_NEAR(100 * (row.effect->ratio - 1), 2.34, 5e-3);
  EXPECT_NEAR(100 * (row.effect->interval95.low - 1), 1.53, 5e-3);
  EXPECT_NEAR(100 * (row.effect->interval95.high - 1), 3.16, 5e-3);
  EXPECT_EQ(result->blocks_complete, 12);
  EXPECT_EQ(result->boots, 1);
  EXPECT_THAT(result->notes, Contains(HasSubstr("conditional on one boot")));
}

TEST(Compare, MeansTheLogsOfABlocksRuns) {
  FakeExperiment fake;
  fake.add_block(0, {1, 4}, {2, 8});
  fake.add_block(1, {1, 1}, {1, 1});
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_THAT(result->rows.front().log_ratios,
              ElementsAre(testing::DoubleNear(-std::log(2), 1e-12), 0));
  EXPECT_THAT(result->rows.front().base.values, ElementsAre(1, 4, 1, 1));
  EXPECT_EQ(result->rows.front().base.mean, 7.0 / 4);
}

TEST(Compare, TurnsEveryDirectionSoThatPlusIsBetter) {
  FakeExperiment fake;
  for (std::int32_t block = 0; block < 4; ++block) {
    const double jitter = 1 + 0.001 * block;
    fake.add_run("base", block, 0, {time_metric(1 * jitter), rate_metric(100)});
    fake.add_run("new", block, 1, {time_metric(0.5), rate_metric(200 * jitter)});
  }
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  for (const Row& row : result->rows) {
    EXPECT_EQ(row.verdict, Verdict::Better) << row.metric.name;
    EXPECT_NEAR(row.effect->ratio, 2, 0.01) << row.metric.name;
  }
}

TEST(Compare, MirrorsWhenTheArmsChangeRoles) {
  const FakeExperiment fake = worked_example();
  Options mirrored;
  mirrored.base_arm = "new";
  mirrored.new_arm = "base";
  const auto there = fake.compare();
  const auto back = fake.compare(mirrored);
  ASSERT_TRUE(there && back);
  EXPECT_EQ(back->rows.front().verdict, Verdict::Worse);
  EXPECT_NEAR(there->rows.front().effect->ratio * back->rows.front().effect->ratio, 1, 1e-12);
  EXPECT_NEAR(there->rows.front().effect->p_value, back->rows.front().effect->p_value, 1e-12);
  EXPECT_NEAR(
      there->rows.front().effect->hodges_lehmann * back->rows.front().effect->hodges_lehmann,
      1,
      1e-12);
}

TEST(Compare, LeavesOutABlockThatAnArmDidNotFinish) {
  FakeExperiment fake = worked_example();
  fake.add_run("base", 12, 0, {time_metric(1)});
  fake.add_run("new", 12, 1, {time_metric(9)});
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->rows.front().log_ratios.size(), 12U);
  EXPECT_EQ(result->rows.front().base.values.size(), 24U);
  EXPECT_EQ(result->blocks_complete, 12);
  EXPECT_THAT(result->notes, Contains(HasSubstr("1 of 13 blocks incomplete, not used (block 13")));
}

TEST(Compare, LeavesOutFailedRunsAndCountsThem) {
  FakeExperiment fake = worked_example();
  fake.runs[1].outcome = Outcome::TimedOut;
  fake.runs[1].failure = "killed at its limit of 10 s";
  fake.runs[1].output.metrics.clear();
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->runs_failed, 1);
  EXPECT_EQ(result->rows.front().log_ratios.size(), 11U);
  EXPECT_THAT(result->rows.front().flags, Contains(HasSubstr("new: 1 of 24 runs not used")));
  EXPECT_THAT(result->rows.front().flags, Contains(HasSubstr("killed at its limit")));
  EXPECT_THAT(result->notes, Contains(HasSubstr("block 1: new has 1 of 2 runs")));
}

TEST(Compare, TakesARunRepeatedAfterAFailureAtItsPosition) {
  FakeExperiment fake = worked_example();
  fake.runs[1].outcome = Outcome::Failed;
  fake.add_run("new", 0, 1, {time_metric(std::exp(-0.021))});
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->rows.front().log_ratios.size(), 12U);
  EXPECT_EQ(result->runs_failed, 1);
}

TEST(Compare, DoesNotDependOnTheOrderOfTheRecords) {
  FakeExperiment fake = worked_example();
  const auto before = fake.compare();
  Rng rng(5);
  rng.shuffle(std::span<RunRecord>(fake.runs));
  const auto after = fake.compare();
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->rows.front().log_ratios, after->rows.front().log_ratios);
  EXPECT_EQ(before->rows.front().base.values, after->rows.front().base.values);
  EXPECT_EQ(before->rows.front().effect->p_value, after->rows.front().effect->p_value);
}

TEST(Compare, SaysWhyZeroHasNoRatio) {
  FakeExperiment fake = worked_example();
  fake.runs[0].output.metrics[0].value = 0;
  fake.runs[1].output.metrics[0].value = NAN;
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  const Row& row = result->rows.front();
  EXPECT_FALSE(row.effect);
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_FALSE(row.more_blocks);
  EXPECT_THAT(row.flags, Contains(HasSubstr("1 of 24 and 1 of 24 runs")));
  EXPECT_THAT(row.flags, Not(Contains(HasSubstr("a verdict needs"))));
}

TEST(Compare, ListsPrimaryRowsFirstAndOthersOnRequest) {
  FakeExperiment fake;
  fake.experiment.cases = {"second", "first"};
  Metric minor = rate_metric(10);
  minor.name = "minor";
  minor.primary = false;
  Metric descriptive = minor;
  descriptive.name = "migrations";
  descriptive.direction = Direction::Descriptive;
  for (std::int32_t block = 0; block < 3; ++block) {
    for (const char* name : {"first", "second"}) {
      fake.add_run("base", block, 0, {minor, descriptive, time_metric(1)}, name);
      fake.add_run("new", block, 1, {minor, descriptive, time_metric(1)}, name);
    }
  }
  const auto names = [](const Comparison& comparison) {
    std::vector<std::string> all;
    for (const Row& row : comparison.rows)
      all.push_back(row.case_name + " " + row.metric.name);
    return all;
  };
  EXPECT_THAT(names(*fake.compare()), ElementsAre("second time", "first time"));
  EXPECT_THAT(names(*fake.compare({.all_metrics = true})),
              ElementsAre("second time", "second minor", "first time", "first minor"));
}

TEST(Compare, SecondaryRowsDoNotTaxThePrimaryOnes) {
  FakeExperiment fake = worked_example();
  const double alone = fake.compare()->rows.front().effect->p_adjusted;
  for (RunRecord& run : fake.runs) {
    for (int i = 0; i < 20; ++i) {
      Metric extra = rate_metric(100 + static_cast<double>(run.block % 3));
      extra.name = "extra" + std::to_string(i);
      extra.primary = false;
      run.output.metrics.push_back(extra);
    }
  }
  const auto result = fake.compare({.all_metrics = true});
  ASSERT_EQ(result->rows.size(), 21U);
  EXPECT_EQ(result->rows.front().effect->p_adjusted, alone);
}

TEST(Compare, SaysWhenOnlyTheCorrectionKeepsARowFromAVerdict) {
  FakeExperiment fake;
  // p is 0.042 alone; with two rows of noise beside it three times that.
  const std::vector<double> weak = {
      0.03, -0.02, 0.05, 0.02, -0.01, 0.04, 0.01, 0.05, -0.02, 0.03, 0.04, -0.01};
  fake.add_blocks_of_log_ratios(weak);
  EXPECT_EQ(fake.compare()->rows.front().verdict, Verdict::Better);
  EXPECT_THAT(fake.compare()->rows.front().flags, IsEmpty());
  for (RunRecord& run : fake.runs) {
    const double swing = run.arm == "new" ? 1 + 0.03 * (run.block % 2 == 0 ? 1 : -1) : 1;
    for (const char* name : {"noise", "more noise"}) {
      Metric metric = rate_metric(100 * swing);
      metric.name = name;
      run.output.metrics.push_back(metric);
    }
  }
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  const Row& row = result->rows.front();
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_GT(row.effect->interval95.low, 1);
  EXPECT_THAT(row.flags,
              ElementsAre(StartsWith("not significant after correction over 3 rows (p 0.1")));
  EXPECT_THAT(result->rows.back().flags, Not(Contains(HasSubstr("correction"))));
}

TEST(Compare, NamesAMetricThatOneArmLacks) {
  FakeExperiment fake = worked_example();
  for (RunRecord& run : fake.runs) {
    if (run.arm == "base") run.output.metrics.push_back(rate_metric(5));
  }
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->rows.size(), 1U);
  EXPECT_THAT(result->notes, Contains(HasSubstr("metric rps only in arm base")));
}

TEST(Compare, DoesNotCompareDifferentUnits) {
  FakeExperiment fake = worked_example();
  for (RunRecord& run : fake.runs) {
    if (run.arm == "new") run.output.metrics[0].unit = Unit::Nanoseconds;
  }
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_THAT(result->rows, IsEmpty());
  EXPECT_THAT(result->notes, Contains(HasSubstr("metric time is not comparable")));
}

TEST(Compare, CountsBlocksWithoutTheMetricAsNotUsed) {
  FakeExperiment fake = worked_example();
  fake.runs[0].output.metrics[0].name = "other";
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->rows.front().log_ratios.size(), 11U);
  EXPECT_THAT(result->rows.front().flags, Contains(HasSubstr("1 blocks not used")));
}

TEST(Compare, UsesTheDeltaOfTheMetricsClassOrTheOneGiven) {
  FakeExperiment fake = worked_example();
  for (RunRecord& run : fake.runs) {
    run.output.metrics[0].metric_class = MetricClass::LatencyTail;
  }
  EXPECT_EQ(fake.compare()->rows.front().delta, 0.05);
  EXPECT_EQ(fake.compare()->rows.front().verdict, Verdict::Same);
  EXPECT_TRUE(fake.compare()->rows.front().real_but_small);
  EXPECT_EQ(fake.compare({.delta = 0.01})->rows.front().verdict, Verdict::Better);
}

TEST(Compare, ComparesTheControlArmApart) {
  FakeExperiment fake = worked_example();
  for (std::int32_t block = 0; block < 12; ++block) {
    fake.add_run("control", block, 4, {time_metric(1 + 0.001 * (block % 3 - 1))});
  }
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  ASSERT_EQ(result->control_rows.size(), 1U);
  EXPECT_EQ(result->control_rows.front().verdict, Verdict::Same);
  EXPECT_EQ(result->rows.front().verdict, Verdict::Better);
  EXPECT_THAT(result->rows.front().flags, Not(Contains(HasSubstr("control"))));
}

TEST(Compare, DistrustsATableWhoseControlMoved) {
  FakeExperiment fake = worked_example();
  for (std::int32_t block = 0; block < 12; ++block) {
    fake.add_run("control", block, 4, {time_metric(1.10 + 0.001 * (block % 3))});
  }
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->control_rows.front().verdict, Verdict::Worse);
  EXPECT_THAT(result->notes, Contains(HasSubstr("A/A control differs from base")));
  EXPECT_THAT(result->rows.front().flags, Contains(HasSubstr("no larger than the A/A control")));
}

TEST(Compare, RefusesToMixKinds) {
  FakeExperiment fake = worked_example();
  fake.runs[5].kind = RunKind::Simulated;
  const auto result = fake.compare();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("simulated"));
  EXPECT_THAT(result.error().message, HasSubstr("measured"));
}

TEST(Compare, RefusesToMixVersionsAndModes) {
  const auto spoiled = [](auto change) {
    FakeExperiment fake = worked_example();
    for (RunRecord& run : fake.runs) {
      if (run.arm == "new") change(run.output);
    }
    return fake.compare();
  };
  EXPECT_FALSE(spoiled([](RunOutput& output) { output.workload_version = "2"; }));
  EXPECT_FALSE(spoiled([](RunOutput& output) { output.mode = "classic"; }));
  EXPECT_FALSE(spoiled([](RunOutput& output) { output.workload = "hackbench"; }));
  EXPECT_TRUE(spoiled([](RunOutput&) {}));

  FakeExperiment within = worked_example();
  within.runs[0].output.workload_version = "2";
  EXPECT_FALSE(within.compare());
}

// The worked example in two cases, whose base arm ran another program and new arm ours.
FakeExperiment external_against(const std::string& workload, const std::string& mode) {
  FakeExperiment fake = worked_example();
  const std::vector<RunRecord> first = fake.runs;
  for (RunRecord run : first) {
    run.case_name = "other case";
    fake.runs.push_back(run);
  }
  for (RunRecord& run : fake.runs) {
    run.output.workload = workload;
    run.output.mode = run.arm == "base" ? "external:" + workload : mode;
  }
  return fake;
}

TEST(Compare, ComparesAnExternalProgramWithOursAndSaysSoOnce) {
  for (const auto& [workload, mode] : {std::pair("hackbench", "native"),
                                       std::pair("schbench", "classic"),
                                       std::pair("schbench", "era-2016"),
                                       std::pair("schbench", "external:fork")}) {
    const auto result = external_against(workload, mode).compare();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->rows.front().verdict, Verdict::Better);
    const auto notes =
        std::count_if(result->notes.begin(), result->notes.end(), [](const std::string& note) {
          return note.find("this compares programs") != std::string::npos;
        });
    EXPECT_EQ(notes, 1);
    EXPECT_THAT(result->notes, Contains(StartsWith("case, other case: arm base ran ")));
  }
}

TEST(Compare, RefusesAnExternalSchbenchAgainstNative) {
  const auto result = external_against("schbench", "native").compare();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("add --classic to the case"));
  EXPECT_THAT(result.error().message, HasSubstr("external:schbench"));
}

TEST(Compare, RefusesWhatMakesNoSense) {
  const FakeExperiment fake = worked_example();
  const auto message = [&](const Options& options) {
    const auto result = fake.compare(options);
    return result ? std::string("accepted") : result.error().message;
  };
  EXPECT_THAT(message({.new_arm = "nwe"}), HasSubstr("no arm 'nwe'"));
  EXPECT_THAT(message({.new_arm = "nwe"}), HasSubstr("base, new, control"));
  EXPECT_THAT(message({.new_arm = "base"}), HasSubstr("with itself"));
  EXPECT_THAT(message({.new_arm = "control"}), HasSubstr("has no run"));
  EXPECT_THAT(message({.delta = 0.0}), HasSubstr("delta"));
  EXPECT_THAT(message({.delta = NAN}), HasSubstr("delta"));
  EXPECT_THAT(message({.alpha = 0.7}), HasSubstr("alpha"));
}

TEST(Compare, RefusesAnArmOfFailuresOnlyAndSaysWhy) {
  FakeExperiment fake = worked_example();
  for (RunRecord& run : fake.runs) {
    if (run.arm != "new") continue;
    run.outcome = Outcome::Killed;
    run.failure = "died by signal 11";
  }
  const auto result = fake.compare();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("24 killed; first: died by signal 11"));
}

TEST(Compare, NotesACaseThatOneArmNeverRan) {
  FakeExperiment fake = worked_example();
  fake.add_run("base", 0, 5, {time_metric(1)}, "other");
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->rows.size(), 1U);
  EXPECT_THAT(result->notes, Contains("other: arm new has no run: no row"));
}

TEST(Compare, NotesArmsThatNeverChangePlaces) {
  FakeExperiment fake;
  for (std::int32_t block = 0; block < 6; ++block) {
    fake.add_run("base", block, 0, {time_metric(1)});
    fake.add_run("new", block, 1, {time_metric(1)});
  }
  EXPECT_THAT(fake.compare()->notes, Contains(HasSubstr("never changed places")));
  EXPECT_THAT(worked_example().compare()->notes, Not(Contains(HasSubstr("changed places"))));
}

// Kernels booted apart: each arm's boot covers `blocks_per_boot` blocks and has its own luck.
FakeExperiment booted_apart(std::int32_t boots, std::int32_t blocks_per_boot) {
  FakeExperiment fake;
  Rng rng(3);
  std::int32_t block = 0;
  for (std::int32_t boot = 0; boot < boots; ++boot) {
    const double base_luck = std::exp(0.02 * rng.normal());
    const double new_luck = std::exp(0.02 * rng.normal());
    for (std::int32_t i = 0; i < blocks_per_boot; ++i, ++block) {
      const auto run = [&](double luck) { return luck * std::exp(0.001 * rng.normal()); };
      fake.add_block(block, {run(base_luck), run(base_luck)}, {run(new_luck), run(new_luck)});
      for (std::size_t k = fake.runs.size() - 4; k < fake.runs.size(); ++k) {
        fake.runs[k].boot_id = fake.runs[k].arm + std::to_string(boot);
      }
    }
  }
  return fake;
}

TEST(Compare, TakesBootsAsReplicatesWhenTheArmsBootApart) {
  const auto result = booted_apart(4, 5).compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->rows.front().log_ratios.size(), 4U);
  EXPECT_EQ(result->blocks_complete, 20);
  EXPECT_EQ(result->boots, 8);
  EXPECT_THAT(result->notes, Contains(HasSubstr("20 blocks are 4 replicates")));
  EXPECT_THAT(result->notes, Contains(HasSubstr("runs of 8 boots (base 4, new 4)")));
}

TEST(Compare, SaysWhenEachArmHasOneBootOfItsOwn) {
  const auto result = booted_apart(1, 6).compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->rows.front().log_ratios.size(), 6U);
  EXPECT_THAT(result->notes, Contains(StartsWith("conditional on one boot of each arm")));
}

TEST(Compare, KeepsBlocksApartWhenBothArmsRunInEachBoot) {
  FakeExperiment fake = worked_example();
  for (RunRecord& run : fake.runs) {
    if (run.block >= 8) run.boot_id = "boot-2";
  }
  const auto result = fake.compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->rows.front().log_ratios.size(), 12U);
  EXPECT_EQ(result->boots, 2);
}

}  // namespace
}  // namespace schedlab::compare
