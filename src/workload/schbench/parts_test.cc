// The pieces without threads: matrices, locks, lists, queues, arrivals, rates, plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "workload/schbench/arrival_queue.h"
#include "workload/schbench/arrivals.h"
#include "workload/schbench/auto_rps.h"
#include "workload/schbench/cpu_locks.h"
#include "workload/schbench/matrix.h"
#include "workload/schbench/plan.h"
#include "workload/schbench/rate_window.h"
#include "workload/schbench/request.h"
#include "workload/schbench/wake.h"

namespace schedlab::workload::schbench {
namespace {

using testing::HasSubstr;
using Files = std::map<std::string, std::string>;

TEST(Matrix, SideFillsTheFootprint) {
  const std::map<std::uint64_t, std::uint64_t> expected{
      {64, 52}, {76, 56}, {128, 73}, {179, 87}, {256, 104}, {512, 147}, {1024, 209}, {4096, 418}};
  for (const auto& [kib, side] : expected)
    EXPECT_EQ(matrix_side(kib), side) << kib;
  EXPECT_EQ(matrix_side(0), 0U);
}

TEST(Matrix, ProductIsTheProduct) {
  const auto buffer = MatrixBuffer::make_filled(5);
  ASSERT_TRUE(buffer);
  buffer->multiply();
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < 5; ++k)
        sum += buffer->left()[i * 5 + k] * buffer->right()[k * 5 + j];
      EXPECT_EQ(buffer->product()[i * 5 + j], sum);
    }
  }
}

TEST(CpuLocks, StayInsideForSparseAndForeignCpus) {
  CpuLocks locks(CpuList({CpuId{3}, CpuId{700}, CpuId{8191}}));
  EXPECT_EQ(locks.count(), 3U);
  EXPECT_EQ(locks.index_of(CpuId{3}), 0U);
  EXPECT_EQ(locks.index_of(CpuId{700}), 1U);
  EXPECT_EQ(locks.index_of(CpuId{8191}), 2U);
  for (const std::int32_t foreign : {0, 4, 701, 9000, -1})
    EXPECT_LT(locks.index_of(CpuId{foreign}), 3U) << foreign;
  CpuLocks here(CpuList({CpuId{0}}));
  here.release(here.acquire());
}

constexpr std::int64_t kMillisecond = 1'000'000;

/// What a thread that makes one loop per millisecond shows at `time`.
Tick steady_tick(std::int64_t time) {
  return {time, static_cast<std::uint64_t>(time / kMillisecond)};
}

TEST(RateWindow, ALateMainThreadDoesNotLowerTheRate) {
  RateWindow window(std::chrono::seconds(1));
  window.start(0, steady_tick(0));
  for (std::int64_t i = 1; i <= 20; ++i) {
    EXPECT_EQ(window.due(), i * 1000 * kMillisecond) << "lateness does not add up";
    EXPECT_DOUBLE_EQ(window.close(steady_tick(window.due() + 300 * kMillisecond)), 1000);
  }
}

TEST(RateWindow, ALateStartDoesNotRaiseTheRate) {
  RateWindow window(std::chrono::seconds(1));
  window.start(0, steady_tick(400 * kMillisecond));
  EXPECT_EQ(window.due(), 1000 * kMillisecond);
  EXPECT_DOUBLE_EQ(window.close(steady_tick(window.due())), 1000);
}

TEST(RateWindow, SkipsTheBordersItSleptOver) {
  RateWindow window(std::chrono::seconds(1));
  window.start(0, steady_tick(0));
  EXPECT_DOUBLE_EQ(window.close(steady_tick(3500 * kMillisecond)), 1000);
  EXPECT_EQ(window.due(), 4000 * kMillisecond);
  EXPECT_DOUBLE_EQ(window.close(steady_tick(3600 * kMillisecond)), 1000) << "closed early";
  EXPECT_EQ(window.due(), 4000 * kMillisecond);
  EXPECT_EQ(window.close(steady_tick(3600 * kMillisecond)), 0) << "no time passed";
}

TEST(RateWindowDeathTest, RefusesAGridWithoutLength) {
  EXPECT_DEATH(RateWindow(Nanos{0}), "period_ > 0");
}

struct Node {
  Node* next = nullptr;
};

