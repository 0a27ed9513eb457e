// Short real runs: what must hold whatever the machine does meanwhile.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <regex>

#include "core/text.h"
#include "os/affinity.h"
#include "os/unique_fd.h"
#include "workload/schbench/schbench.h"

namespace schedlab::workload {
namespace {

using testing::HasSubstr;

std::vector<std::string> arguments(std::string_view line) {
  std::vector<std::string> out;
  for (const std::string_view word : words(line))
    out.emplace_back(word);
  return out;
}

RunOutput run(std::string_view line) {
  auto output = schbench_workload().run(arguments(line));
  EXPECT_TRUE(output) << line << ": " << (output ? "" : output.error().message);
  return output ? *output : RunOutput();
}

std::int64_t counter(const RunOutput& output, std::string_view name) {
  for (const Counter& counter : output.counters) {
    if (counter.name == name) return counter.value;
  }
  ADD_FAILURE() << "no counter " << name;
  return -1;
}

const Histogram& histogram(const RunOutput& output, std::string_view name) {
  static const Histogram kNone;
  for (const NamedHistogram& named : output.histograms) {
    if (named.name == name) return named.histogram;
  }
  ADD_FAILURE() << "no histogram " << name;
  return kNone;
}

void expect_sane(const RunOutput& output) {
  EXPECT_EQ(output.workload, "schbench");
  for (const char* prefix : {"wakeup", "request"}) {
    const Metric* highest = output.find_metric(std::string(prefix) + "_max");
    if (highest == nullptr) continue;
    for (const char* row : {"_p20", "_p50", "_p90", "_p99", "_p99.9"}) {
      const Metric* metric = output.find_metric(std::string(prefix) + row);
      if (metric == nullptr) continue;
      EXPECT_LE(metric->value, highest->value) << prefix << row;
    }
  }
  // A saturated open loop may have had no worker asleep: then there is no figure, and a note.
  const Metric* p99 = output.find_metric("wakeup_p99");
  if (p99 != nullptr) {
    EXPECT_TRUE(p99->primary);
  } else {
    EXPECT_EQ(counter(output, "wake_slept"), 0);
  }
  EXPECT_TRUE(output.metrics.front().primary);
  EXPECT_EQ(counter(output, "wake_slept"),
            counter(output, "wake_same_cpu") + counter(output, "wake_same_llc") +
                counter(output, "wake_other_llc") + counter(output, "wake_unplaced"));
}

TEST(NativeRun, CountsEveryRequestAndKeepsZeros) {
  const RunOutput output = run("-r 300ms -m 2 -t 2 -n 1 -F 16 -i 100ms");
  expect_sane(output);
  EXPECT_EQ(output.mode, "native");
  const auto requests = static_cast<std::uint64_t>(counter(output, "requests"));
  EXPECT_GT(requests, 0U);
  EXPECT_EQ(histogram(output, "request").count(), requests);
  EXPECT_EQ(histogram(output, "service").count(), requests);
  EXPECT_EQ(histogram(output, "timer_wakeup").count(), requests);
  EXPECT_EQ(histogram(output, "lock_wait").count(), requests);
  EXPECT_EQ(counter(output, "wake_slept") + counter(output, "wake_not_slept"),
            counter(output, "requests"));
  EXPECT_LE(counter(output, "requests_measured"), counter(output, "requests"));
  EXPECT_GT(counter(output, "voluntary_switches"), 0);
  ASSERT_FALSE(output.series.empty());
}

TEST(NativeRun, RecordsRequestsOfNoLength) {
  const RunOutput output = run("-r 200ms -t 2 -n 0 -s 0 -L");
  expect_sane(output);
  EXPECT_EQ(histogram(output, "request").count(),
            static_cast<std::uint64_t>(counter(output, "requests")));
  EXPECT_FALSE(output.find_metric("request_p99")->primary);
  EXPECT_TRUE(output.find_metric("rps_average")->primary);
}

TEST(NativeRun, LeavesTheWarmupOut) {
  const RunOutput output = run("-r 200ms -w 300ms -t 1 -n 0 -L");
  expect_sane(output);
  EXPECT_LT(histogram(output, "request").count(),
            static_cast<std::uint64_t>(counter(output, "requests")));
}

class OpenLoopRun : public testing::TestWithParam<const char*> {};

TEST_P(OpenLoopRun, DropsNothing) {
  const RunOutput output = run(GetParam());
  expect_sane(output);
  const std::int64_t due = counter(output, "requests_due");
  EXPECT_GT(due, 0);
  EXPECT_EQ(due, counter(output, "requests_measured") + counter(output, "backlog_at_end"));
}

INSTANTIATE_TEST_SUITE_P(Modes,
                         OpenLoopRun,
                         testing::Values("-r 300ms -t 2 -n 0 -s 0 -R 500",
                                         "-r 300ms -t 2 -n 0 -s 0 -R 500 --arrivals poisson",
                                         "-r 300ms -m 2 -t 1 -n 0 -R 500 --arrivals burst",
                                         "-r 300ms -t 1 -n 3 -F 1024 -R 20000"));

TEST(OpenLoopRun, KeepsARateBelowTheMessageThreads) {
  const RunOutput output = run("-r 1200ms -m 4 -t 1 -n 0 -R 1 --arrivals burst");
  EXPECT_EQ(counter(output, "requests_due"), 2);
  EXPECT_EQ(counter(output, "rate_at_end"), 1);
}

TEST(OpenLoopRun, SaysWhenTheMachineCannotKeepUp) {
  const RunOutput output = run("-r 300ms -t 1 -n 20 -F 1024 -R 1000");
  EXPECT_GT(counter(output, "backlog_at_end"), 0);
  bool told = false;
  for (const std::string& note : output.notes)
    told |= note.starts_with("backlog: ");
  EXPECT_TRUE(told);
}

TEST(OpenLoopRun, AutoRateNeverFallsToZero) {
  const RunOutput output = run("-r 1200ms -t 1 -n 0 -A 1");
  EXPECT_GE(counter(output, "rate_at_end"), 1);
}

TEST(PipeRun, TransfersOncePerWake) {
  for (const char* line : {"-r 200ms -t 2 -p 4096", "-r 1 -t 2 -p 4096 --classic"}) {
    const RunOutput output = run(line);
    expect_sane(output);
    EXPECT_TRUE(output.find_metric("ops_per_sec")->primary);
    EXPECT_EQ(output.find_metric("request_p99"), nullptr);
    EXPECT_GT(output.find_metric("bytes_per_sec")->value, 0);
  }
}

TEST(ClassicRun, CountsEveryRequestInNanosecondsToo) {
  const RunOutput output = run("--classic -r 1 -m 1 -t 2 -n 1 -F 16");
  expect_sane(output);
  EXPECT_EQ(output.mode, "classic");
  const auto requests = static_cast<std::uint64_t>(counter(output, "requests"));
  EXPECT_EQ(histogram(output, "request").count(), requests);
  EXPECT_EQ(histogram(output, "wakeup").count(), requests);
  EXPECT_EQ(output.find_metric("wakeup_p99")->value,
            1000 * std::floor(output.find_metric("wakeup_p99")->value / 1000));
  EXPECT_EQ(output.find_metric("rps_average")->value, static_cast<double>(requests));
}

TEST(ClassicRun, BurstsAreServedToTheLastRequest) {
  const RunOutput output = run("--classic -r 1 -m 1 -t 1 -n 0 -s 0 -R 9000");
  EXPECT_EQ(counter(output, "requests") + counter(output, "backlog_at_end"),
            counter(output, "requests_due"));
  EXPECT_GT(counter(output, "requests"), static_cast<std::int64_t>(4096));
}

TEST(Era2016Run, MeasuresHerdAndQueue) {
  const RunOutput herd = run("--era 2016 -r 300ms -m 1 -t 3 -s 1000 -c 100");
  EXPECT_EQ(herd.mode, "era-2016");
  EXPECT_GT(histogram(herd, "wakeup").count(), 0U);
  const RunOutput queue = run("--era 2016 -r 300ms -m 1 -t 2 -c 100 -R 200");
  EXPECT_TRUE(queue.find_metric("rps_average")->primary);
  EXPECT_GT(counter(queue, "requests_due"), 0);
}

TEST(Placement, PinsWhereAsked) {
  const auto allowed = os::allowed_cpus();
  ASSERT_TRUE(allowed);
  if (allowed->size() < 2) GTEST_SKIP() << "needs two CPUs";
  const std::string first = std::to_string((*allowed)[0].value);
  const std::string second = std::to_string((*allowed)[1].value);
  const RunOutput same = run("-r 200ms -t 1 -n 0 -M " + first + " -W " + first);
  EXPECT_EQ(counter(same, "wake_same_cpu"), counter(same, "wake_slept"));
  const RunOutput apart = run("-r 200ms -t 1 -n 0 -M " + first + " -W " + second);
  EXPECT_EQ(counter(apart, "wake_same_cpu"), 0);
}

TEST(Check, RefusesBeforeAnythingStarts) {
  for (const char* line : {"-r 0", "-t 0", "-m 9999999", "-W 8191", "--help", "--runtme 3"}) {
    const auto forecast = schbench_workload().check(arguments(line));
    ASSERT_FALSE(forecast) << line;
    EXPECT_EQ(forecast.error().message.find('\n'), std::string::npos);
  }
  const auto forecast = schbench_workload().check(arguments("-r 10 -w 2s -t 1"));
  ASSERT_TRUE(forecast) << forecast.error().message;
  EXPECT_EQ(forecast->duration, std::chrono::seconds(12));
}

constexpr const char* kLatencyRows =
    R"((\t  50\.0th: \d+ *\(\d+ samples\)\n\t  90\.0th: \d+ *\(\d+ samples\)\n)"
    R"(\t\* 99\.0th: \d+ *\(\d+ samples\)\n\t  99\.9th: \d+ *\(\d+ samples\)\n)"
    R"(\t  min=\d+, max=\d+\n))";

std::string block_pattern() {
  const std::string rows = kLatencyRows;
  return R"(Wakeup Latencies percentiles \(usec\) runtime \d+ \(s\) \(\d+ total samples\)\n)" +
         rows +
         R"(Request Latencies percentiles \(usec\) runtime \d+ \(s\) \(\d+ total samples\)\n)" +
         rows +
         R"(RPS percentiles \(requests\) runtime \d+ \(s\) \(\d+ total samples\)\n)"
         R"(\t  20\.0th: \d+ *\(\d+ samples\)\n\t\* 50\.0th: \d+ *\(\d+ samples\)\n)"
         R"(\t  90\.0th: \d+ *\(\d+ samples\)\n\t  min=\d+, max=\d+\n)";
}

const char* const kDelay = R"(sched delay: message \d+ \(usec\) worker \d+ \(usec\)\n)";

struct DropInRun {
  const char* arguments;
  std::string pattern;
};

class DropInText : public testing::TestWithParam<DropInRun> {};

TEST_P(DropInText, MatchesTheOriginalsShape) {
  std::vector<std::string> argv = arguments(GetParam().arguments);
  argv.insert(argv.begin(), "schbench");
  testing::internal::CaptureStderr();
  const int status = schbench_workload().tool_main(argv, ToolStyle::DropIn);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::regex_match(text, std::regex(GetParam().pattern))) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Modes,
    DropInText,
    testing::Values(
        DropInRun{"-m 1 -t 1 -r 1 -n 1", block_pattern() + R"(average rps: \d+\.\d\d\n)" + kDelay},
        DropInRun{"-L -r 1 -n 0",
                  R"(setting worker threads to \d+\n)" + block_pattern() +
                      R"(average rps: \d+\.\d\d\n)" + kDelay},
        DropInRun{"-C -t 1 -r 2 -i 1",
                  block_pattern() + kDelay + R"(current rps: \d+\.\d\d\n)" + block_pattern() +
                      R"(average rps: \d+\.\d\d\n)" + kDelay},
        DropInRun{
            "-t 1 -r 1 -p 2000000",
            R"(pipe size too big, using 1048576\nWakeup Latencies percentiles \(usec\) runtime 1 )"
            R"(\(s\) \(\d+ total samples\)\n\t  20\.0th: \d+ *\(\d+ samples\)\n)" +
                std::string(kLatencyRows) +
                R"(avg worker transfer: \d+\.\d\d ops/sec \d+\.\d\d[KMGT]?B/s\n)"},
        DropInRun{"-t 1 -r 1 -n 0 -R 50", block_pattern() + R"(average rps: \d+\.\d\d\n)" + kDelay},
        DropInRun{"-t 1 -r 1 -n 0 -A 20 -M auto",
                  R"(auto pinning message and worker threads\n)"
                  R"(Pinning to message thread index 0 cpu \d+\n)" +
                      block_pattern() + R"(final rps goal was \d+\n)" + kDelay},
        DropInRun{"-t 1 -r 1 --split 30",
                  R"(split mode: 30% private \(76 KB per thread\), 70% shared \(179 KB total\)\n)"
                  R"(matrix sizes: private=56, shared=87\n)" +
                      block_pattern() + R"(average rps: \d+\.\d\d\n)" + kDelay},
        DropInRun{
            "--era 2016 -m 1 -t 1 -r 1 -s 1000 -c 100",
            R"(Latency percentiles \(usec\)\n(\t\*?\d\d\.\d{4}th: \d+\n){7}\tmin=\d+, max=\d+\n)"}));

TEST(DropInMain, AnswersBadInputInOneLineAndExitsOne) {
  for (const char* line : {"-W 8191 -t 1", "-m 999999", "-t 1 -r 1 -j /nowhere/x"}) {
    std::vector<std::string> argv = arguments(line);
    argv.insert(argv.begin(), "schbench");
    testing::internal::CaptureStderr();
    EXPECT_EQ(schbench_workload().tool_main(argv, ToolStyle::DropIn), 1) << line;
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  }
}

TEST(NativeMain, ExitsTwoOnUsageAndHelpsWithZero) {
  const auto call = [](std::string_view line) {
    std::vector<std::string> argv = arguments(line);
    argv.insert(argv.begin(), "schedlab");
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const int status = schbench_workload().tool_main(argv, ToolStyle::Native);
    return std::pair(
        status, testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr());
  };
  EXPECT_EQ(call("-t 0").first, 2);
  EXPECT_EQ(call("--help").first, 0);
  const auto [status, text] = call("-r 200ms -t 1 -n 0");
  EXPECT_EQ(status, 0);
  EXPECT_THAT(text, HasSubstr("(native mode)"));
}

TEST(NativeMain, FailsWhenItsResultCannotBeWritten) {
  std::fflush(stdout);
  const os::UniqueFd before(::dup(STDOUT_FILENO));
  const os::UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(before && full);
  testing::internal::CaptureStderr();
  ASSERT_GE(::dup2(full.get(), STDOUT_FILENO), 0);
  const int status = schbench_workload().tool_main(std::vector<std::string>{"schedlab", "--help"},
                                                   ToolStyle::Native);
  ASSERT_GE(::dup2(before.get(), STDOUT_FILENO), 0);
  std::clearerr(stdout);
  EXPECT_EQ(status, 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace schedlab::workload
