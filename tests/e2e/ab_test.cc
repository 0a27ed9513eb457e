#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"

namespace schedlab::e2e {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST(Ab, RunsStoresAndPrintsAVerdict) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  const auto done = run_schedlab(
      with_case({"ab", "-A", "same", "-B", "nice=1", "--blocks", "3", "--seed", "7", "--db", db},
                tiny_case()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out,
              AnyOf(HasSubstr("better"),
                    HasSubstr("worse"),
                    HasSubstr("same within"),
                    HasSubstr("inconclusive")));
  EXPECT_THAT(done.out, HasSubstr("--seed 7"));
  EXPECT_EQ(count_lines(done.err), 12) << done.err;  // one line per run in a pipe

  const auto again = run_schedlab({"compare", "--db", db, "--style", "json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto json = nlohmann::json::parse(again.out);
  EXPECT_FALSE(json.empty());

  EXPECT_EQ(run_schedlab({"db", "check", "--db", db}).exit_code, 0);
}

TEST(Ab, TheTableOfAStoredExperimentIsTheOneThatWasPrinted) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  const auto done = run_schedlab(
      with_case({"ab", "-A", "same", "-B", "same", "--control", "--blocks", "3", "--db", db, "-q"},
                tiny_case()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  const auto again = run_schedlab({"compare", "--db", db});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, done.out);
}

TEST(Ab, ItsTableIsExplainedOnRequest) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  const auto done = run_schedlab(with_case(
      {"ab", "-A", "same", "-B", "same", "--blocks", "3", "--db", db, "-q", "--why"}, tiny_case()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("why, row by row:"));
  const auto again = run_schedlab({"compare", "base", "new", "--db", db, "--why", "time"});
  EXPECT_EQ(again.out, done.out) << again.err;
  const auto none = run_schedlab({"compare", "--why", "netperf", "--db", db});
  EXPECT_THAT(none.out, HasSubstr("no row's case or metric contains 'netperf'")) << none.err;
  const auto json =
      nlohmann::json::parse(run_schedlab({"compare", "--db", db, "--why", "--style=json"}).out);
  EXPECT_EQ(json["rows"][0]["why"][0]["topic"], "verdict");
  EXPECT_EQ(run_schedlab({"compare", "--db", db, "--why", "--style", "csv"}).exit_code, 2);
}

TEST(Ab, ItsRowsAreCorrectedAsAsked) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  const auto done = run_schedlab(with_case(
      {"ab", "-A", "same", "-B", "same", "--blocks", "3", "--db", db, "-q", "--correction", "by"},
      tiny_case()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("Benjamini-Yekutieli over"));
  EXPECT_THAT(done.out, HasSubstr("--correction by"));
  const auto unknown = run_schedlab({"compare", "--db", db, "--correction", "bonferroni"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("bh, by, two-stage, holm, none"));
}

TEST(Ab, ABlockIsThereAndBack) {
  const testing::ScratchDirectory scratch;
  const auto done = run_schedlab(with_case({"ab",
                                            "-A",
                                            "same",
                                            "-B",
                                            "same",
                                            "--blocks",
                                            "1",
                                            "--seed",
                                            "3",
                                            "--db",
                                            scratch.file("a.db")},
                                           tiny_case()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  std::string order;
  for (std::size_t at = 0; at < done.err.size(); at = done.err.find('\n', at) + 1) {
    const std::string line = done.err.substr(at, done.err.find('\n', at) - at);
    order += line.find(" base ") != std::string::npos ? 'A' : 'B';
  }
  EXPECT_THAT(order, AnyOf("ABBA", "BAAB")) << done.err;
}

TEST(Ab, AnotherProgramStandsInWithTheSameFlags) {
  const testing::ScratchDirectory scratch;
  // A link of that name is the drop-in tool: an external program as far as ab can tell.
  const std::string link = scratch.file("hackbench");
  ASSERT_EQ(::symlink(SCHEDLAB_PROGRAM, link.c_str()), 0);
  const std::string db = scratch.file("a.db");
  const auto done = run_schedlab(
      with_case({"ab", "-A", "cmd:" + link, "-B", "same", "--blocks", "3", "--db", db, "-q"},
                tiny_case("20000")));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("cmd:"));
}

TEST(Ab, ArgsAddFlagsToOneArm) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  const auto done = run_schedlab(with_case(
      {"ab", "-A", "same", "-B", "args:-l 7", "--blocks", "1", "--db", db, "-q"}, tiny_case()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto exported = run_schedlab({"db", "export", "--db", db, "--format", "jsonl"});
  EXPECT_THAT(exported.out, HasSubstr("\"-l\",\"5\",\"-l\",\"7\"")) << exported.err;
}

}  // namespace
}  // namespace schedlab::e2e