TEST(WaitList, GivesTheNewestFirstAndReversesToTheOldest) {
  WaitList<Node> list;
  Node a;
  Node b;
  list.push(a);
  list.push(b);
  Node* head = list.detach();
  EXPECT_EQ(head, &b);
  EXPECT_EQ(list.detach(), nullptr);
  head = reversed(head);
  EXPECT_EQ(head, &a);
  EXPECT_EQ(head->next, &b);
  EXPECT_EQ(b.next, nullptr);
}

TEST(Wake, ABurstOfPostsWakesOnce) {
  WakeWord word{kBlocked};
  EXPECT_TRUE(post(word));
  EXPECT_FALSE(post(word));
  EXPECT_FALSE(wait_for_post(word)) << "already posted: no sleep";
  EXPECT_EQ(word.load(), kBlocked);
}

TEST(ArrivalQueue, RefusesWhenFullAndKeepsOrder) {
  const auto queue = std::make_unique<ArrivalQueue>();
  std::int64_t sent = 0;
  while (queue->push(sent))
    ++sent;
  EXPECT_EQ(sent, static_cast<std::int64_t>(ArrivalQueue::kCapacity));
  std::int64_t due = -1;
  for (std::int64_t i = 0; i < sent; ++i) {
    ASSERT_TRUE(queue->pop(due));
    ASSERT_EQ(due, i);
  }
  EXPECT_FALSE(queue->pop(due));
  EXPECT_EQ(queue->size(), 0U);
}

