#include "lab/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/scripted_workload.h"

namespace schedlab::lab {
namespace {

using ::testing::HasSubstr;

class PlanTest : public ::testing::Test {
 protected:
  Plan plan(std::size_t cases, std::size_t arms, std::int32_t blocks, std::uint64_t seed) {
    Plan out;
    for (std::size_t i = 0; i < cases; ++i) {
      out.cases.push_back(
          {.workload = &workload_, .arguments = {}, .name = "case " + std::to_string(i)});
    }
    for (std::size_t i = 0; i < arms; ++i)
      out.arms.push_back({.name = "arm " + std::to_string(i), .spec = {}});
    out.blocks = blocks;
    out.seed = seed;
    return out;
  }

  testing::ScriptedWorkload workload_;
};

TEST_F(PlanTest, EveryBlockVisitsEveryArmOfEveryCaseTwiceThereAndBack) {
  const Plan p = plan(3, 3, 20, 42);
  for (std::int32_t block = 0; block < p.blocks; ++block) {
    const auto steps = block_steps(p, block);
    ASSERT_EQ(steps.size(), 18U);
    std::set<std::size_t> cases;
    for (std::size_t first = 0; first < steps.size(); first += 6) {
      std::set<std::size_t> arms;
      for (std::size_t i = 0; i < 3; ++i) {
        arms.insert(steps[first + i].arm_index);
        EXPECT_EQ(steps[first + i].arm_index, steps[first + 5 - i].arm_index);
        EXPECT_EQ(steps[first + i].case_index, steps[first].case_index);
        EXPECT_EQ(steps[first + 5 - i].case_index, steps[first].case_index);
      }
      EXPECT_EQ(arms.size(), 3U);
      cases.insert(steps[first].case_index);
    }
    EXPECT_EQ(cases.size(), 3U);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(steps[i].position, static_cast<std::int32_t>(i));
      EXPECT_EQ(steps[i].block, block);
    }
  }
}

TEST_F(PlanTest, ABlockOfTwoArmsIsAbbaOrBaabAndBothHappen) {
  const Plan p = plan(1, 2, 100, 5);
  std::map<std::string, int> seen;
  for (std::int32_t block = 0; block < p.blocks; ++block) {
    std::string order;
    for (const Step& step : block_steps(p, block))
      order += step.arm_index == 0 ? 'A' : 'B';
    ++seen[order];
  }
  EXPECT_EQ(seen["ABBA"] + seen["BAAB"], 100);
  EXPECT_GT(seen["ABBA"], 25);
  EXPECT_GT(seen["BAAB"], 25);
}

TEST_F(PlanTest, TheSeedAloneDecidesTheOrder) {
  const auto all = [](const Plan& p) {
    std::vector<Step> steps;
    for (std::int32_t block = 0; block < p.blocks; ++block) {
      for (const Step& step : block_steps(p, block))
        steps.push_back(step);
    }
    return steps;
  };
  EXPECT_EQ(all(plan(3, 2, 10, 9)), all(plan(3, 2, 10, 9)));
  EXPECT_NE(all(plan(3, 2, 10, 9)), all(plan(3, 2, 10, 10)));
}

TEST_F(PlanTest, CasesTossTheirOwnCoins) {
  const Plan p = plan(2, 2, 100, 3);
  int differ = 0;
  for (std::int32_t block = 0; block < p.blocks; ++block) {
    std::map<std::size_t, std::size_t> first_arm;
    for (const Step& step : block_steps(p, block))
      first_arm.try_emplace(step.case_index, step.arm_index);
    differ += first_arm[0] != first_arm[1] ? 1 : 0;
  }
  EXPECT_GT(differ, 20);
  EXPECT_LT(differ, 80);
}

TEST_F(PlanTest, ImpossiblePlansAreRefusedBeforeAnythingRuns) {
  const auto refusal = [](const Plan& p) {
    const Status checked = check(p);
    return checked ? std::string("accepted") : checked.error().message;
  };
  EXPECT_EQ(refusal(plan(1, 2, 1, 0)), "accepted");
  EXPECT_THAT(refusal(plan(0, 2, 1, 0)), HasSubstr("nothing to run"));
  EXPECT_THAT(refusal(plan(1, 1, 1, 0)), HasSubstr("two arms"));
  EXPECT_THAT(refusal(plan(1, 2, 0, 0)), HasSubstr("--blocks 0"));
  EXPECT_THAT(refusal(plan(1, 2, -1, 0)), HasSubstr("--blocks -1"));
  Plan twice = plan(2, 2, 1, 0);
  twice.cases[1].name = twice.cases[0].name;
  EXPECT_THAT(refusal(twice), HasSubstr("twice"));
  Plan bad = plan(1, 2, 1, 0);
  bad.arms[1].spec.extra_arguments = {"bad"};
  EXPECT_THAT(refusal(bad), HasSubstr("arm 1"));
}

TEST_F(PlanTest, AnExternalProgramGetsNoFlagOfOurs) {
  Plan p = plan(1, 2, 1, 0);
  p.cases[0].arguments = {"--ours", "-g", "1"};
  p.arms[0].spec.program = "/usr/bin/hackbench";
  p.arms[0].spec.extra_arguments = {"-T"};
  EXPECT_EQ(*step_arguments(p.cases[0], p.arms[0]), (std::vector<std::string>{"-g", "1", "-T"}));
  EXPECT_EQ(*step_arguments(p.cases[0], p.arms[1]),
            (std::vector<std::string>{"--ours", "-g", "1"}));
}

TEST_F(PlanTest, OursMustMeasureAsTheOriginalDoesBesideIt) {
  Plan p = plan(1, 2, 1, 0);
  p.cases[0].arguments = {"unlike"};
  EXPECT_TRUE(check(p));
  p.arms[0].spec.program = "/usr/bin/hackbench";
  const Status checked = check(p);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("unlike"));
}

TEST_F(PlanTest, TheForecastCountsEveryRun) {
  EXPECT_EQ(forecast(plan(2, 3, 5, 0)), std::chrono::seconds(60));
}

}  // namespace
}  // namespace schedlab::lab
