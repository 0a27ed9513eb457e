#include "compare/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compare/fake_experiment.h"
#include "core/rng.h"

namespace schedlab::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Arms "v0", "v1", ... with nothing run yet.
struct FakeHistory {
  explicit FakeHistory(int arms) {
    fake.experiment.id = ExperimentId{1};
    fake.experiment.cases = {"case"};
    fake.experiment.arms.clear();
    for (int i = 0; i < arms; ++i)
      fake.experiment.arms.push_back({"v" + std::to_string(i), "same"});
  }

  void add(int arm, const std::string& boot, std::int32_t block, double value) {
    fake.add_run("v" + std::to_string(arm), block, arm, {time_metric(value)}).boot_id = boot;
  }

  [[nodiscard]] HistorySource source() const { return {fake.experiment, fake.runs}; }

  [[nodiscard]] Result<History> find(HistoryOptions options = {.metric = "time"}) const {
    const HistorySource one = source();
    return find_history({&one, 1}, options);
  }

  FakeExperiment fake;
};

std::vector<std::size_t> indices(const std::vector<LevelChange>& changes) {
  std::vector<std::size_t> out;
  for (const LevelChange& change : changes)
    out.push_back(change.index);
  return out;
}

/// One boot per arm, 3 runs each; the level goes from 1 s to `later` at arm `at`.
FakeHistory one_boot_per_arm(int arms, int at, double later, std::uint64_t seed, double sd) {
  FakeHistory history(arms);
  Rng rng(seed);
  for (int arm = 0; arm < arms; ++arm) {
    const double boot = std::exp(sd * rng.normal());
    for (int run = 0; run < 3; ++run)
      history.add(arm, "boot-" + std::to_string(arm), run, (arm < at ? 1 : later) * boot);
  }
  return history;
}

TEST(History, FindsAStepBetweenArmsOfOneBootEach) {
  const auto found = one_boot_per_arm(16, 9, 1.1, 1, 0.005).find();
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_THAT(found->cases, SizeIs(1));
  const CaseHistory& history = found->cases[0];
  EXPECT_EQ(history.unit, HistoryUnit::Arm);
  ASSERT_THAT(indices(history.changes), ElementsAre(9U));
  const LevelChange& change = history.changes[0];
  EXPECT_EQ(change.low, 9U);
  EXPECT_EQ(change.high, 9U);
  EXPECT_LE(change.p.value(), 0.05);
  EXPECT_TRUE(change.by_pelt);
  EXPECT_THAT(history.hints, IsEmpty());
  EXPECT_NEAR(change.before, 1, 0.01);
  EXPECT_NEAR(change.after, 1.1, 0.01);
  EXPECT_NEAR(change.ratio.value(), 1 / 1.1, 0.01) << "more time is worse";
  ASSERT_TRUE(change.ratio_interval);
  EXPECT_TRUE(change.by_ranks);
  EXPECT_LT(change.ratio_interval->low, 1 / 1.1);
  EXPECT_GT(change.ratio_interval->high, 1 / 1.1);
  EXPECT_EQ(change.values_before, 9U);
  EXPECT_EQ(change.values_after, 7U);
  EXPECT_EQ(history.points[3].label, "v3");
  EXPECT_EQ(history.points[3].values.size(), 3U);
  EXPECT_EQ(history.points[3].boots, 1U);
}

TEST(History, BetterIsARatioAboveOneWhicheverWayTheMetricPoints) {
  FakeHistory history(12);
  for (int arm = 0; arm < 12; ++arm) {
    history.fake.add_run(
        "v" + std::to_string(arm), 0, arm, {rate_metric((arm < 6 ? 100 : 120) + arm % 3)});
    history.fake.runs.back().boot_id = "boot-" + std::to_string(arm);
  }
  const auto found = history.find({.metric = "rps"});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_THAT(indices(found->cases[0].changes), ElementsAre(6U));
  EXPECT_GT(found->cases[0].changes[0].ratio.value(), 1.15);
}

// What one boot per arm makes of three runs is one value: taking the runs for independent would
// find a change nearly always.
TEST(History, RunsOfOneBootAreOneValue) {
  int alarms = 0;
  constexpr int kRounds = 100;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const auto found = one_boot_per_arm(12, 12, 1, round, 0.02).find({.metric = "time"});
    ASSERT_TRUE(found);
    alarms += found->cases[0].changes.empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 14) << "5 expected; four standard deviations above";
}