std::int64_t arrivals_within(Arrivals kind, std::int64_t rate, std::int64_t seconds) {
  constexpr std::int64_t kStart = 5'000'000'000;
  ArrivalSchedule schedule(kind, 7, 0, 1, kStart);
  std::int64_t count = 0;
  std::int64_t last = kStart;
  for (;;) {
    const std::int64_t due = schedule.next(rate);
    EXPECT_GE(due, last);
    last = due;
    if (due >= kStart + seconds * 1'000'000'000) return count;
    ++count;
  }
}

TEST(ArrivalSchedule, KeepsTheRateExactlyWhereItCan) {
  for (const std::int64_t rate : {1, 3, 7, 1000, 999'983}) {
    EXPECT_EQ(arrivals_within(Arrivals::Uniform, rate, 3), 3 * rate);
    EXPECT_EQ(arrivals_within(Arrivals::Burst, rate, 3), 3 * rate);
  }
  // 30,000 expected, sigma 173.
  EXPECT_NEAR(static_cast<double>(arrivals_within(Arrivals::Poisson, 1000, 30)), 30'000, 900);
}

TEST(ArrivalSchedule, NeverRunsBackwardsWhenTheRateChanges) {
  ArrivalSchedule schedule(Arrivals::Uniform, 1, 1, 2, 0);
  std::int64_t last = 0;
  for (std::int64_t i = 1; i < 1000; ++i) {
    const std::int64_t due = schedule.next(1 + i % 17);
    EXPECT_GE(due, last);
    last = due;
  }
}

TEST(AutoRps, GrowsShrinksAndNeverSticksAtZero) {
  EXPECT_EQ(next_rate(10, 1, 50).rate, 30);     // more than threefold: 3
  EXPECT_EQ(next_rate(100, 40, 50).rate, 107);  // 1.25 -> 1 + .25 / 4, rounded up
  EXPECT_EQ(next_rate(100, 100, 50).rate, 50);
  EXPECT_EQ(next_rate(1, 100, 1).rate, 1);
  EXPECT_EQ(next_rate(0, 100, 50).rate, 1);
  EXPECT_FALSE(next_rate(10, 10, 50).target_hit);
  EXPECT_TRUE(next_rate(10, 49, 50).target_hit);
  EXPECT_TRUE(next_rate(10, 51, 50).target_hit);
}

TEST(AutoRps, ReadsHowBusyTheMachineIs) {
  const os::FakeProcFs before(Files{{"/proc/stat", "cpu  10 0 10 80 0 0 0 0 0 0\ncpu0 1\n"}});
  const os::FakeProcFs after(Files{{"/proc/stat", "cpu  35 0 10 130 25 0 0 0 0 0\n"}});
  const auto a = read_cpu_times(before);
  const auto b = read_cpu_times(after);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(busy_percent(*a, *b), 50);
  EXPECT_EQ(busy_percent(*a, *a), std::nullopt);
  EXPECT_FALSE(read_cpu_times(os::FakeProcFs(Files{{"/proc/stat", "intr 5\n"}})));
  EXPECT_FALSE(read_cpu_times(os::FakeProcFs(Files{})));
}

class MeasuredTime : public testing::Test {
 protected:
  static constexpr std::int64_t kFrom = 5'000'000'000;

  MeasuredTime() { shared_.measure_from.store(kFrom); }

  bool measured(std::int64_t start) { return in_measured_time(shared_, books_, start); }

  static Plan on_one_cpu() {
    Plan plan;
    plan.allowed = CpuList({CpuId{0}});
    return plan;
  }

  const Plan plan_ = on_one_cpu();
  Shared shared_{plan_};
  Books books_{false};
};

TEST_F(MeasuredTime, ReadsTheUsageBeforeTheBorder) {
  EXPECT_FALSE(measured(kFrom - kReadAhead.count() - 1));
  EXPECT_FALSE(books_.usage_read);
  EXPECT_FALSE(measured(kFrom - 1));
  EXPECT_TRUE(books_.usage_read);
  EXPECT_TRUE(measured(kFrom)) << "the first cycle that counts";
  EXPECT_FALSE(measured(kFrom - 1)) << "due before, served late";
}

TEST_F(MeasuredTime, LeavesOutTheCycleThatHadToReadAtTheBorder) {
  EXPECT_FALSE(measured(kFrom + 7));
  EXPECT_TRUE(books_.usage_read);
  EXPECT_TRUE(measured(kFrom + 8));
}

class PlanTest : public testing::Test {
 protected:
  PlanTest()
      : topology_(*topology::Topology::from_places({{CpuId{0}, 0, 0, 0, 0},
                                                    {CpuId{1}, 1, 0, 0, 0},
                                                    {CpuId{2}, 2, 1, 0, 0},
                                                    {CpuId{5}, 3, 1, 0, 0}})) {}

  Result<Plan> plan(const std::vector<std::string>& arguments, const char* allowed = "0-2,5") {
    const os::FakeProcFs fs(files_);
    auto options = parse_native(arguments);
    EXPECT_TRUE(options);
    return make_plan(*options, {fs, *CpuList::parse(allowed), topology_, process_limit_});
  }

  topology::Topology topology_;
  std::map<std::string, std::string> files_;
  std::uint64_t process_limit_ = UINT64_MAX;
};

TEST_F(PlanTest, CountsAllowedCpusNativelyAndOnlineOnesInClassic) {
  EXPECT_EQ(plan({"-m", "2"}, "1-2,5")->threads, 2);
  EXPECT_EQ(plan({"-m", "2", "--classic"}, "1")->threads, 2);
  EXPECT_EQ(plan({}, "1")->threads, 1);
}

TEST_F(PlanTest, AutoSpreadsMessageThreadsOverCachesAndSparesTheirCpus) {
  const auto made = plan({"-m", "2", "-M", "auto"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->message_cpus[0].to_string(), "0");
  EXPECT_EQ(made->message_cpus[1].to_string(), "2");
  EXPECT_EQ(made->worker_cpus.to_string(), "1,5");
}

TEST_F(PlanTest, ClassicAutoGivesWorkersEveryCpu) {
  const auto made = plan({"-m", "2", "-W", "auto", "--classic"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->message_cpus[1].to_string(), "1");
  EXPECT_EQ(made->worker_cpus.to_string(), "0-2,5");
}

TEST_F(PlanTest, RefusesCpusItMayNotUse) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"-M", "3"}, {"-W", "0,9"}}) {
    const auto made = plan(arguments);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("allowed: 0-2,5"));
  }
  EXPECT_FALSE(plan({"-m", "4", "-M", "auto"}));
  EXPECT_FALSE(plan({"-m", "5", "-M", "auto", "--classic"}));
  EXPECT_FALSE(plan({"-M", "auto", "-W", "1"}));
}

TEST_F(PlanTest, ClassicBindsMessageThreadsToTheWorkersListToo) {
  EXPECT_EQ(plan({"-W", "1", "--classic"})->message_cpus[0].to_string(), "1");
  EXPECT_TRUE(plan({"-W", "1"})->message_cpus[0].empty());
}

