#include "workload/schbench/external.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/schbench/schbench.h"

namespace schedlab::workload {
namespace {

using testing::HasSubstr;

constexpr const char* kInterval =
    "Wakeup Latencies percentiles (usec) runtime 1 (s) (10 total samples)\n"
    "\t  50.0th: 90         (5 samples)\n"
    "\t  90.0th: 91         (4 samples)\n"
    "\t* 99.0th: 92         (1 samples)\n"
    "\t  99.9th: 93         (0 samples)\n"
    "\t  min=1, max=95\n";

constexpr const char* kFinal =
    "Wakeup Latencies percentiles (usec) runtime 2 (s) (640 total samples)\n"
    "\t  50.0th: 4          (179 samples)\n"
    "\t  90.0th: 6          (268 samples)\n"
    "\t* 99.0th: 111        (20 samples)\n"
    "\t  99.9th: 3092       (5 samples)\n"
    "\t  min=1, max=8136\n"
    "Request Latencies percentiles (usec) runtime 2 (s) (640 total samples)\n"
    "\t  50.0th: 3044       (188 samples)\n"
    "\t  90.0th: 3572       (253 samples)\n"
    "\t* 99.0th: 4184       (57 samples)\n"
    "\t  99.9th: 9520       (5 samples)\n"
    "\t  min=2436, max=15552\n"
    "RPS percentiles (requests) runtime 2 (s) (3 total samples)\n"
    "\t  20.0th: 311        (1 samples)\n"
    "\t* 50.0th: 320        (1 samples)\n"
    "\t  90.0th: 329        (1 samples)\n"
    "\t  min=311, max=329\n"
    "average rps: 320.50\n"
    "sched delay: message 0 (usec) worker 0 (usec)\n";

constexpr const char* kPipe =
    "Wakeup Latencies percentiles (usec) runtime 2 (s) (468 total samples)\n"
    "\t  20.0th: 1          (136 samples)\n"
    "\t  50.0th: 2          (301 samples)\n"
    "\t  90.0th: 2          (0 samples)\n"
    "\t* 99.0th: 3          (28 samples)\n"
    "\t  99.9th: 16         (3 samples)\n"
    "\t  min=1, max=4136\n"
    "avg worker transfer: 234.50 ops/sec 1.50MB/s\n";

Result<RunOutput> read(const std::vector<std::string>& arguments, std::string_view text) {
  return schbench_workload().read_external(arguments, "", text);
}

double value(const RunOutput& output, std::string_view name) {
  const Metric* metric = output.find_metric(name);
  EXPECT_NE(metric, nullptr) << name;
  return metric == nullptr ? -1 : metric->value;
}

TEST(ReadExternal, TakesTheLastBlockOfEachKind) {
  const auto output = read({}, std::string("setting worker threads to 2\n") + kInterval + kFinal);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->mode, "external:schbench");
  EXPECT_EQ(value(*output, "wakeup_p99"), 111'000);
  EXPECT_EQ(value(*output, "request_p99"), 4'184'000);
  EXPECT_EQ(value(*output, "rps_p50"), 320);
  EXPECT_EQ(value(*output, "rps_average"), 320.5);
  EXPECT_EQ(value(*output, "wakeup_max"), 8'136'000);
  EXPECT_EQ(output->find_metric("wakeup_p99")->resolution, 1000);
  EXPECT_EQ(output->find_metric("request_p99")->resolution, 16'000);
  EXPECT_FALSE(output->find_metric("rps_average")->primary);
}

TEST(ReadExternal, MakesTheAveragePrimaryWithoutWork) {
  const auto output = read({"-n", "0", "-s", "0"}, kFinal);
  ASSERT_TRUE(output);
  EXPECT_TRUE(output->find_metric("rps_average")->primary);
  EXPECT_TRUE(output->find_metric("rps_p50")->primary);
  EXPECT_FALSE(output->find_metric("request_p99")->primary);
}

TEST(ReadExternal, ReadsThePipeMode) {
  const auto output = read({"-p", "4096"}, kPipe);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(value(*output, "ops_per_sec"), 234.5);
  EXPECT_EQ(value(*output, "bytes_per_sec"), 1.5 * 1024 * 1024);
  EXPECT_TRUE(output->find_metric("ops_per_sec")->primary);
  EXPECT_TRUE(output->find_metric("wakeup_p99")->primary);
}

TEST(ReadExternal, ReadsStandardOutputWhenAWrapperMergedThem) {
  EXPECT_TRUE(schbench_workload().read_external({}, kFinal, ""));
}

TEST(ReadExternal, RefusesEveryCutOffText) {
  const std::string whole = kFinal;
  const std::size_t needed = whole.find("average rps: ") + 13;
  for (std::size_t length = 0; length < needed; ++length) {
    EXPECT_FALSE(read({}, whole.substr(0, length))) << length;
  }
}

TEST(ReadExternal, RefusesGarbage) {
  for (const char* text : {"", "hello\n", "\0\xff\xfe", "Time: 3.2\n"}) {
    const auto output = read({}, text);
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().message.find('\n'), std::string::npos);
  }
  std::string garbled = kFinal;
  garbled.replace(garbled.find("3044"), 4, "30x4");
  const auto output = read({}, garbled);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("30x4"));
  EXPECT_FALSE(read({}, kPipe)) << "pipe text for a run that was none";
  EXPECT_FALSE(read({"-p", "64"}, kFinal)) << "no transfer line";
}

}  // namespace
}  // namespace schedlab::workload