TEST(History, BootsOfOneArmStayTogether) {
  FakeHistory history(4);
  Rng rng(3);
  for (int arm = 0; arm < 4; ++arm) {
    for (int boot = 0; boot < 6; ++boot) {
      const double level = (arm < 3 ? 1.0 : 1.08) * std::exp(0.01 * rng.normal());
      for (int run = 0; run < 3; ++run) {
        history.add(arm,
                    "boot-" + std::to_string(arm) + "-" + std::to_string(boot),
                    boot,
                    level * std::exp(0.001 * rng.normal()));
      }
    }
  }
  const auto found = history.find();
  ASSERT_TRUE(found) << found.error().message;
  const CaseHistory& of_case = found->cases[0];
  EXPECT_EQ(of_case.unit, HistoryUnit::Boot);
  ASSERT_THAT(indices(of_case.changes), ElementsAre(3U)) << "the last arm has six boots: enough";
  EXPECT_EQ(of_case.changes[0].values_before, 18U);
  EXPECT_EQ(of_case.changes[0].values_after, 6U);
  EXPECT_EQ(of_case.points[0].boots, 6U);
}

TEST(History, ArmsOfOneBootArePairedByBlock) {
  // The machine drifts by 20 % over the blocks; the last two arms are 2 % slower.
  FakeHistory history(5);
  Rng rng(4);
  for (int block = 0; block < 10; ++block) {
    const double drift = 1 + 0.02 * block;
    for (int arm = 0; arm < 5; ++arm) {
      history.add(
          arm, "boot", block, drift * (arm < 3 ? 1 : 1.02) * std::exp(0.002 * rng.normal()));
    }
  }
  const auto found = history.find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->cases[0].unit, HistoryUnit::Block);
  ASSERT_THAT(indices(found->cases[0].changes), ElementsAre(3U));
  const LevelChange& change = found->cases[0].changes[0];
  EXPECT_NEAR(change.ratio.value(), 1 / 1.02, 0.002);
  EXPECT_LT(change.ratio_interval->high - change.ratio_interval->low, 0.005)
      << "the drift is not in it";
}

TEST(History, ABlockThatAnArmLacksIsNotUsed) {
  FakeHistory history(3);
  for (int block = 0; block < 8; ++block) {
    for (int arm = 0; arm < 3; ++arm) {
      if (block == 2 && arm == 1) continue;
      history.add(arm, "boot", block, block == 2 ? 100 : 1 + 0.01 * block + 0.001 * arm);
    }
  }
  const auto found = history.find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->cases[0].unit, HistoryUnit::Block);
  for (const LevelChange& change : found->cases[0].changes)
    EXPECT_LT(change.after, 2);
}

