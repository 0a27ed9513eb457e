#include "lab/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/command.h"
#include "tests/support/scripted_workload.h"

namespace schedlab::lab {
namespace {

using ::testing::HasSubstr;

/// Gives each run the outcome that a test says.
class ScriptedRunner final : public Runner {
 public:
  using Script = std::function<Outcome(const Step& step, std::int32_t nth)>;

  explicit ScriptedRunner(Script script) : script_(std::move(script)) {}

  Result<RunRecord> run(const Plan& plan,
                        const Step& step,
                        const os::StopRequest& /*stop*/) override {
    RunRecord record;
    record.block = step.block;
    record.position = step.position;
    record.arm = plan.arms[step.arm_index].name;
    record.case_name = plan.cases[step.case_index].name;
    record.boot_id = "boot";
    record.outcome = script_(step, runs_++);
    if (record.outcome == Outcome::Ok) {
      record.output = testing::ScriptedWorkload::output(1.0);
    } else {
      record.failure = "scripted failure";
    }
    record.environment_before = "env";
    record.environment_after = "env";
    return record;
  }

  [[nodiscard]] std::string environment(const std::string& /*hash*/) const override {
    return "item\tvalue\n";
  }

 private:
  Script script_;
  std::int32_t runs_ = 0;
};

class CountingObserver final : public Observer {
 public:
  void run_starts(const Plan& /*plan*/,
                  const Step& /*step*/,
                  std::int32_t /*done*/,
                  std::int32_t /*total*/) override {
    ++started;
  }

  void run_ended(const RunRecord& record, std::int32_t done, std::int32_t /*total*/) override {
    ++ended;
    stored = stored && record.id.value > 0 && done == ended;
  }

  std::int32_t started = 0;
  std::int32_t ended = 0;
  bool stored = true;  // every run was in the store when it was told
};

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : store_(*store::Store::open(scratch_.file("a.db"))) {
    plan_.cases.push_back({.workload = &workload_, .arguments = {}, .name = "scripted"});
    plan_.arms = {{.name = "base", .spec = {}}, {.name = "new", .spec = {}}};
    plan_.blocks = 2;
    Experiment experiment;
    experiment.arms = {{"base", "same"}, {"new", "same"}};
    experiment.cases = {"scripted"};
    experiment_ = *store_.add_experiment(experiment);
  }

  Result<SessionEnd> go(ScriptedRunner::Script script, const BlockRule& goes_on = nullptr) {
    ScriptedRunner runner(std::move(script));
    return run_plan(plan_, experiment_, store_, runner, observer_, {stop_, -1}, goes_on);
  }

  testing::ScratchDirectory scratch_;
  testing::ScriptedWorkload workload_;
  store::Store store_;
  Plan plan_;
  ExperimentId experiment_;
  CountingObserver observer_;
  std::atomic<bool> stop_{false};
};

TEST_F(SessionTest, StoresEveryRunBeforeTellingOfIt) {
  const auto end = go([](const Step&, std::int32_t) { return Outcome::Ok; });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->runs_done, 8);
  EXPECT_EQ(observer_.ended, 8);
  EXPECT_TRUE(observer_.stored);
  EXPECT_EQ(store_.runs(experiment_, store::Detail::Figures)->size(), 8U);
}

TEST_F(SessionTest, ALateFailureIsKeptAndTheSessionGoesOn) {
  const auto end =
      go([](const Step&, std::int32_t nth) { return nth == 5 ? Outcome::Killed : Outcome::Ok; });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->runs_done, 8);
  EXPECT_EQ(end->runs_failed, 1);
  EXPECT_EQ(store_.runs(experiment_, store::Detail::Figures)->at(5).outcome, Outcome::Killed);
}

TEST_F(SessionTest, ACaseThatNeverSucceededEndsTheSession) {
  const auto end = go([](const Step& step, std::int32_t) {
    return step.arm_index == 1 ? Outcome::Failed : Outcome::Ok;
  });
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().message, HasSubstr("scripted failure"));
  EXPECT_LE(observer_.ended, 2);
}

TEST_F(SessionTest, TheThirdFailureOfACaseEndsTheSession) {
  plan_.blocks = 10;
  const auto end = go([](const Step& step, std::int32_t) {
    return step.arm_index == 1 && step.block > 0 ? Outcome::Failed : Outcome::Ok;
  });
  ASSERT_FALSE(end);
  EXPECT_LE(observer_.ended, 12);
}

TEST_F(SessionTest, ARunThatEndedBeforeTheRequestToStopWasSeenIsStored) {
  const auto end = go([&](const Step&, std::int32_t nth) {
    if (nth == 3) stop_.store(true);
    return Outcome::Ok;
  });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_TRUE(end->interrupted);
  EXPECT_EQ(store_.runs(experiment_, store::Detail::Figures)->size(), 4U);
}

TEST_F(SessionTest, AnInterruptedRunIsNotStored) {
  const auto end = go([&](const Step&, std::int32_t nth) {
    if (nth == 3) stop_.store(true);
    return nth == 3 ? Outcome::Interrupted : Outcome::Ok;
  });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_TRUE(end->interrupted);
  EXPECT_EQ(end->runs_done, 3);
  EXPECT_EQ(store_.runs(experiment_, store::Detail::Figures)->size(), 3U);
}

Outcome ends_well(const Step& /*step*/, std::int32_t /*nth*/) {
  return Outcome::Ok;
}

TEST_F(SessionTest, ARuleIsAskedAfterEachBlockButTheLast) {
  plan_.blocks = 4;
  std::vector<std::int32_t> asked;
  const auto end = go(ends_well, [&](std::span<const RunRecord> block) -> Result<bool> {
    EXPECT_EQ(block.size(), 4U);
    for (const RunRecord& run : block)
      EXPECT_GT(run.id.value, 0);
    asked.push_back(block.front().block);
    return true;
  });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(asked, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_FALSE(end->stopped_by_rule);
  EXPECT_EQ(end->runs_done, 16);
}

TEST_F(SessionTest, ARuleEndsThePlanAfterAWholeBlock) {
  plan_.blocks = 100;
  const auto end = go(ends_well, [](std::span<const RunRecord> block) -> Result<bool> {
    return block.front().block < 2;
  });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_TRUE(end->stopped_by_rule);
  EXPECT_FALSE(end->interrupted);
  EXPECT_EQ(end->runs_done, 12);
}

TEST_F(SessionTest, ARuleHearsOfFailedRunsToo) {
  std::int32_t failed_runs = 0;
  const auto end =
      go([](const Step&, std::int32_t nth) { return nth == 2 ? Outcome::Killed : Outcome::Ok; },
         [&](std::span<const RunRecord> block) -> Result<bool> {
           for (const RunRecord& run : block)
             failed_runs += run.outcome == Outcome::Ok ? 0 : 1;
           return true;
         });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(failed_runs, 1);
}

TEST_F(SessionTest, ARuleThatCannotDecideEndsTheSessionWithItsError) {
  const auto end = go(ends_well, [](std::span<const RunRecord>) -> Result<bool> {
    return failed("nothing to compare");
  });
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().message, HasSubstr("nothing to compare"));
  EXPECT_EQ(observer_.ended, 4);
}

TEST_F(SessionTest, ARuleIsNotAskedAboutAnInterruptedBlock) {
  bool asked = false;
  const auto end = go(
      [&](const Step&, std::int32_t nth) {
        if (nth == 3) stop_.store(true);
        return Outcome::Ok;
      },
      [&](std::span<const RunRecord>) -> Result<bool> {
        asked = true;
        return true;
      });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_TRUE(end->interrupted);
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace schedlab::lab
