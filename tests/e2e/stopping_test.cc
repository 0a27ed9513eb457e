// Plans that may end before their last block: what they print, store and refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"

namespace schedlab::e2e {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> ab(const std::string& db,
                            const std::vector<std::string>& more,
                            const std::vector<std::string>& words = tiny_case()) {
  std::vector<std::string> all = {"ab", "--db", db};
  all.insert(all.end(), more.begin(), more.end());
  return with_case(std::move(all), words);
}

/// As the comparison of a stored experiment tells it.
nlohmann::json stored(const std::string& db) {
  const auto done = run_schedlab({"compare", "--db", db, "--style", "json"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  return nlohmann::json::parse(done.out);
}

TEST(Stopping, UntilClearEndsAPlantedDifferenceEarlyAndKeepsTheRule) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  // The new arm sends twenty times the messages.
  const auto done = run_schedlab(
      ab(db,
         {"-A", "same", "-B", "args:-l 2000", "--until", "clear", "--max-blocks", "60"},
         tiny_case("100")));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("anytime interval"));
  EXPECT_THAT(done.out, HasSubstr("primary row decided after"));
  EXPECT_THAT(done.out, HasSubstr("--until clear --max-blocks 60"));
  EXPECT_THAT(done.out, HasSubstr("worse"));
  EXPECT_THAT(done.err, HasSubstr("after block 6: "));
  const auto again = run_schedlab({"compare", "--db", db});
  EXPECT_EQ(again.out, done.out);
  const auto json = stored(db);
  EXPECT_EQ(json["stopping"]["when"], "clear");
  EXPECT_EQ(json["stopping"]["reason"], "clear");
  EXPECT_LT(json["blocks_complete"].get<int>(), 60);
  EXPECT_EQ(json["experiment"]["blocks_planned"], 60);
  EXPECT_THAT(run_schedlab({"db", "show", "--db", db}).out,
              HasSubstr("until clear, at most 60 blocks"));
  EXPECT_THAT(run_schedlab({"db", "export", "--db", db, "--format", "jsonl"}).out,
              HasSubstr("\"stopping\":{\"when\":\"clear\""));
  EXPECT_EQ(run_schedlab({"db", "check", "--db", db}).exit_code, 0);
}

TEST(Stopping, UntilPreciseEndsByItsIntervalOrItsCap) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  const auto done = run_schedlab(ab(
      db,
      {"-A", "same", "-B", "same", "--until", "50%", "--max-blocks", "40", "--delta", "2%", "-q"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  const auto json = stored(db);
  EXPECT_EQ(json["stopping"]["when"], "precision");
  EXPECT_THAT(json["stopping"]["reason"].get<std::string>(), AnyOf("precise", "blocks", "futile"));
  EXPECT_EQ(json["rows"][0]["delta"], 0.02) << "compare judges by the margin of the plan";
}

TEST(Stopping, LooksAreCountedInTheTable) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  const auto done = run_schedlab(ab(db,
                                    {"-A",
                                     "same",
                                     "-B",
                                     "same",
                                     "--blocks",
                                     "6",
                                     "--looks",
                                     "2",
                                     "--spending",
                                     "pocock",
                                     "--no-futility",
                                     "-q"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("of 2 looks used"));
  EXPECT_THAT(done.out, HasSubstr("Pocock"));
  EXPECT_THAT(done.out, HasSubstr("repeated interval"));
  EXPECT_EQ(stored(db)["stopping"]["when"], "looks");
}

TEST(Stopping, MaxTimeEndsAPlanAfterTheBlockInFlight) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  const auto done = run_schedlab(
      ab(db, {"-A", "same", "-B", "same", "--blocks", "100000", "--max-time", "1s", "-q"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("out of time after"));
  const auto json = stored(db);
  EXPECT_EQ(json["stopping"]["reason"], "out-of-time");
  EXPECT_EQ(json["stopping"]["runs"].get<int>(), 4 * json["blocks_complete"].get<int>());
  EXPECT_GE(json["stopping"]["elapsed_ns"].get<std::int64_t>(), 1'000'000'000);
}

TEST(Stopping, AFixedPlanPrintsNoRule) {
  const testing::ScratchDirectory scratch;
  const auto done =
      run_schedlab(ab(scratch.file("a.db"), {"-A", "same", "-B", "same", "--blocks", "3", "-q"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, Not(HasSubstr("anytime")));
  EXPECT_THAT(done.out, Not(HasSubstr("stopping")));
}

TEST(Stopping, WhatCannotBeIsRefusedInOneLineBeforeAnythingRuns) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("never.db");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refusals = {
      {{"--until", "0"}, "--until"},
      {{"--until", "banana"}, "--until"},
      {{"--until", ""}, "--until"},
      {{"--until", "clear", "--looks", "5"}, "exclude each other"},
      {{"--until", "clear", "--blocks", "12"}, "exclude each other"},
      {{"--until", "clear", "--max-blocks", "3"}, "--max-blocks 3"},
      {{"--max-blocks", "30"}, "--until"},
      {{"--max-time", "0"}, "--max-time"},
      {{"--max-time", "0s"}, "--max-time"},
      {{"--max-time", "soon"}, "--max-time"},
      {{"--looks", "99"}, "2 to 20"},
      {{"--looks", "99", "--blocks", "1000"}, "2 to 20"},
      {{"--looks", "5", "--blocks", "12"}, "at least 15 blocks"},
      {{"--looks", "4", "--spending", "lots"}, "lan-demets"},
      {{"--spending", "obf"}, "--looks"},
      {{"--no-futility"}, "--until"},
      {{"--blocks", "many"}, "--blocks"}};
  for (const auto& [flags, says] : refusals) {
    std::vector<std::string> more = {"-A", "same", "-B", "same"};
    more.insert(more.end(), flags.begin(), flags.end());
    const auto done = run_schedlab(ab(db, more));
    EXPECT_EQ(done.exit_code, 2) << flags.back() << done.err;
    EXPECT_EQ(count_lines(done.err), 1) << done.err;
    EXPECT_THAT(done.err, HasSubstr(says));
  }
  EXPECT_NE(::access(db.c_str(), F_OK), 0) << "a refused plan must not make a database";
}

}  // namespace
}  // namespace schedlab::e2e
