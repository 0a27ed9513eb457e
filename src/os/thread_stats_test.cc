#include "os/thread_stats.h"

#include <gmock/gmock.h>
#include <sched.h>
#include <unistd.h>

#include <thread>

#include "os/clock.h"

namespace schedlab::os {
namespace {

using testing::HasSubstr;

using Files = std::map<std::string, std::string>;

TEST(Usage, SleepingIsAVoluntarySwitch) {
  const Usage before = read_usage(UsageOf::Thread);
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(sleep_until(monotonic_now() + std::chrono::milliseconds(1)));
  const SwitchCounts delta = read_usage(UsageOf::Thread).switches - before.switches;
  EXPECT_GE(delta.voluntary, 5);
}

TEST(Usage, AThreadDoesNotAnswerForAnother) {
  const Usage before = read_usage(UsageOf::Thread);
  const Usage process_before = read_usage(UsageOf::Process);
  std::thread([] {
    while (read_usage(UsageOf::Thread).cpu_time() < std::chrono::milliseconds(5)) {
    }
  }).join();
  EXPECT_LT(read_usage(UsageOf::Thread).cpu_time() - before.cpu_time(),
            read_usage(UsageOf::Process).cpu_time() - process_before.cpu_time());
}

TEST(SchedStat, ReadsRunDelayAndTimeslices) {
  const FakeProcFs fs(Files{{"/proc/1/task/2/schedstat", "123 456 7\n"}});
  const auto stat = read_schedstat(fs, task_directory(1, 2));
  ASSERT_TRUE(stat) << stat.error().message;
  EXPECT_EQ(*stat, (SchedStat{.on_cpu = Nanos(123), .run_delay = Nanos(456), .timeslices = 7}));
}

TEST(SchedStat, ErrorsNameTheFileAndTellUncountedFromGarbage) {
  const std::string path = "/proc/thread-self/schedstat";
  EXPECT_THAT(read_schedstat(FakeProcFs(Files{}), kThisThread).error().message, HasSubstr(path));
  for (const char* garbage : {"", "1 2", "1 2 x", "1 2 3 4", "-1 2 3"}) {
    const FakeProcFs fs(Files{{path, garbage}});
    const auto stat = read_schedstat(fs, kThisThread);
    ASSERT_FALSE(stat) << garbage;
    EXPECT_THAT(stat.error().message, HasSubstr(path));
  }
  const FakeProcFs off(Files{{path, "0 0 0\n"}});
  EXPECT_THAT(read_schedstat(off, kThisThread).error().message, HasSubstr("does not count"));
}

TEST(Migrations, AreReadFromTheSchedFileOrNotAtAll) {
  const FakeProcFs fs(
      Files{{"/t/sched",
             "cat (1, #threads: 1)\n---\n"
             "se.nr_migrations                             :                   42\n"},
            {"/u/sched", "se.nr_migrations : many\n"},
            {"/v/sched", ""}});
  EXPECT_EQ(read_migrations(fs, "/t"), 42);
  EXPECT_EQ(read_migrations(fs, "/u"), std::nullopt);
  EXPECT_EQ(read_migrations(fs, "/v"), std::nullopt);
  EXPECT_EQ(read_migrations(fs, "/absent"), std::nullopt);
}

TEST(ProcessSchedStat, SumsOverThreadsAndSkipsThoseThatEnded) {
  const FakeProcFs fs(Files{{"/proc/7/task/7/schedstat", "10 20 3\n"},
                            {"/proc/7/task/7/sched", "se.nr_migrations : 5\n"},
                            {"/proc/7/task/8/schedstat", "1 2 4\n"},
                            {"/proc/7/task/8/sched", "se.nr_migrations : 6\n"},
                            {"/proc/7/task/9/", ""}});
  const auto total = read_process_schedstat(fs, 7);
  ASSERT_TRUE(total) << total.error().message;
  EXPECT_EQ(total->sum, (SchedStat{.on_cpu = Nanos(11), .run_delay = Nanos(22), .timeslices = 7}));
  EXPECT_EQ(total->migrations, 11);
  EXPECT_EQ(total->threads, 2);
}

TEST(ProcessSchedStat, OneThreadWithoutMigrationsLeavesNone) {
  const FakeProcFs fs(Files{{"/proc/7/task/7/schedstat", "10 20 3\n"},
                            {"/proc/7/task/7/sched", "se.nr_migrations : 5\n"},
                            {"/proc/7/task/8/schedstat", "1 2 4\n"}});
  EXPECT_EQ(read_process_schedstat(fs, 7)->migrations, std::nullopt);
  EXPECT_FALSE(read_process_schedstat(fs, 8));
}

TEST(ProcessSchedStat, ReadsThisProcess) {
  const RealProcFs fs;
  if (!read_schedstat(fs, kThisThread)) GTEST_SKIP() << "this kernel does not count run delay";
  const auto total = read_process_schedstat(fs, ::getpid());
  ASSERT_TRUE(total) << total.error().message;
  EXPECT_GE(total->threads, 1);
  EXPECT_GE(total->sum.timeslices, 1);
}

}  // namespace
}  // namespace schedlab::os
