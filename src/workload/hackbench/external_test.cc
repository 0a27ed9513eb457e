#include "workload/hackbench/external.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/hackbench/hackbench.h"

namespace schedlab::workload::hackbench {
namespace {

using testing::HasSubstr;

// As rt-tests 2.4 printed it for `hackbench -g 1 -l 1000`.
constexpr std::string_view kOutput =
    "Running in process mode with 1 groups using 40 file descriptors each (== 40 tasks)\n"
    "Each sender will pass 1000 messages of 100 bytes\n"
    "Time: 0.352\n";

const Options kOptions = {.groups = 1, .loops = 1000};

std::string error_of(std::string_view output,
                     std::string_view standard_error = {},
                     const Options& options = kOptions) {
  const auto result = read_original_output(options, output, standard_error);
  return result ? "accepted" : result.error().message;
}

TEST(OriginalOutput, TimeIsReadWithItsResolution) {
  const auto output = read_original_output(kOptions, kOutput, "");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->mode, "external:hackbench");
  EXPECT_EQ(output->workload, "hackbench");
  EXPECT_EQ(output->workload_version, "external");
  const Metric* time = output->find_metric("time");
  ASSERT_NE(time, nullptr);
  EXPECT_DOUBLE_EQ(time->value, 0.352);
  EXPECT_DOUBLE_EQ(time->resolution, 1e-3);
  EXPECT_TRUE(time->primary);
  EXPECT_EQ(time->direction, Direction::LowerIsBetter);
  const Metric* nanos = output->find_metric("ns_per_message");
  ASSERT_NE(nanos, nullptr);
  EXPECT_DOUBLE_EQ(nanos->value, 880);
}

TEST(OriginalOutput, ABannerOfAnotherRunIsRefused) {
  EXPECT_THAT(error_of(kOutput, "", {.groups = 2, .loops = 1000}),
              HasSubstr("says 'Running in process mode with 1 groups"));
  EXPECT_THAT(error_of(kOutput, "", {.groups = 1, .loops = 1000, .tasks = TaskKind::Thread}),
              HasSubstr("threaded mode"));
  EXPECT_THAT(error_of(kOutput, "", {.groups = 1, .loops = 10}), HasSubstr("pass 10 messages"));
}

TEST(OriginalOutput, WhatIsNoResultIsRefused) {
  const std::string banner(kOutput.substr(0, kOutput.find("Time")));
  EXPECT_THAT(error_of(""), HasSubstr("no line 'Running"));
  EXPECT_THAT(error_of("Time: 0.352\n"), HasSubstr("no line 'Running"));
  EXPECT_THAT(error_of("\x01\x02 garbage"), HasSubstr("no line"));
  EXPECT_THAT(error_of(banner), HasSubstr("no 'Time:' line"));
  EXPECT_THAT(error_of(banner + "Time: soon\n"), HasSubstr("'Time: soon' is no time"));
  EXPECT_THAT(error_of(banner + "Time: -1.0\n"), HasSubstr("is no time"));
  EXPECT_THAT(error_of(banner + "Time: nan\n"), HasSubstr("is no time"));
  EXPECT_THAT(error_of(banner + "Time: 1.0\nTime: 2.0\n"), HasSubstr("more than one"));
  EXPECT_THAT(error_of(banner + "Time: 0.000\n"), HasSubstr("raise --loops"));
  EXPECT_THAT(error_of(banner + "No measurements available\n"), HasSubstr("No measurements"));
}

// On SIGINT the original still prints a Time, with exit status 0.
TEST(OriginalOutput, AnInterruptedRunIsRefused) {
  EXPECT_THAT(error_of(kOutput, "longjmp'ed out, reaping children\n"), HasSubstr("interrupted"));
  EXPECT_THAT(error_of("Signal 2 caught, longjmp'ing out!\n" + std::string(kOutput)),
              HasSubstr("interrupted"));
}

TEST(Hackbench, TheWorkloadReadsTheOriginalByItsOwnArguments) {
  const std::vector<std::string> arguments = {"--classic", "-g", "1", "-l", "1000"};
  const auto output = hackbench_workload().read_external(arguments, kOutput, "");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_DOUBLE_EQ(output->find_metric("time")->value, 0.352);
}

}  // namespace
}  // namespace schedlab::workload::hackbench