TEST_F(PlanTest, NamesTheLimitThatStandsInTheWay) {
  files_["/proc/sys/kernel/threads-max"] = "5000\n";
  EXPECT_THAT(plan({"-m", "99999"}).error().message, HasSubstr("threads-max allows 5000"));
  files_.clear();
  files_["/proc/meminfo"] = "MemTotal: 9 kB\nMemAvailable:   204800 kB\n";
  EXPECT_THAT(plan({"-t", "9999"}).error().message, HasSubstr("MemAvailable is 200 MiB"));
  files_.clear();
  files_["/proc/self/cgroup"] = "0::/a/b\n";
  files_["/sys/fs/cgroup/a/pids.max"] = "20\n";
  files_["/sys/fs/cgroup/a/b/pids.max"] = "max\n";
  EXPECT_THAT(plan({"-t", "30"}).error().message, HasSubstr("/a/pids.max allows 20"));
  EXPECT_TRUE(plan({"-t", "18"}));
  EXPECT_FALSE(plan({"-t", "19"})) << "the first thread is there too";
  files_.clear();
  process_limit_ = 10;
  EXPECT_THAT(plan({"-t", "30"}).error().message, HasSubstr("ulimit -u"));
}

TEST_F(PlanTest, CountsWhatRunsAlreadyUnderALimit) {
  files_["/proc/loadavg"] = "0.1 0.2 0.3 2/400 1234\n";
  files_["/proc/sys/kernel/threads-max"] = "500\n";
  EXPECT_TRUE(plan({"-t", "99"}));
  EXPECT_THAT(plan({"-t", "100"}).error().message, HasSubstr("allows 500 and 400 are taken"));
  files_ = {{"/proc/self/cgroup", "0::/a\n"},
            {"/sys/fs/cgroup/a/pids.max", "20\n"},
            {"/sys/fs/cgroup/a/pids.current", "10\n"}};
  EXPECT_TRUE(plan({"-t", "9"}));
  EXPECT_THAT(plan({"-t", "10"}).error().message, HasSubstr("allows 20 and 10 are taken"));
  files_ = {{"/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:pids:/a/b\n"},
            {"/sys/fs/cgroup/pids/a/pids.max", "20\n"},
            {"/sys/fs/cgroup/pids/a/pids.current", "15\n"}};
  EXPECT_TRUE(plan({"-t", "4"}));
  EXPECT_THAT(plan({"-t", "5"}).error().message, HasSubstr("/pids/a/pids.max allows 20"));
  files_ = {{"/proc/self/status", "Name:\tx\nUid:\t7\t7\t7\t7\nThreads:\t1\n"},
            {"/proc/31/status", "Name:\tx\nUid:\t7\t7\t7\t7\nThreads:\t6\n"},
            {"/proc/32/status", "Name:\ty\nUid:\t8\t8\t8\t8\nThreads:\t60\n"}};
  process_limit_ = 10;
  EXPECT_TRUE(plan({"-t", "3"}));
  EXPECT_THAT(plan({"-t", "4"}).error().message, HasSubstr("allows 10 and 6 are taken"));
}

TEST_F(PlanTest, CountsNoMemoryForMatricesThatAreNeverMade) {
  files_["/proc/meminfo"] = "MemAvailable:   204800 kB\n";
  EXPECT_FALSE(plan({"-t", "4", "-F", "1048576"}));
  EXPECT_TRUE(plan({"-t", "4", "-F", "1048576", "-n", "0"}));
  EXPECT_FALSE(plan({"-t", "4", "-F", "1048576", "--split", "0"})) << "the shared one is made";
  EXPECT_TRUE(plan({"-t", "4", "-F", "1048576", "--split", "0", "-n", "0"}));
}

TEST_F(PlanTest, SplitsFootprintAndOperations) {
  const auto made = plan({"--split", "30"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->private_kib, 76U);
  EXPECT_EQ(made->shared_kib, 179U);
  EXPECT_EQ(made->private_side, 56U);
  EXPECT_EQ(made->shared_side, 87U);
  EXPECT_EQ(made->private_operations, 1);
  EXPECT_EQ(made->shared_operations, 4);
}

}  // namespace
}  // namespace schedlab::workload::schbench
