// What the program prints as `hackbench`, for each kind of run that the original has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <regex>

#include "tests/e2e/program.h"

namespace schedlab::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

testing::CommandResult run_hackbench(std::vector<std::string> arguments) {
  const testing::ScratchDirectory scratch;
  const std::string link = scratch.file("hackbench");
  EXPECT_EQ(::symlink(SCHEDLAB_PROGRAM, link.c_str()), 0);
  arguments.insert(arguments.begin(), link);
  return testing::run(
      {.argv = arguments, .working_directory = scratch.path(), .extra_environment = {}});
}

/// Line by line what rt-tests 2.4 prints; "file descriptors" counts both ends.
std::regex text_of(const std::string& mode, int groups, int fds, int loops, int bytes) {
  const auto number = [](int value) { return std::to_string(value); };
  return std::regex("Running in " + mode + " mode with " + number(groups) + " groups using " +
                    number(2 * fds) + " file descriptors each \\(== " + number(2 * groups * fds) +
                    " tasks\\)\n" + "Each sender will pass " + number(loops) + " messages of " +
                    number(bytes) + " bytes\n" + "Time: [0-9]+\\.[0-9]{3}\n");
}

struct Kind {
  const char* name;
  std::vector<std::string> flags;
  const char* mode;
};

std::string name_of_kind(const ::testing::TestParamInfo<Kind>& kind) {
  return kind.param.name;
}

class HackbenchDropIn : public ::testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds,
                         HackbenchDropIn,
                         ::testing::Values(Kind{"Default", {}, "process"},
                                           Kind{"Processes", {"-P"}, "process"},
                                           Kind{"ProcessPipe", {"--process", "--pipe"}, "process"},
                                           Kind{"ProcessInet", {"-i"}, "process"},
                                           Kind{"Threads", {"-T"}, "threaded"},
                                           Kind{"ThreadPipe", {"--threads", "-p"}, "threaded"},
                                           Kind{"ThreadInet", {"-Ti"}, "threaded"}),
                         name_of_kind);

TEST_P(HackbenchDropIn, PrintsTheThreeLinesAndNothingElse) {
  auto arguments = GetParam().flags;
  const std::vector<std::string> size = {"-g", "2", "-f", "3", "-l", "10", "-s", "64"};
  arguments.insert(arguments.end(), size.begin(), size.end());
  const auto done = run_hackbench(arguments);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(std::regex_match(done.out, text_of(GetParam().mode, 2, 3, 10, 64))) << done.out;
  EXPECT_THAT(done.err, IsEmpty());
}

TEST(HackbenchDropInFifo, PrintsTheSameUnderFifo) {
  for (const char* kind : {"-P", "-T"}) {
    const auto done = run_hackbench({"-F", kind, "-g", "1", "-f", "2", "-l", "10"});
    if (done.exit_code != 0 && done.err.find("--fifo: ") != std::string::npos) {
      GTEST_SKIP() << "SCHED_FIFO is not permitted: " << done.err;
    }
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const char* const mode = std::string(kind) == "-P" ? "process" : "threaded";
    EXPECT_TRUE(std::regex_match(done.out, text_of(mode, 1, 2, 10, 100))) << done.out;
    EXPECT_THAT(done.err, IsEmpty());
  }
}

TEST(HackbenchDropInDefaults, AreTheOriginals) {
  const auto done = run_hackbench({"-l", "1"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(std::regex_match(done.out, text_of("process", 10, 20, 1, 100))) << done.out;
}

TEST(HackbenchDropInRefusals, PrintNoTime) {
  for (const char* flags : {"-pi", "--no-such", "-g0"}) {
    const auto done = run_hackbench({flags});
    EXPECT_EQ(done.exit_code, 1) << flags;
    EXPECT_THAT(done.out, HasSubstr("Usage:")) << flags;
    EXPECT_THAT(done.out, ::testing::Not(HasSubstr("Time:"))) << flags;
    EXPECT_TRUE(std::regex_match(done.err, std::regex("hackbench: [^\n]+\n"))) << done.err;
  }
}

}  // namespace
}  // namespace schedlab::e2e
