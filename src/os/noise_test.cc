#include "os/noise.h"

#include <gmock/gmock.h>

namespace schedlab::os {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

using Files = std::map<std::string, std::string>;

Files quiet_machine() {
  return {{"/proc/stat",
           "cpu  100 10 50 9000 5 3 2 20 7 0\ncpu0 100 10 50 9000 5 3 2 20 7 0\n"
           "intr 12345 1 2 3\nctxt 5\n"}};
}

TEST(Noise, BusyIsAllButIdleIowaitAndSteal) {
  const auto sample = read_noise(FakeProcFs(quiet_machine()));
  ASSERT_TRUE(sample) << sample.error().message;
  EXPECT_EQ(sample->busy, 1650ms) << "165 ticks of 10 ms";
  EXPECT_EQ(sample->steal, 200ms);
  EXPECT_EQ(sample->interrupts, 12345);
  EXPECT_EQ(sample->throttle_events, std::nullopt);
}

TEST(Noise, ThrottleCountsAreSummedOverCpus) {
  Files files = quiet_machine();
  files["/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"] = "3\n";
  files["/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count"] = "1\n";
  files["/sys/devices/system/cpu/cpu12/thermal_throttle/core_throttle_count"] = "4\n";
  files["/sys/devices/system/cpu/cpufreq/policy0"] = "";
  EXPECT_EQ(read_noise(FakeProcFs(files))->throttle_events, 8);
}

TEST(Noise, GarbageIsAnErrorThatNamesTheFile) {
  EXPECT_THAT(read_noise(FakeProcFs(Files{})).error().message, HasSubstr("/proc/stat"));
  for (const char* stat : {"",
                           "cpu 1 2 3\nintr 5\n",
                           "cpu 1 2 x 4 5 6 7 8\nintr 5\n",
                           "cpu 1 2 3 4 5 6 7 8\n",
                           "cpu 1 2 3 4 5 6 7 8\nintr many\n"}) {
    const auto sample = read_noise(FakeProcFs(Files{{"/proc/stat", stat}}));
    ASSERT_FALSE(sample) << stat;
    EXPECT_THAT(sample.error().message, HasSubstr("/proc/stat"));
  }
  Files files = quiet_machine();
  const std::string count = "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count";
  files[count] = "hot\n";
  EXPECT_THAT(read_noise(FakeProcFs(files)).error().message, HasSubstr(count));
}

TEST(Noise, ForeignTimeIsWhatTheRunAndTheRunnerDidNotUse) {
  const NoiseSample before{
      .busy = 10s, .steal = 1s, .own_cpu = 2s, .interrupts = 100, .throttle_events = 5};
  const NoiseSample after{
      .busy = 15s, .steal = 1500ms, .own_cpu = 2100ms, .interrupts = 170, .throttle_events = 6};
  const NoiseDeltas deltas = between(before, after, 4s);
  EXPECT_EQ(deltas.foreign_cpu, 900ms);
  EXPECT_EQ(deltas.steal, 500ms);
  EXPECT_EQ(deltas.interrupts, 70);
  EXPECT_EQ(deltas.throttle_events, 1);
}

TEST(Noise, NothingIsEverNegative) {
  const NoiseSample before{.busy = 10s, .steal = 1s, .interrupts = 10, .throttle_events = 5};
  const NoiseSample after{.busy = 11s, .steal = 0s, .interrupts = 5, .throttle_events = 4};
  const NoiseDeltas deltas = between(before, after, 1100ms);
  EXPECT_EQ(deltas.foreign_cpu, 0s) << "ticks are coarser than the run's own accounting";
  EXPECT_EQ(deltas.steal, 0s);
  EXPECT_EQ(deltas.interrupts, 0);
  EXPECT_EQ(deltas.throttle_events, 0);
}

TEST(Noise, UnknownThrottleCountsStayUnknown) {
  EXPECT_EQ(between(NoiseSample{}, NoiseSample{}, 0s).throttle_events, std::nullopt);
}

TEST(Noise, ReadsTheMachineItRunsOn) {
  const auto sample = read_noise(RealProcFs());
  ASSERT_TRUE(sample) << sample.error().message;
  EXPECT_GT(sample->busy, 0s);
}

}  // namespace
}  // namespace schedlab::os