TEST(History, NamesArmsInAnotherOrderAndLeavesTheControlOut) {
  FakeHistory history = one_boot_per_arm(10, 5, 1.2, 6, 0.002);
  history.fake.experiment.arms.push_back({"control", "same"});
  history.fake.add_run("control", 0, 10, {time_metric(9)}).boot_id = "boot-control";
  EXPECT_THAT(history.find()->cases[0].points, SizeIs(10));
  const auto found = history.find(
      {.metric = "time", .arms = {"v9", "v8", "v7", "v6", "v5", "v4", "v3", "v2", "v1", "v0"}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(indices(found->cases[0].changes), ElementsAre(5U));
  EXPECT_GT(found->cases[0].changes[0].ratio.value(), 1.1) << "read backwards it got better";
  EXPECT_EQ(history.find({.metric = "time", .arms = {"v0", "v0", "v1"}}).error().message,
            "arm 'v0' is named twice");
}

TEST(History, GoesOverExperimentsInOrderOfTime) {
  std::vector<HistorySource> nights;
  for (int night = 11; night >= 0; --night) {
    FakeHistory one(2);
    one.fake.experiment.id = ExperimentId{100 - night};
    one.fake.experiment.start_wall = Nanos(1'000'000 * night);
    one.add(0, "boot-" + std::to_string(night), 0, (night < 4 ? 1 : 1.5) + 0.001 * (night % 3));
    one.add(1, "boot-" + std::to_string(night), 0, 7);
    nights.push_back(one.source());
  }
  const auto found = find_history(nights, {.metric = "time", .arms = {"v0"}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->experiments, 12U);
  EXPECT_EQ(found->cases[0].unit, HistoryUnit::Arm);
  EXPECT_EQ(found->cases[0].points[0].label, "100:v0");
  EXPECT_THAT(indices(found->cases[0].changes), ElementsAre(4U));

  nights[3].experiment.machine.hostname = "other";
  EXPECT_THAT(find_history(nights, {.metric = "time"}).error().message,
              HasSubstr("do not make one history: machines"));
  nights[3].experiment.machine = nights[2].experiment.machine;
  nights[3].experiment.machine.kernel = "another kernel is what a history is of";
  EXPECT_TRUE(find_history(nights, {.metric = "time"}));
  nights[3].experiment.kind = RunKind::Simulated;
  EXPECT_THAT(find_history(nights, {.metric = "time"}).error().message, HasSubstr("simulated"));
}

TEST(History, RefusesWhatMakesNoHistory) {
  const FakeHistory good = one_boot_per_arm(10, 5, 1.2, 6, 0.002);
  EXPECT_THAT(good.find({.metric = "tme"}).error().message,
              HasSubstr("no run has a metric 'tme'; did you mean 'time'?"));
  EXPECT_THAT(good.find({.metric = "\x1b[2J"}).error().message, HasSubstr("(known: time)"));
  EXPECT_THAT(good.find({.metric = "time", .arms = {"v0", "v1", "w2"}}).error().message,
              HasSubstr("no arm 'w2'; did you mean 'v2'?"));
  EXPECT_THAT(good.find({.metric = "time", .arms = {"v0", "v1"}}).error().message,
              HasSubstr("at least 3 arms"));
  EXPECT_THAT(one_boot_per_arm(5, 3, 1.2, 6, 0.002).find().error().message,
              HasSubstr("5 values (5 arms, one per arm), a history needs 8"));
  EXPECT_THAT(FakeHistory(9).find().error().message, HasSubstr("no run of these arms ended well"));
  EXPECT_THAT(find_history({}, {.metric = "time"}).error().message, HasSubstr("no experiment"));
  EXPECT_FALSE(good.find({.metric = "time", .alpha = 0}));
  EXPECT_FALSE(good.find({.metric = "time", .confidence = 1}));
}

TEST(History, RefusesToMixUnitsVersionsAndModes) {
  const auto broken = [](auto change) {
    FakeHistory history = one_boot_per_arm(10, 5, 1.2, 6, 0.002);
    change(history.fake.runs[20]);
    const auto found = history.find();
    return found ? std::string("found") : found.error().message;
  };
  EXPECT_THAT(broken([](RunRecord& run) { run.output.metrics[0].unit = Unit::Nanoseconds; }),
              HasSubstr("unit ns"));
  EXPECT_THAT(
      broken([](RunRecord& run) { run.output.metrics[0].direction = Direction::HigherIsBetter; }),
      HasSubstr("do not make one history"));
  EXPECT_THAT(broken([](RunRecord& run) { run.output.workload_version = "2"; }),
              HasSubstr("version 2"));
  EXPECT_THAT(broken([](RunRecord& run) { run.output.mode = "classic"; }), HasSubstr("classic"));
}

TEST(History, SaysWhatItLeftOut) {
  FakeHistory history = one_boot_per_arm(10, 5, 1.2, 6, 0.002);
  history.fake.runs[0].output.metrics[0].value = std::nan("");
  history.fake.runs[1].output.metrics.clear();
  for (RunRecord& run : history.fake.runs) {
    if (run.arm == "v4") run.outcome = Outcome::Failed;
  }
  const auto found = history.find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->cases[0].points, SizeIs(9));
  EXPECT_THAT(found->cases[0].notes,
              testing::AllOf(testing::Contains(HasSubstr("without a run that has the metric: v4")),
                             testing::Contains(HasSubstr("2 runs left out"))));
}

TEST(History, ZerosHaveAChangeButNoRatio) {
  FakeHistory history(12);
  for (int arm = 0; arm < 12; ++arm)
    history.add(arm, "boot-" + std::to_string(arm), 0, (arm < 6 ? 0 : 5) + 0.1 * (arm % 2));
  const auto found = history.find();
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_THAT(indices(found->cases[0].changes), ElementsAre(6U));
  EXPECT_FALSE(found->cases[0].changes[0].ratio);
  EXPECT_NEAR(found->cases[0].changes[0].after, 5.05, 1e-9);
}

TEST(History, ConstantValuesHaveNoChange) {
  const auto found = one_boot_per_arm(12, 12, 1, 1, 0).find();
  ASSERT_TRUE(found);
  EXPECT_THAT(found->cases[0].changes, IsEmpty());
  EXPECT_THAT(found->cases[0].hints, IsEmpty());
}

}  // namespace
}  // namespace schedlab::compare
