#include "workload/hackbench/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schedlab::workload::hackbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

Limits roomy() {
  Limits limits;
  limits.resources.descriptors_soft = 1024;
  limits.resources.descriptors_hard = 1024;
  limits.open_descriptors = 3;
  limits.pid_max = 4'194'304;
  limits.threads_max = 1'000'000;
  limits.system_tasks = 500;
  limits.memory_available = 64 * kGiB;
  limits.pipe_pages_soft = 16'384;
  limits.local_ports = 28'232;
  return limits;
}

std::string refusal(const Options& options, const Limits& limits) {
  const auto result = preflight(options, limits);
  if (result) return "accepted";
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
  return result.error().message;
}

TEST(Preflight, TheDefaultRunPassesWithoutANote) {
  const auto result = preflight({}, roomy());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->raise_descriptor_limit);
  EXPECT_THAT(result->notes, IsEmpty());
}

// With `ulimit -n 1024` the original runs 25 groups of threads and fails at 26.
TEST(Preflight, ThreadsShareOneTableOfDescriptors) {
  EXPECT_TRUE(preflight({.groups = 25, .tasks = TaskKind::Thread}, roomy()));
  const std::string message = refusal({.groups = 26, .tasks = TaskKind::Thread}, roomy());
  EXPECT_THAT(message, HasSubstr("needs 1047 in one process"));
  EXPECT_THAT(message, HasSubstr("RLIMIT_NOFILE allows 1024 (soft) and 1024 (hard)"));
  EXPECT_THAT(message, HasSubstr("ulimit -n 1047"));
}

// With `ulimit -n 1024` the original fails at -f 1016 and leaves 1,014 processes behind.
TEST(Preflight, ProcessesHoldOneGroupAtATime) {
  EXPECT_TRUE(preflight({.groups = 60}, roomy()));
  EXPECT_TRUE(preflight({.groups = 1, .fds = 1016}, roomy()));
  EXPECT_THAT(refusal({.groups = 1, .fds = 1017}, roomy()), HasSubstr("needs 1025"));
  EXPECT_THAT(refusal({.groups = 1, .fds = 1016, .ipc = Ipc::Inet}, roomy()),
              HasSubstr("needs 1025"));
}

TEST(Preflight, TheSoftDescriptorLimitIsRaisedWhereTheHardOneSuffices) {
  Limits limits = roomy();
  limits.resources.descriptors_hard = 4096;
  const auto result = preflight({.groups = 26, .tasks = TaskKind::Thread}, limits);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->raise_descriptor_limit);
  EXPECT_THAT(result->notes, ElementsAre(HasSubstr("soft limit of 1024 was raised")));
}

TEST(Preflight, ThreadsNeedMappingsInOneProcess) {
  Limits limits = roomy();
  limits.max_map_count = 1230;
  limits.mappings = 31;
  const Options threads = {.tasks = TaskKind::Thread};
  EXPECT_THAT(refusal(threads, limits),
              HasSubstr("needs 1231 in one process, vm.max_map_count allows 1230"));
  EXPECT_TRUE(preflight({}, limits));
  limits.mappings = 30;
  EXPECT_TRUE(preflight(threads, limits));
}

TEST(Preflight, RlimitNprocBindsTheUnprivilegedOnly) {
  Limits limits = roomy();
  limits.resources.user_tasks = 450;
  limits.user_tasks = 51;
  const std::string message = refusal({}, limits);
  EXPECT_THAT(message, HasSubstr("needs 400, RLIMIT_NPROC allows 450 and 51 are taken"));
  EXPECT_THAT(message, HasSubstr("ulimit -u` to 451"));
  limits.user_tasks = 50;
  EXPECT_TRUE(preflight({}, limits));
  limits.user_tasks = 51;
  limits.privileged_resources = true;
  EXPECT_TRUE(preflight({}, limits));
}

