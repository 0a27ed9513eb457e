#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <regex>

#include "tests/e2e/program.h"

namespace schedlab::e2e {
namespace {

/// Runs the program under another name, as `ln -s schedlab NAME` does.
testing::CommandResult run_as(const std::string& name, const std::vector<std::string>& arguments) {
  const testing::ScratchDirectory scratch;
  const std::string link = scratch.file(name);
  EXPECT_EQ(::symlink(SCHEDLAB_PROGRAM, link.c_str()), 0);
  testing::Command command{
      .argv = {link}, .working_directory = scratch.path(), .extra_environment = {}};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return testing::run(command);
}

TEST(DropIn, HackbenchPrintsItsBannerAndTimeOnStdout) {
  const auto done = run_as("hackbench", {"-g", "1", "-f", "3", "-l", "10", "-T"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const std::regex text(
      "Running in threaded mode with 1 groups using 6 file descriptors each \\(== 6 tasks\\)\n"
      "Each sender will pass 10 messages of 100 bytes\n"
      "Time: [0-9]+\\.[0-9]{3}\n");
  EXPECT_TRUE(std::regex_match(done.out, text)) << done.out;
}

TEST(DropIn, SchbenchPrintsItsReportOnStderrAndNothingOnStdout) {
  const auto done = run_as("schbench", {"-m", "1", "-t", "1", "-r", "2", "-n", "0"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "");
  const std::string rows =
      "(\t(  |\\* )[0-9.]+th: [0-9]+ *\\([0-9]+ samples\\)\n)+\t  min=[0-9]+, max=[0-9]+\n";
  const std::regex text(
      "Wakeup Latencies percentiles \\(usec\\) runtime 2 \\(s\\) \\([0-9]+ total samples\\)\n" +
      rows +
      "Request Latencies percentiles \\(usec\\) runtime 2 \\(s\\) \\([0-9]+ total samples\\)\n" +
      rows + "RPS percentiles \\(requests\\) runtime 2 \\(s\\) \\([0-9]+ total samples\\)\n" +
      rows +
      "(sched delay: message [0-9]+ \\(usec\\) worker [0-9]+ \\(usec\\)\n)?"
      "(current rps: [0-9.]+\n)?"
      "average rps: [0-9]+\\.[0-9]{2}\n"
      "(sched delay: message [0-9]+ \\(usec\\) worker [0-9]+ \\(usec\\)\n)?");
  EXPECT_TRUE(std::regex_match(done.err, text)) << done.err;
}

TEST(DropIn, AnUnknownOptionExitsWithOne) {
  EXPECT_EQ(run_as("schbench", {"--no-such"}).exit_code, 1);
  EXPECT_NE(run_as("hackbench", {"--no-such"}).exit_code, 0);
}

}  // namespace
}  // namespace schedlab::e2e
