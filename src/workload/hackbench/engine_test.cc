#include "workload/hackbench/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>     // adopt what a run leaves
#include <sys/resource.h>  // make set-ups fail
#include <sys/wait.h>      // look for children
#include <unistd.h>        // fork, setuid

#include <array>
#include <cerrno>
#include <functional>

#include "os/procfs.h"
#include "workload/hackbench/channel.h"
#include "workload/hackbench/limits.h"
#include "workload/hackbench/stamp.h"

namespace schedlab::workload::hackbench {
namespace {

using testing::HasSubstr;

std::size_t open_descriptors() {
  return os::RealProcFs().list("/proc/self/fd")->size();
}

bool has_children() {
  return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

/// Runs `body` in a forked process that also inherits what its descendants leave; the status it
/// returns, or 99 when a descendant outlived it.
int in_process(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const int status = body();
    ::_exit(has_children() ? 99 : status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The smallest limit that leaves room for `more` descriptors.
void limit_descriptors(rlim_t more) {
  const auto open = static_cast<rlim_t>(open_descriptors()) - 1;
  const rlimit limit = {open + more, open + more};
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Options tiny(TaskKind tasks, Ipc ipc) {
  return {.groups = 2, .fds = 2, .loops = 5, .datasize = 100, .ipc = ipc, .tasks = tasks};
}

class EveryVariant : public testing::TestWithParam<std::tuple<TaskKind, Ipc>> {
 protected:
  [[nodiscard]] static Options options() {
    return tiny(std::get<0>(GetParam()), std::get<1>(GetParam()));
  }
};

std::string name_of_variant(const testing::TestParamInfo<EveryVariant::ParamType>& info) {
  const auto [tasks, ipc] = info.param;
  const std::array<const char*, 3> ipcs = {"Socket", "Pipe", "Inet"};
  return std::string(tasks == TaskKind::Process ? "Process" : "Thread") +
         ipcs.at(static_cast<std::size_t>(ipc));
}

INSTANTIATE_TEST_SUITE_P(Engine,
                         EveryVariant,
                         testing::Combine(testing::Values(TaskKind::Process, TaskKind::Thread),
                                          testing::Values(Ipc::Socket, Ipc::Pipe, Ipc::Inet)),
                         name_of_variant);

TEST_P(EveryVariant, PassesEveryMessageAndLeavesNothing) {
  const std::size_t descriptors = open_descriptors();
  const auto measurement = measure(options());
  ASSERT_TRUE(measurement) << measurement.error().message;
  EXPECT_EQ(measurement->messages, 2 * 2 * 2 * 5);
  EXPECT_EQ(measurement->group_times.size(), 2U);
  EXPECT_GT(measurement->time.count(), 0);
  EXPECT_GT(measurement->setup_time.count(), 0);
  ASSERT_TRUE(measurement->message_time);
  EXPECT_LE(*measurement->message_time, measurement->time);
  for (const Nanos time : measurement->group_times) {
    EXPECT_GT(time.count(), 0);
    EXPECT_LE(time, *measurement->message_time);
  }
  // Below zero when a switch was taken off that was never counted.
  EXPECT_GE(measurement->voluntary_switches, 0);
  EXPECT_GE(measurement->involuntary_switches, 0);
  EXPECT_FALSE(has_children());
  EXPECT_EQ(open_descriptors(), descriptors);
}

TEST_P(EveryVariant, LatencyCountsEveryMessage) {
  Options latency = options();
  latency.latency = true;
  const auto measurement = measure(latency);
  ASSERT_TRUE(measurement) << measurement.error().message;
  ASSERT_TRUE(measurement->message_latency);
  EXPECT_EQ(measurement->message_latency->count(), 40U);
  EXPECT_EQ(measurement->unstamped, 0);
  EXPECT_GT(measurement->message_latency->max(), 0U);
  EXPECT_LE(measurement->message_latency->max(),
            static_cast<std::uint64_t>(measurement->time.count()));
}

TEST_P(EveryVariant, ClassicTakesNothingButTime) {
  Options classic = options();
  classic.classic = true;
  const auto measurement = measure(classic);
  ASSERT_TRUE(measurement) << measurement.error().message;
  EXPECT_EQ(measurement->messages, 40);
  EXPECT_FALSE(measurement->message_time || measurement->migrations);
  EXPECT_TRUE(measurement->group_times.empty());
}

// The original's threads overflow their stack from about 12,000 bytes on, its processes from 9 MB.
TEST(Engine, LargeMessagesPass) {
  const Options threads = {
      .groups = 1, .fds = 2, .loops = 3, .datasize = 20'000, .tasks = TaskKind::Thread};
  const auto by_threads = measure(threads);
  ASSERT_TRUE(by_threads) << by_threads.error().message;
  EXPECT_EQ(by_threads->messages, 12);
  const Options processes = {.groups = 1, .fds = 1, .loops = 2, .datasize = 10'000'000};
  const auto by_processes = measure(processes);
  ASSERT_TRUE(by_processes) << by_processes.error().message;
  EXPECT_EQ(by_processes->messages, 2);
}

TEST(Engine, FullChannelsBlockAndGoOn) {
  for (const Ipc ipc : {Ipc::Socket, Ipc::Pipe}) {
    const auto measurement =
        measure({.groups = 1, .fds = 3, .loops = 200, .datasize = 5000, .ipc = ipc});
    ASSERT_TRUE(measurement) << measurement.error().message;
    EXPECT_EQ(measurement->messages, 1800);
  }
}

// More ready bytes than the ready channel holds: tasks must wait for the parent to read.
TEST(Engine, ManyTasksBecomeReady) {
  const auto measurement = measure({.groups = 12, .fds = 13, .loops = 1});
  ASSERT_TRUE(measurement) << measurement.error().message;
  EXPECT_EQ(measurement->messages, 12 * 13 * 13);
}

TEST(Engine, MainThreadReturnsFromFifo) {
  const os::RealProcFs files;
  if (!read_limits(files, current_resource_limits()).may_set_realtime) {
    GTEST_SKIP() << "needs CAP_SYS_NICE";
  }
  const auto measurement = measure({.groups = 1, .fds = 1, .loops = 2, .fifo = true});
  if (!measurement) GTEST_SKIP() << measurement.error().message;
  EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
}

TEST(Engine, AFailingSetUpLeavesNoProcess) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "UBSan opens a pipe to look at an object's type, and no descriptor is left";
#endif
  const int status = in_process([] {
    limit_descriptors(9);  // ready, wake, two channels and a half
    const auto measurement = measure({.groups = 1, .fds = 50, .loops = 5});
    if (measurement) return 1;
    return measurement.error().message.find("Too many open files") == std::string::npos ? 2 : 0;
  });
  EXPECT_EQ(status, 0);
}

TEST(Engine, AFailingSetUpStopsItsThreads) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "UBSan opens a pipe to look at an object's type, and no descriptor is left";
#endif
  const int status = in_process([] {
    limit_descriptors(11);
    const auto measurement =
        measure({.groups = 1, .fds = 50, .loops = 5, .tasks = TaskKind::Thread});
    if (measurement) return 1;
    const auto threads = os::RealProcFs().read("/proc/self/status");
    if (threads->find("Threads:\t1\n") == std::string::npos) {
#if !defined(__SANITIZE_THREAD__)  // which keeps a thread of its own
      return 2;
#endif
    }
    return measurement.error().message.find("Too many open files") == std::string::npos ? 3 : 0;
  });
  EXPECT_EQ(status, 0);
}

TEST(Engine, AFailingForkLeavesNoProcess) {
  const int status = in_process([] {
    constexpr uid_t kNobody = 65'534;
    if (::getuid() == 0 && ::setuid(kNobody) != 0) return 1;  // the limit does not bind root
    const rlimit limit = {3, 3};
    ::setrlimit(RLIMIT_NPROC, &limit);
    const auto measurement = measure({.groups = 1, .fds = 50, .loops = 5});
    if (measurement) return 2;
    return measurement.error().message.find("cannot fork task") == std::string::npos ? 3 : 0;
  });
  EXPECT_EQ(status, 0);
}

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // they need their address space

/// Leaves room for `more` bytes of address space.
void limit_memory(rlim_t more) {
  const auto pages = os::RealProcFs().read("/proc/self/statm");
  const auto used =
      static_cast<rlim_t>(std::stoull(*pages)) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  const rlimit limit = {used + more, used + more};
  ::setrlimit(RLIMIT_AS, &limit);
}

TEST(Engine, AFailingThreadCreationStopsTheOthers) {
  const int status = in_process([] {
    limit_memory(rlim_t{1} << 20);  // about ten stacks
    const auto measurement =
        measure({.groups = 1, .fds = 50, .loops = 5, .tasks = TaskKind::Thread});
    if (measurement) return 1;
    if (os::RealProcFs().list("/proc/self/task")->size() != 1) return 2;
    return measurement.error().message.find("cannot create thread") == std::string::npos ? 3 : 0;
  });
  EXPECT_EQ(status, 0);
}

// The original waits for ever for the ready byte of a task that cannot make ready.
TEST(Engine, ATaskWithoutMemoryForItsMessageEndsTheRun) {
  for (const TaskKind tasks : {TaskKind::Process, TaskKind::Thread}) {
    const int status = in_process([tasks] {
      limit_memory(rlim_t{64} << 20);
      const auto measurement =
          measure({.groups = 1, .fds = 2, .loops = 1, .datasize = 1 << 30, .tasks = tasks});
      if (measurement) return 1;
      if (measurement.error().message.find("no memory for its message") == std::string::npos) {
        return 2;
      }
      return os::RealProcFs().list("/proc/self/task")->size() == 1 ? 0 : 3;
    });
    EXPECT_EQ(status, 0);
  }
}

#endif

TEST(Channel, CarriesBytesOneWay) {
  for (const Ipc ipc : {Ipc::Socket, Ipc::Pipe, Ipc::Inet}) {
    auto channel = make_channel(ipc);
    ASSERT_TRUE(channel) << channel.error().message;
    ASSERT_EQ(::write(channel->write_end.get(), "xyz", 3), 3);
    char text[4] = {};
    ASSERT_EQ(::read(channel->read_end.get(), text, 3), 3);
    EXPECT_STREQ(text, "xyz");
    channel->write_end.reset();
    EXPECT_EQ(::read(channel->read_end.get(), text, 1), 0);
  }
}

TEST(Stamp, IsReadBack) {
  char message[8];
  for (const std::uint64_t elapsed :
       {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 48) - 1}) {
    write_stamp(message, elapsed);
    EXPECT_EQ(read_stamp(message, elapsed), elapsed);
  }
}

TEST(Stamp, OtherBytesAreNone) {
  EXPECT_EQ(read_stamp("--------", ~std::uint64_t{0}), std::nullopt);
  char message[16];
  std::memset(message, '-', sizeof message);
  write_stamp(message + 4, 123'456'789);
  EXPECT_EQ(read_stamp(message, ~std::uint64_t{0}), std::nullopt);
  EXPECT_EQ(read_stamp(message + 4, 123'456'788), std::nullopt);  // from the future
}

}  // namespace
}  // namespace schedlab::workload::hackbench
