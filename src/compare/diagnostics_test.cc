// What a row warns of, and what the arms' environments do not share.
#include "compare/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "compare/environment_diff.h"
#include "compare/fake_experiment.h"
#include "core/rng.h"

namespace schedlab::compare {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::int32_t kBlocks = 12;

// Quiet noise of 0.2 %; `base` and `contender` give the level of a run by block and turn (0, 1).
template <typename Base, typename Contender>
FakeExperiment quiet(Base base, Contender contender) {
  FakeExperiment fake;
  Rng rng(21);
  const auto noisy = [&](double level) { return level * std::exp(0.002 * rng.normal()); };
  for (std::int32_t block = 0; block < kBlocks; ++block) {
    fake.add_block(block,
                   {noisy(base(block, 0)), noisy(base(block, 1))},
                   {noisy(contender(block, 0)), noisy(contender(block, 1))});
  }
  return fake;
}

double one(std::int32_t /*block*/, int /*turn*/) {
  return 1;
}

std::vector<std::string> flags_of(const FakeExperiment& fake) {
  const auto result = fake.compare();
  return result ? result->rows.at(0).flags : std::vector<std::string>{result.error().message};
}

TEST(Flags, AreAbsentFromAQuietRow) {
  EXPECT_THAT(flags_of(quiet(one, one)), IsEmpty());
}

TEST(Flags, NameTwoModesWithPlacesAndShares) {
  const auto fake =
      quiet([](std::int32_t block, int turn) { return block < 5 && turn == 0 ? 1.0 : 3.0; }, one);
  const auto flags = flags_of(fake);
  EXPECT_THAT(flags,
              Contains(AllOf(
                  HasSubstr("base: two modes: 3.0"), HasSubstr("(19/24)"), HasSubstr("(5/24)"))));
  EXPECT_THAT(flags, Contains(HasSubstr("shares of the modes differ: upper 19/24 against 0/24")));
  EXPECT_THAT(flags, Contains(HasSubstr("base: spread")));
  EXPECT_TRUE(fake.compare()->rows.front().two_modes);
  EXPECT_FALSE(quiet(one, one).compare()->rows.front().two_modes);
}

TEST(Flags, TellDriftOfTheMachineFromDriftOfTheEffect) {
  const auto rising = [](std::int32_t block, int) { return 1 + 0.01 * block; };
  const auto machine = flags_of(quiet(rising, rising));
  EXPECT_THAT(machine, Contains(HasSubstr("drift: both arms +7")));
  EXPECT_THAT(machine, Not(Contains(HasSubstr("effect drifts"))));
  EXPECT_THAT(flags_of(quiet(one, rising)), Contains(HasSubstr("effect drifts: -7")));
}

TEST(Flags, CountDisturbedRuns) {
  FakeExperiment fake = quiet(one, one);
  fake.runs[0].noise.foreign_cpu = Nanos{200'000'000};  // 10 % of two CPUs for a second
  fake.runs[4].noise.steal = Nanos{50'000'000};         // 2.5 %
  EXPECT_THAT(flags_of(fake), ElementsAre("base: 1 of 24 runs disturbed"));
  EXPECT_EQ(fake.compare()->runs_disturbed, 1);
}

TEST(Flags, FoldTheNotesOfRuns) {
  FakeExperiment fake = quiet(one, one);
  int seen = 0;
  for (RunRecord& run : fake.runs) {
    run.output.notes = {"footprint 4 MiB"};
    if (run.arm != "new" || ++seen > 7) continue;
    run.output.notes.emplace_back("machine does not sustain this rate");
    run.output.notes.push_back("value " + std::to_string(seen));
  }
  EXPECT_THAT(flags_of(fake),
              ElementsAre("every run: footprint 4 MiB",
                          "new: 7 of 24 runs: machine does not sustain this rate",
                          "new: 1 of 24 runs: value 1",
                          "new: 1 of 24 runs: value 2",
                          "new: and 5 more"));
}

TEST(Flags, TellWhenTheCanaryMoved) {
  FakeExperiment fake = quiet(one, one);
  for (RunRecord& run : fake.runs)
    run.canary = Nanos{50'000'000};
  EXPECT_THAT(flags_of(fake), IsEmpty());
  fake.runs[7].canary = Nanos{60'000'000};
  EXPECT_THAT(flags_of(fake),
              ElementsAre("canary: 1 of 48 runs off the median by over 5 % (worst +20.0 %)"));
  for (RunRecord& run : fake.runs) {
    run.canary = run.arm == "new" ? Nanos{54'000'000} : Nanos{50'000'000};
  }
  EXPECT_THAT(flags_of(fake), Contains(HasSubstr("canary: median time in new +8.0 % of base's")));
}

TEST(Flags, TellACoarseInstrument) {
  FakeExperiment fake;
  for (std::int32_t block = 0; block < 6; ++block)
    fake.add_block(block, {3, 3}, {3, 3});
  for (RunRecord& run : fake.runs)
    run.output.metrics[0].resolution = 1;
  const auto result = fake.compare();
  const Row& row = result->rows.front();
  EXPECT_TRUE(row.resolution_limited);
  EXPECT_EQ(row.verdict, Verdict::Same);  // as far as the instrument shows, which the flag says
  EXPECT_THAT(row.flags,
              Contains(AllOf(HasSubstr("resolution-limited"),
                             HasSubstr("33.3 %"),
                             HasSubstr("the means differ by 0"))));
  EXPECT_THAT(row.flags, Contains(HasSubstr("sign test")));
  EXPECT_THAT(row.flags, Not(Contains(HasSubstr("two modes"))));
}

TEST(Flags, SayHowManyBlocksAVerdictNeeds) {
  FakeExperiment fake;
  fake.add_block(0, {1, 1}, {2, 2});
  EXPECT_THAT(flags_of(fake), Contains("1 complete block: an interval needs 2, a verdict needs 3"));
  EXPECT_FALSE(fake.compare()->rows.front().effect);
  fake.add_block(1, {1, 1}, {2, 2});
  EXPECT_THAT(flags_of(fake), Contains("2 complete blocks: a verdict needs 3"));
  EXPECT_EQ(fake.compare()->rows.front().verdict, Verdict::Inconclusive);
}

// Captures by hash.
EnvironmentLookup captures(std::map<std::string, std::string> texts) {
  return [texts = std::move(texts)](const std::string& hash) -> Result<std::string> {
    const auto found = texts.find(hash);
    if (found == texts.end()) return failed("no capture");
    return found->second;
  };
}

Comparison compare_captured(FakeExperiment fake, const EnvironmentLookup& lookup) {
  for (RunRecord& run : fake.runs) {
    run.environment_before = run.arm;
    run.environment_after = run.arm + (run.block == 3 ? "-late" : "");
  }
  auto result = compare(fake.experiment, fake.runs, lookup, {});
  return result ? *result : Comparison{};
}

TEST(EnvironmentDifferences, ListWhatTheArmsDoNotShare) {
  const auto comparison = compare_captured(
      quiet(one, one),
      captures({{"base", "governor\tschedutil\nsmt\ton\nonly\there\n"},
                {"base-late", "governor\tschedutil\nsmt\toff\nonly\there\n"},
                {"new", "governor\tperformance\nsmt\toff\ngarbage without a tab\n"},
                {"new-late", "governor\tschedutil\nsmt\ton\n\t\n"}}));
  ASSERT_EQ(comparison.environment_differences.size(), 2U);
  const auto& governor = comparison.environment_differences[0];
  EXPECT_EQ(governor.item, "governor");
  EXPECT_EQ(governor.base, "schedutil");
  EXPECT_EQ(governor.contender, "performance | schedutil");
  const auto& only = comparison.environment_differences[1];
  EXPECT_EQ(only.item, "only");
  EXPECT_EQ(only.contender, "(absent)");
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("changed on the way, in both arms: smt")));
}

TEST(EnvironmentDifferences, OfUnknownCapturesAreANoteNotAnError) {
  const auto comparison = compare_captured(
      quiet(one, one), captures({{"base", "a\t1\n"}, {"base-late", "a\t1\n"}, {"new", "a\t2\n"}}));
  EXPECT_EQ(comparison.environment_differences.size(), 1U);
  EXPECT_THAT(comparison.notes, Contains("environment new-late: no capture"));
  EXPECT_THAT(quiet(one, one).compare()->notes, Contains(HasSubstr("environment not captured")));
}

}  // namespace
}  // namespace schedlab::compare
