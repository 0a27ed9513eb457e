#include "cli/progress.h"

#include <gtest/gtest.h>

namespace schedlab::cli {
namespace {

using std::chrono::seconds;

TEST(TimeLeft, ComesFromTheMeanOfTheRunsSoFar) {
  EXPECT_EQ(time_left(0, 10, seconds(0)), "0/10 runs");
  EXPECT_EQ(time_left(2, 10, seconds(10)), "2/10 runs, 40s left");
  EXPECT_EQ(time_left(1, 11, seconds(10)), "1/11 runs, 1m40s left");
  EXPECT_EQ(time_left(1, 1001, seconds(9)), "1/1001 runs, 2h30m left");
}

TEST(RunLine, NamesTheRunAndItsPrimaryFigures) {
  RunRecord record;
  record.block = 1;
  record.arm = "new";
  record.case_name = "hackbench -p";
  record.output.metrics.push_back(
      {.name = "time", .value = 0.204, .unit = Unit::Seconds, .primary = true});
  record.output.metrics.push_back(
      {.name = "ns_per_message", .value = 5, .unit = Unit::Nanoseconds});
  EXPECT_EQ(run_line(record, 3, 24, 2), "run 3/24 block 2 new hackbench -p: time 204.0 ms");
}

TEST(RunLine, MarksADisturbedRun) {
  RunRecord record;
  record.end_monotonic = seconds(1);
  record.noise.foreign_cpu = seconds(1);
  EXPECT_NE(run_line(record, 1, 2, 2).find("(disturbed)"), std::string::npos);
  EXPECT_EQ(run_line(record, 1, 2, 200).find("(disturbed)"), std::string::npos);
}

TEST(RunLine, TellsWhyARunFailed) {
  RunRecord record;
  record.arm = "base";
  record.case_name = "c";
  record.outcome = Outcome::TimedOut;
  record.failure = "longer than 3s";
  EXPECT_EQ(run_line(record, 1, 2, 2), "run 1/2 block 1 base c: timed-out: longer than 3s");
}

TEST(BlockLine, TellsWhatIsDecidedAndAboutHowLongTheRestTakes) {
  compare::Ending ending;
  ending.blocks_done = 7;
  ending.rows = 4;
  ending.rows_settled = 1;
  ending.more_blocks = 14;
  ending.elapsed = seconds(70);
  EXPECT_EQ(block_line(ending, {.when = StopWhen::Clear}),
            "after block 7: 1 of 4 rows decided, about 14 more blocks, 2m20s");
  ending.more_blocks.reset();
  ending.rows_hopeless = 2;
  EXPECT_EQ(block_line(ending, {.when = StopWhen::Precision, .half_width = 0.01}),
            "after block 7: 1 of 4 rows precise enough, 2 beyond deciding within the plan");
}

}  // namespace
}  // namespace schedlab::cli
