#include "control/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schedlab::control {
namespace {

using ::testing::HasSubstr;

std::map<std::string, std::string> small_machine() {
  return {{"/proc/version", "Linux version 6.18\n"},
          {"/proc/cpuinfo", "processor\t: 0\nmodel name\t: Test CPU\n"},
          {"/sys/devices/system/cpu/online", "0-1\n"},
          {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"},
          {"/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"},
          {"/sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n"}};
}

TEST(Environment, TellsAbsentFromEmpty) {
  auto files = small_machine();
  files["/proc/cmdline"] = "";
  const Environment env = capture_environment(os::FakeProcFs(files));
  EXPECT_THAT(env.text, HasSubstr("cmdline\t\n"));
  EXPECT_THAT(env.text, HasSubstr("smt\t(absent)\n"));
  EXPECT_THAT(env.text, HasSubstr("cpu.model\tTest CPU\n"));
  EXPECT_THAT(env.text, HasSubstr("mitigation.meltdown\tNot affected\n"));
}

TEST(Environment, FoldsEqualCpusAndNamesThoseThatDiffer) {
  auto files = small_machine();
  EXPECT_THAT(capture_environment(os::FakeProcFs(files)).text,
              HasSubstr("cpufreq.governor\tperformance\n"));
  files["/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"] = "powersave\n";
  EXPECT_THAT(capture_environment(os::FakeProcFs(files)).text,
              HasSubstr("cpufreq.governor\tperformance (CPUs 0), powersave (CPUs 1)\n"));
}

TEST(Environment, TheHashFollowsTheText) {
  auto files = small_machine();
  const Environment before = capture_environment(os::FakeProcFs(files));
  EXPECT_EQ(before.hash, capture_environment(os::FakeProcFs(files)).hash);
  EXPECT_EQ(before.hash.size(), 32U);
  files["/proc/cmdline"] = "mitigations=off";
  EXPECT_NE(before.hash, capture_environment(os::FakeProcFs(files)).hash);
}

TEST(Environment, AMachineOfNothingStillHasAnAnswer) {
  EXPECT_THAT(capture_environment(os::FakeProcFs({})).text, HasSubstr("cpus.online\t(absent)\n"));
}

}  // namespace
}  // namespace schedlab::control