TEST(Preflight, PidMaxThreadsMaxAndPidsMaxAreNamed) {
  Limits limits = roomy();
  limits.pid_max = 1199;
  EXPECT_THAT(refusal({}, limits), HasSubstr("kernel.pid_max allows 1199 and 800 are taken"));
  limits.pid_max = 1200;
  EXPECT_TRUE(preflight({}, limits));

  limits = roomy();
  limits.threads_max = 899;
  EXPECT_THAT(refusal({}, limits), HasSubstr("kernel.threads-max allows 899"));

  limits = roomy();
  limits.cgroup_pids = {{"/sys/fs/cgroup/pids.max", 10'000, 5},
                        {"/sys/fs/cgroup/a/pids.max", 404, 5}};
  EXPECT_THAT(refusal({}, limits),
              HasSubstr("/sys/fs/cgroup/a/pids.max allows 404 and 5 are taken"));
  limits.cgroup_pids[1].max = 405;
  EXPECT_TRUE(preflight({}, limits));
}

TEST(Preflight, MemoryThatDoesNotSufficeIsNamed) {
  Limits limits = roomy();
  limits.memory_available = kGiB;
  // 200 receivers and 200 senders with 10 MB each.
  EXPECT_THAT(refusal({.datasize = 10'000'000}, limits), HasSubstr("GiB, MemAvailable is 1.0 GiB"));
  limits = roomy();
  limits.cgroup_memory = {{"/sys/fs/cgroup/a/memory.max", 16 << 20, 0}};
  EXPECT_THAT(refusal({}, limits), HasSubstr("/sys/fs/cgroup/a/memory.max is 16 MiB"));
}

TEST(Preflight, TcpPortsRunOut) {
  Limits limits = roomy();
  limits.local_ports = 200;
  EXPECT_THAT(refusal({.ipc = Ipc::Inet}, limits), HasSubstr("ip_local_port_range holds 200"));
  EXPECT_TRUE(preflight({}, limits));
}

TEST(Preflight, FifoNeedsTheRightToIt) {
  EXPECT_THAT(refusal({.fifo = true}, roomy()), HasSubstr("CAP_SYS_NICE"));
  Limits limits = roomy();
  limits.may_set_realtime = true;
  EXPECT_TRUE(preflight({.fifo = true}, limits));
}

// 16,384 pages are 1,024 pipes; two are the ready and the wake channel.
TEST(Preflight, ShrunkPipesAreNoted) {
  const Options fits = {.groups = 51, .ipc = Ipc::Pipe};
  const Options shrinks = {.groups = 52, .ipc = Ipc::Pipe};
  EXPECT_THAT(preflight(fits, roomy())->notes, IsEmpty());
  EXPECT_THAT(preflight(shrinks, roomy())->notes,
              ElementsAre(HasSubstr("fs.pipe-user-pages-soft is 16384")));
  Limits limits = roomy();
  limits.privileged_resources = true;
  EXPECT_THAT(preflight(shrinks, limits)->notes, IsEmpty());
  EXPECT_THAT(preflight({.groups = 52}, roomy())->notes, IsEmpty());
}

os::FakeProcFs machine() {
  return os::FakeProcFs({
      {"/proc/self/fd/0", ""},
      {"/proc/self/fd/1", ""},
      {"/proc/self/fd/2", ""},
      {"/proc/self/fd/5", ""},
      {"/proc/self/status",
       "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nThreads:\t1\nCapEff:\t0000000000800000\n"},
      {"/proc/12/status", "Name:\ta\nUid:\t1000\t0\t0\t0\nThreads:\t7\n"},
      {"/proc/13/status", "Name:\tb\nUid:\t0\t0\t0\t0\nThreads:\t99\n"},
      {"/proc/loadavg", "0.00 0.01 0.05 1/234 5678\n"},
      {"/proc/meminfo", "MemTotal: 100 kB\nMemAvailable:    2048 kB\n"},
      {"/proc/sys/kernel/pid_max", "32768\n"},
      {"/proc/sys/kernel/threads-max", "60000\n"},
      {"/proc/sys/vm/max_map_count", "65530\n"},
      {"/proc/self/maps", "00400000-00452000 r-xp\n00651000-00652000 r--p\n"},
      {"/proc/sys/fs/pipe-user-pages-soft", "16384\n"},
      {"/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n"},
      {"/proc/self/cgroup", "9:cpu,pids:/box\n1:name=systemd:/box\n0::/user.slice/me\n"},
      {"/sys/fs/cgroup/pids/box/pids.max", "300\n"},
      {"/sys/fs/cgroup/pids/box/pids.current", "12\n"},
      {"/sys/fs/cgroup/user.slice/pids.max", "500\n"},
      {"/sys/fs/cgroup/user.slice/pids.current", "40\n"},
      {"/sys/fs/cgroup/user.slice/me/pids.max", "max\n"},
      {"/sys/fs/cgroup/user.slice/me/memory.max", "1048576\n"},
      {"/sys/fs/cgroup/user.slice/me/memory.current", "4096\n"},
  });
}

TEST(ReadLimits, FindsWhatProcAndSysSay) {
  ResourceLimits resources;
  resources.user_tasks = 4096;
  const Limits limits = read_limits(machine(), resources);
  EXPECT_EQ(limits.open_descriptors, 3);
  EXPECT_FALSE(limits.privileged_resources);
  EXPECT_TRUE(limits.may_set_realtime);
  EXPECT_EQ(limits.user_tasks, 7);
  EXPECT_EQ(limits.system_tasks, 234);
  EXPECT_EQ(limits.pid_max, 32'768);
  EXPECT_EQ(limits.threads_max, 60'000);
  EXPECT_EQ(limits.max_map_count, 65'530);
  EXPECT_EQ(limits.mappings, 2);
  EXPECT_EQ(limits.memory_available, 2 << 20);
  EXPECT_EQ(limits.pipe_pages_soft, 16'384);
  EXPECT_EQ(limits.local_ports, 28'232);
  EXPECT_THAT(limits.cgroup_pids,
              ElementsAre(CgroupLimit{"/sys/fs/cgroup/pids/box/pids.max", 300, 12},
                          CgroupLimit{"/sys/fs/cgroup/user.slice/pids.max", 500, 40}));
  EXPECT_THAT(limits.cgroup_memory,
              ElementsAre(CgroupLimit{"/sys/fs/cgroup/user.slice/me/memory.max", 1 << 20, 4096}));
}

TEST(ReadLimits, WhatCannotBeReadIsAbsent) {
  const Limits limits = read_limits(os::FakeProcFs({}), {});
  EXPECT_FALSE(limits.pid_max || limits.memory_available || limits.system_tasks);
  EXPECT_THAT(limits.cgroup_pids, IsEmpty());
  EXPECT_TRUE(preflight({}, limits));
}

TEST(ReadLimits, GarbageIsAbsent) {
  const Limits limits = read_limits(os::FakeProcFs({{"/proc/sys/kernel/pid_max", "many\n"},
                                                    {"/proc/loadavg", "1 2 3\n"},
                                                    {"/proc/meminfo", "MemAvailable:\n"},
                                                    {"/proc/self/cgroup", "nonsense\n::\n"},
                                                    {"/proc/self/status", "CapEff:\tzz\n"}}),
                                    {});
  EXPECT_FALSE(limits.pid_max || limits.memory_available || limits.system_tasks);
  EXPECT_FALSE(limits.privileged_resources);
}

TEST(ReadLimits, TheRealMachineCanRunTheSmallestRun) {
  const os::RealProcFs files;
  const auto result =
      preflight({.groups = 1, .fds = 1}, read_limits(files, current_resource_limits()));
  EXPECT_TRUE(result) << result.error().message;
}

}  // namespace
}  // namespace schedlab::workload::hackbench
