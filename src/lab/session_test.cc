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

  Result<SessionEnd> go(ScriptedRunner::Script script) {
    ScriptedRunner runner(std::move(script));
    return run_plan(plan_, experiment_, store_, runner, observer_, {stop_, -1});
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

}  // namespace
}  // namespace schedlab::lab
