// What counts as a replicate, on records made up so that the answers can be worked out by hand.
#include "compare/replicates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "compare/fake_experiment.h"
#include "stats/distributions.h"

namespace schedlab::compare {
namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

constexpr double kRounding = 1e-12;

// A plan in which every run of a block takes exp(-level) seconds, so that the level is the
// logarithm turned so that + is better.
struct Boots : FakeExperiment {
  std::int32_t next_block = 0;

  struct Arm {
    std::string boot;
    std::vector<double> levels;  // one per run of the block
    std::string build = {};
  };

  void add(const Arm& base, const Arm& contender) {
    std::int32_t position = 0;
    for (const Arm* arm : {&base, &contender}) {
      for (const double level : arm->levels) {
        RunRecord& run = add_run(
            arm == &base ? "base" : "new", next_block, position++, {time_metric(std::exp(-level))});
        run.boot_id = arm->boot;
        run.build = arm->build;
      }
    }
    ++next_block;
  }

  [[nodiscard]] Row row(const Options& options = {}) const {
    const auto result = compare(options);
    EXPECT_TRUE(result) << result.error().message;
    return result ? result->rows.at(0) : Row{};
  }
};

// Kalibera and Jones's toy: three boots of two runs of two samples, ((10, 10.2), (10.4, 10.6)),
// ((11, 11.2), (11, 11.4)), ((9.8, 9.6), (10, 10.2)); a run is the mean of its samples. Against a
// base that never moves: mean 10.45, half-width of the 95 % interval 1.58577, and of the new arm
// S^2 = 0.055 and 0.4075, so T^2 = 0.055 and 0.38.
TEST(Replicates, GiveKaliberaAndJonesToyInterval) {
  Boots boots;
  boots.add({"a0", {0, 0}}, {"b0", {10.1, 10.5}});
  boots.add({"a1", {0, 0}}, {"b1", {11.1, 11.2}});
  boots.add({"a2", {0, 0}}, {"b2", {9.7, 10.1}});
  const Row row = boots.row();
  EXPECT_EQ(row.replication.unit, ReplicateUnit::Boot);
  EXPECT_TRUE(row.replication.paired);
  EXPECT_EQ(row.replication.conditional, "");
  EXPECT_THAT(row.log_ratios, Pointwise(DoubleNear(kRounding), {10.3, 11.15, 9.9}));
  ASSERT_TRUE(row.effect);
  EXPECT_NEAR(std::log(row.effect->ratio), 10.45, 1e-9);
  EXPECT_NEAR(std::log(row.effect->interval95.high), 10.45 + 1.58577, 1e-5);
  EXPECT_NEAR(std::log(row.effect->interval95.low), 10.45 - 1.58577, 1e-5);
  // Half of the new arm's variances, since base has none; a run is 1 s, a boot taken as 120 s:
  // sqrt(120 * 0.0275 / 0.19) = 4.17.
  ASSERT_TRUE(row.boot_plan);
  EXPECT_NEAR(row.boot_plan->run_variance, 0.0275, 1e-9);
  EXPECT_NEAR(row.boot_plan->boot_variance, 0.19, 1e-9);
  EXPECT_EQ(row.boot_plan->runs_now, 2);
  EXPECT_EQ(row.boot_plan->runs_per_boot, 5);
  EXPECT_TRUE(row.boot_plan->boot_cost_assumed);
}

// Four boots of five blocks whose levels are 5, 5, -1 and 3 %. As 20 blocks: sd 2.513 %, t = 5.34.
// As four boots: sd 2.828 %, t = 2.1213 on 3 degrees of freedom, p = 0.124028.
Boots four_boots(bool apart) {
  Boots boots;
  const std::vector<double> levels = {0.05, 0.05, -0.01, 0.03};
  for (std::size_t boot = 0; boot < levels.size(); ++boot) {
    const std::string number = std::to_string(boot);
    for (int i = 0; i < 5; ++i) {
      const double wobble = 0.001 * (i - 2);
      boots.add({apart ? "a" + number : "same", {wobble, -wobble}},
                {apart ? "b" + number : "same", {levels[boot] + wobble, levels[boot] - wobble}});
    }
  }
  return boots;
}

TEST(Replicates, OfBootsAreInconclusiveWhereTheirRunsPooledSayBetter) {
  const Row pooled = four_boots(/*apart=*/false).row();
  EXPECT_EQ(pooled.log_ratios.size(), 20U);
  EXPECT_EQ(pooled.verdict, Verdict::Better);
  EXPECT_EQ(pooled.replication.conditional, "one boot");

  const Row boots = four_boots(/*apart=*/true).row();
  EXPECT_THAT(boots.log_ratios, Pointwise(DoubleNear(kRounding), {0.05, 0.05, -0.01, 0.03}));
  EXPECT_EQ(boots.verdict, Verdict::Inconclusive);
  EXPECT_NEAR(boots.effect->p_value, 0.124028, 1e-6);
  EXPECT_NEAR(std::log(boots.effect->ratio), 0.03, kRounding);
  // t(0.975, n-1) 2.8284 / sqrt n falls below 3 at n = 6 (2.968), not yet at 5 (3.512).
  EXPECT_EQ(boots.more_blocks, 2);
}

// Base boots at blocks 0, 4, 8, new at 0 and 6: no pairs. Levels of base 0, 2, 1 %, of new 5 and 7
// %: difference 5 %, variance 1e-4/3 + 2e-4/2, and by Welch and Satterthwaite 1.684211 degrees of
// freedom.
TEST(Replicates, AreTwoSamplesOfBootsWhereBootsDoNotPairOff) {
  Boots boots;
  const std::vector<double> of_base = {0, 0.02, 0.01};
  const std::vector<double> of_new = {0.05, 0.07};
  for (std::size_t block = 0; block < 12; ++block) {
    boots.add({"a" + std::to_string(block / 4), {of_base[block / 4]}},
              {"b" + std::to_string(block / 6), {of_new[block / 6]}});
  }
  const Row row = boots.row();
  EXPECT_FALSE(row.replication.paired);
  EXPECT_THAT(row.log_ratios, testing::IsEmpty());
  EXPECT_THAT(row.base_levels, Pointwise(DoubleNear(kRounding), {0.0, 0.02, 0.01}));
  EXPECT_THAT(row.contender_levels, Pointwise(DoubleNear(kRounding), {0.05, 0.07}));
  ASSERT_TRUE(row.effect);
  EXPECT_NEAR(std::log(row.effect->ratio), 0.05, kRounding);
  const double half = stats::t_quantile(0.975, 1.6842105263) * std::sqrt(1e-4 / 3 + 1e-4);
  EXPECT_NEAR(std::log(row.effect->interval95.low), 0.05 - half, 1e-7);
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_GT(row.more_blocks.value_or(0), 0);
  EXPECT_THAT(boots.compare()->notes, Contains(HasSubstr("3 boots of base against 2 of new")));
}

TEST(Replicates, AreTheOtherArmsBootsWhereOneArmHasASingleBoot) {
  Boots boots;
  for (int boot = 0; boot < 3; ++boot) {
    for (int i = 0; i < 2; ++i)
      boots.add({"a", {0.01 * i}}, {"b" + std::to_string(boot), {0.02 + 0.01 * boot}});
  }
  const Row row = boots.row();
  EXPECT_THAT(row.log_ratios, Pointwise(DoubleNear(kRounding), {0.015, 0.025, 0.035}));
  EXPECT_EQ(row.replication.conditional, "one boot of base");
  EXPECT_EQ(boots.compare()->conditional, "one boot of base");
  EXPECT_THAT(boots.compare()->notes, Contains(HasSubstr("conditional on one boot of base")));
}

TEST(Replicates, AreBlocksConditionalOnOneBootOfEachArm) {
  Boots boots;
  for (int i = 0; i < 4; ++i)
    boots.add({"a", {0.01 * i}}, {"b", {0.02}});
  const Row row = boots.row();
  EXPECT_EQ(row.replication.unit, ReplicateUnit::Block);
  EXPECT_EQ(row.log_ratios.size(), 4U);
  EXPECT_EQ(row.replication.conditional, "one boot of each arm");
}

TEST(Replicates, TakeBootsThatWereNotRecordedAsOne) {
  Boots boots;
  for (int i = 0; i < 4; ++i)
    boots.add({"", {0.01 * i}}, {"", {0.02}});
  EXPECT_EQ(boots.row().replication.conditional, "one boot");
  EXPECT_THAT(boots.compare()->notes, Contains(HasSubstr("boots not recorded")));
}

// Build 0 has a boot of one block at 0 and one of three blocks at 4 %: the mean of its boots is 2
// %, not the 3 % of its blocks.
TEST(Replicates, AreBuildsOfBootsWhereAnArmHasSeveral) {
  Boots boots;
  boots.add({"a0", {0}, "x"}, {"b0", {0}, "x"});
  for (int i = 0; i < 3; ++i)
    boots.add({"a1", {0}, "x"}, {"b1", {0.04}, "x"});
  boots.add({"a2", {0}, "y"}, {"b2", {0.01}, "y"});
  boots.add({"a3", {0}, "z"}, {"b3", {0.05}, "z"});
  const Row row = boots.row();
  EXPECT_EQ(row.replication.unit, ReplicateUnit::Build);
  EXPECT_TRUE(row.replication.paired);
  EXPECT_EQ(row.replication.base_builds, 3U);
  EXPECT_EQ(row.replication.contender_boots, 4U);
  EXPECT_THAT(row.log_ratios, Pointwise(DoubleNear(kRounding), {0.02, 0.01, 0.05}));
  EXPECT_THAT(boots.compare()->notes, Contains(HasSubstr("6 blocks are 3 replicates")));
}

TEST(Replicates, OfABaseWithOneBuildAreItsBootsAgainstTheOthersBuilds) {
  Boots boots;
  for (int boot = 0; boot < 6; ++boot) {
    const std::string number = std::to_string(boot);
    boots.add({"a" + number, {0.001 * boot}, "only"},
              {"b" + number, {0.02}, "layout" + std::to_string(boot / 2)});
  }
  const Row row = boots.row();
  EXPECT_FALSE(row.replication.paired);
  EXPECT_EQ(row.base_levels.size(), 6U);
  EXPECT_EQ(row.contender_levels.size(), 3U);
  EXPECT_EQ(row.replication.conditional, "one build of base");
}

TEST(Replicates, AreTheBuildsOfAProgramEvenWithinOneBoot) {
  Boots boots;
  for (int i = 0; i < 9; ++i)
    boots.add({"boot", {0}}, {"boot", {0.01 * (i / 3)}, "link order " + std::to_string(i / 3)});
  const Row row = boots.row();
  EXPECT_EQ(row.replication.unit, ReplicateUnit::Build);
  EXPECT_THAT(row.log_ratios, Pointwise(DoubleNear(kRounding), {0.0, 0.01, 0.02}));
  EXPECT_EQ(row.replication.conditional, "one build of base");
}

TEST(Replicates, AreBlocksWhereBothArmsRunInEveryBoot) {
  Boots boots;
  for (int i = 0; i < 6; ++i) {
    const std::string boot = "boot" + std::to_string(i / 3);
    boots.add({boot, {0.001 * i}}, {boot, {0.02}});
  }
  // A reboot in the middle of a block leaves it with a boot of each arm's own.
  boots.add({"boot1", {0.002}}, {"boot2", {0.02}});
  const Row row = boots.row();
  EXPECT_EQ(row.replication.unit, ReplicateUnit::Block);
  EXPECT_EQ(row.log_ratios.size(), 7U);
  EXPECT_EQ(row.replication.conditional, "");
}

// Boots 100 s apart by the clock, runs of 1 s; run variance 4e-6, boot variance about 4e-4 in new.
TEST(Replicates, PlanFurtherBootsFromWhatBootsAndRunsCost) {
  Boots boots;
  const std::vector<double> levels = {0.00, 0.03, 0.01, 0.04};
  for (std::size_t boot = 0; boot < levels.size(); ++boot) {
    const std::string number = std::to_string(boot);
    boots.add({"a" + number, {0.002, -0.002}},
              {"b" + number, {levels[boot] + 0.002, levels[boot] - 0.002}});
  }
  std::int64_t now = 1'000'000'000'000;
  std::string before;
  for (RunRecord& run : boots.runs) {
    now += run.boot_id == before ? 0 : 100'000'000'000;
    before = run.boot_id;
    run.start_wall = Nanos(now);
    now += 1'000'000'000;
    run.end_wall = Nanos(now);
  }
  const Row row = boots.row();
  ASSERT_TRUE(row.boot_plan);
  EXPECT_FALSE(row.boot_plan->boot_cost_assumed);
  EXPECT_NEAR(row.boot_plan->boot_seconds, 100, 1e-9);
  EXPECT_NEAR(row.boot_plan->run_variance, 8e-6, 1e-12);
  // Boots of new: variance of the levels 3.3333e-4, less 8e-6 / 2; of base 0 less 4e-6; the mean.
  EXPECT_NEAR(row.boot_plan->boot_variance, (1e-3 / 3 - 8e-6) / 2, 1e-9);
  // sqrt(100 * 8e-6 / 1.6267e-4) = 2.2.
  EXPECT_EQ(row.boot_plan->runs_per_boot, 3);
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_GT(row.boot_plan->more_boots.value_or(0), 0);
}

}  // namespace
}  // namespace schedlab::compare
