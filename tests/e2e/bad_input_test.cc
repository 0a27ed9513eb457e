#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/e2e/program.h"

namespace schedlab::e2e {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

struct Refusal {
  std::vector<std::string> arguments;
  int exit_code;
  std::string says;
};

void expect_refused(const Refusal& refusal) {
  const auto done = run_schedlab(refusal.arguments);
  std::string shown;
  for (const std::string& argument : refusal.arguments)
    shown += argument + ' ';
  EXPECT_EQ(done.exit_code, refusal.exit_code) << shown << done.err;
  EXPECT_EQ(count_lines(done.err), 1) << shown << done.err;
  EXPECT_THAT(done.err, HasSubstr(refusal.says)) << shown;
  EXPECT_EQ(done.out, "") << shown;
}

TEST(BadInput, IsRefusedInOneLineBeforeAnythingRuns) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("never.db");
  const auto ab = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"ab", "--db", db};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::vector<Refusal> refusals = {
      {{"schbnch"}, 2, "schbench"},
      {{"ab", "-A", "same", "-B", "same", "--blcks", "3"}, 2, "--blocks"},
      {ab({"-A", "same", "-B", "same"}), 2, "--"},
      {ab({"-A", "same", "-B", "same", "--"}), 2, "empty"},
      {ab(with_case({"-A", "same", "-B", "same", "--blocks", "0"}, tiny_case())), 2, "--blocks 0"},
      {ab(with_case({"-A", "", "-B", "same"}, tiny_case())), 2, "empty"},
      {ab(with_case({"-A", "cpus=8000", "-B", "same"}, tiny_case())), 1, "8000"},
      {ab(with_case({"-A", "cpus=0-", "-B", "same"}, tiny_case())), 2, "CPU list"},
      {ab(with_case({"-A", "nise=5", "-B", "same"}, tiny_case())), 2, "nice="},
      {ab(with_case({"-A", "nice=5,nice=6", "-B", "same"}, tiny_case())), 2, "twice"},
      {ab(with_case({"-A", "nice=50", "-B", "same"}, tiny_case())), 2, "-20 to 19"},
      {ab(with_case({"-A", "policy=fifo:0", "-B", "same"}, tiny_case())), 2, "fifo"},
      {ab(with_case({"-A", "slice=5", "-B", "same"}, tiny_case())), 2, "unit"},
      {ab(with_case({"-A", "governor=performance", "-B", "same"}, tiny_case())),
       2,
       "not in this version"},
      {ab(with_case({"-A", "cmd:/nonexistent", "-B", "same"}, tiny_case())), 2, "/nonexistent"},
      {ab(with_case({"-A", "same", "-B", "same", "--style", "amdcv"}, tiny_case())), 2, "amd-cv"},
      {ab(with_case({"-A", "same", "-B", "same", "--delta", "0"}, tiny_case())), 2, "--delta"},
      {ab(with_case({"-A", "same", "-B", "same", "--time-limit", "0s"}, tiny_case())),
       2,
       "--time-limit"},
      {ab({"-A", "same", "-B", "same", "--", "schbench", "-t", "0"}), 2, "-t"},
      {ab({"-A", "same", "-B", "same", "--", "schbench", "-m", "99999"}), 2, "-m"},
      {ab({"-A", "same", "-B", "same", "--", "schbench", "-W", "8000"}), 2, "8000"},
      {ab({"-A", "same", "-B", "same", "--", "hackbench", "-l", "0"}), 2, "-l"},
      {ab({"-A", "same", "-B", "same", "--", "hackbench", "-g", "-1"}), 2, "-g"},
      {ab({"-A", "same", "-B", "same", "--", "hakbench"}), 2, "hackbench"},
      {ab({"-A", "cmd:/bin/true", "-B", "same", "--", "schbench", "-m", "1"}), 2, "--classic"},
  };
  for (const Refusal& refusal : refusals)
    expect_refused(refusal);
  EXPECT_NE(::access(db.c_str(), F_OK), 0) << "a refused plan must not make a database";
}

TEST(BadInput, DatabasesThatCannotBeUsedAreRefusedAndLeftAsTheyAre) {
  const testing::ScratchDirectory scratch;
  const std::string garbage = scratch.file("garbage.db");
  std::ofstream(garbage) << std::string(5000, 'x');
  for (const std::string& db : {garbage, scratch.file("missing/dir.db"), scratch.path()}) {
    expect_refused({with_case({"ab", "-A", "same", "-B", "same", "--db", db}, tiny_case()), 1, ""});
  }
  std::string kept;
  std::ifstream(garbage) >> kept;
  EXPECT_EQ(kept, std::string(5000, 'x'));
  expect_refused({{"compare", "--db", scratch.file("absent.db")}, 1, "absent.db"});
}

/// A script that stands in for a benchmark; tests may use a shell, the product does not.
std::string script(const testing::ScratchDirectory& scratch,
                   const std::string& name,
                   const std::string& body) {
  const std::string path = scratch.file(name);
  std::ofstream(path) << "#!/bin/sh\n" << body << '\n';
  ::chmod(path.c_str(), 0755);
  return path;
}

void expect_failed_run(const std::string& program,
                       const std::string& says,
                       const std::string& limit = "60s") {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  const auto done = run_schedlab(with_case({"ab",
                                            "-A",
                                            "cmd:" + program,
                                            "-B",
                                            "cmd:" + program,
                                            "--blocks",
                                            "3",
                                            "--time-limit",
                                            limit,
                                            "-q",
                                            "--db",
                                            db},
                                           tiny_case()));
  EXPECT_EQ(done.exit_code, 1) << done.err;
  EXPECT_THAT(done.err, HasSubstr(says));
  EXPECT_EQ(count_lines(done.err), 1) << done.err;
  EXPECT_EQ(run_schedlab({"db", "check", "--db", db}).exit_code, 0);
}

TEST(BadInput, AProgramThatPrintsGarbageHangsOrDiesFailsItsRun) {
  const testing::ScratchDirectory scratch;
  expect_failed_run(script(scratch, "garbage", "echo '}{ no benchmark'"),
                    "cannot read hackbench's output");
  expect_failed_run(script(scratch, "silent", "exit 0"), "cannot read hackbench's output");
  expect_failed_run(script(scratch, "failing", "echo sorry >&2; exit 3"), "3");
  expect_failed_run(script(scratch, "dying", "kill -SEGV $$"), "signal");
  expect_failed_run(script(scratch, "hanging", "sleep 600.125"), "limit", "300ms");
  EXPECT_THAT(testing::processes_with("600.125"), ::testing::IsEmpty());
}

TEST(BadInput, AFullDiskEndsTheSessionInOneLineAndKeepsWhatWasStored) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to mount a small tmpfs";
  const testing::ScratchDirectory scratch;
  const std::string disk = scratch.file("disk");
  ::mkdir(disk.c_str(), 0755);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0)
    GTEST_SKIP() << "tmpfs cannot be mounted";
  const std::string db = disk + "/a.db";
  const auto done = run_schedlab(with_case(
      {"ab", "-A", "same", "-B", "same", "--blocks", "200", "-q", "--db", db}, tiny_case()));
  EXPECT_EQ(done.exit_code, 1) << done.out;
  EXPECT_EQ(count_lines(done.err), 1) << done.err;
  EXPECT_THAT(done.err, AnyOf(HasSubstr("full"), HasSubstr("space")));
  const auto checked = run_schedlab({"db", "check", "--db", db});
  EXPECT_EQ(checked.exit_code, 0) << checked.err << checked.out;
  ::umount2(disk.c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace schedlab::e2e
