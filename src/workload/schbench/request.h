// One request and its bookkeeping, shared by the closed and the open loop. Hot: everything inlines
// into the loops, which are compiled once per Flavour.
#pragma once

#include <ctime>  // hot file: the original sleeps by a relative clock_nanosleep
#include <utility>

#include "os/affinity.h"
#include "os/clock.h"
#include "workload/schbench/threads.h"

namespace schedlab::workload::schbench {

struct Flavour {
  bool classic = false;
  bool pipe = false;
};

inline std::int64_t now_ns() {
  return os::monotonic_now().count();
}

/// As usleep does it: relative, with the default timer slack.
inline void sleep_for(Nanos time) {
  constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
  const timespec pause{.tv_sec = time.count() / kNanosPerSecond,
                       .tv_nsec = time.count() % kNanosPerSecond};
  ::clock_nanosleep(CLOCK_REALTIME, 0, &pause, nullptr);
}

/// How a worker came to run: filled after its wait.
struct Wake {
  bool slept = false;
  std::int64_t stamp = 0;        // just before this worker was posted (classic: before the batch)
  std::int64_t batch_stamp = 0;  // before the batch
  std::int64_t woke = 0;
};

struct Request {
  std::int64_t begin = 0;
  std::int64_t slept = 0;   // after the sleep; begin when there is none (native only)
  std::int64_t locked = 0;  // after the lock; slept when there is none (native only)
  std::int64_t end = 0;
};

inline void multiply_matrices(const Shared& shared, const Worker& self) {
  const Plan& plan = shared.plan;
  for (std::int64_t i = 0; i < plan.private_operations; ++i)
    self.matrices.multiply();
  for (std::int64_t i = 0; i < plan.shared_operations; ++i)
    shared.shared_matrices.multiply();
}

template <Flavour F>
Request serve_request(Shared& shared, Worker& self) {
  const Options& options = shared.plan.options;
  Request request;
  request.begin = request.slept = now_ns();
  if (options.sleep > Nanos{0}) {
    sleep_for(options.sleep);
    if constexpr (!F.classic) request.slept = now_ns();
  }
  if (options.calibrate) request.begin = F.classic ? now_ns() : request.slept;
  request.locked = request.slept;
  if (options.locking) {
    const std::size_t lock = shared.locks.acquire();
    if constexpr (!F.classic) request.locked = now_ns();
    multiply_matrices(shared, self);
    shared.locks.release(lock);
  } else {
    multiply_matrices(shared, self);
  }
  request.end = now_ns();
  return request;
}

inline void count_wake(const Plan& plan, const Worker& self, bool slept, WakeCounts& counts) {
  if (!slept) {
    ++counts.not_slept;
    return;
  }
  ++counts.slept;
  const std::int32_t waker = self.waker_cpu.load(std::memory_order_relaxed);
  const std::int32_t here = os::current_cpu().value;
  if (waker == here) {
    ++counts.same_cpu;
    return;
  }
  const std::size_t known = plan.llc_of_cpu.size();
  const auto llc = [&](std::int32_t cpu) {
    return static_cast<std::size_t>(cpu) < known ? plan.llc_of_cpu[static_cast<std::size_t>(cpu)]
                                                 : -1;
  };
  if (llc(waker) < 0 || llc(here) < 0) {
    ++counts.unplaced;
  } else if (llc(waker) == llc(here)) {
    ++counts.same_llc;
  } else {
    ++counts.other_llc;
  }
}

inline std::uint64_t elapsed(std::int64_t from, std::int64_t until) {
  return until > from ? static_cast<std::uint64_t>(until - from) : 0;
}

/// Difference of two clock readings as gettimeofday would show them; 0 is dropped, as the original
/// drops it.
inline void record_truncated(Histogram& histogram, std::int64_t from, std::int64_t until) {
  const std::uint64_t us = elapsed(from / 1000, until / 1000);
  if (us > 0) histogram.record(us);
}

/// How long before the measured time a worker takes the reading that its usage is counted from.
inline constexpr Nanos kReadAhead = std::chrono::milliseconds(20);

/// Not in classic mode: whether what began at `start` is inside the measured time. Reading the
/// usage opens files and takes longer than a cycle, so it happens shortly before the border, lest
/// every worker does it in the first instant that counts. A worker that began nothing in that while
/// reads at the border, and the cycle that crosses it is not recorded.
inline bool in_measured_time(const Shared& shared, Books& books, std::int64_t start) {
  const std::int64_t from = shared.measure_from.load(std::memory_order_relaxed);
  if (books.measuring && start >= from) [[likely]]
    return true;
  if (books.measuring || start < from - kReadAhead.count()) return false;
  const bool was_read = std::exchange(books.usage_read, true);
  if (!was_read) books.usage_at_start = read_own_usage();
  books.measuring = start >= from;
  return books.measuring && was_read;
}

template <Flavour F>
void record_wake(const Shared& shared, const Worker& self, const Wake& wake, Books& books) {
  auto taken = books.recorder.begin();
  if constexpr (F.classic) {
    taken[kWakeup].record(elapsed(wake.stamp, wake.woke));
    record_truncated(taken[kWakeupUs], wake.stamp, wake.woke);
  } else if (wake.slept) {
    taken[kWakeup].record(elapsed(wake.stamp, wake.woke));
    books.kept[kWakeupBatch].record(elapsed(wake.batch_stamp, wake.woke));
  }
  books.recorder.end();
  count_wake(shared.plan, self, wake.slept, books.wakes);
}

/// `since` is where the request's latency starts: its begin, or when it was due.
template <Flavour F>
void record_request(const Shared& shared,
                    const Request& request,
                    std::int64_t since,
                    Books& books) {
  auto taken = books.recorder.begin();
  taken[kRequest].record(elapsed(since, request.end));
  if constexpr (F.classic) record_truncated(taken[kRequestUs], since, request.end);
  books.recorder.end();
  ++books.recorded;
  if constexpr (!F.classic) {
    const Options& options = shared.plan.options;
    if (options.sleep > Nanos{0} && !options.calibrate) {
      books.kept[kTimerWakeup].record(
          elapsed(request.begin + options.sleep.count(), request.slept));
    }
    if (options.locking) books.kept[kLockWait].record(elapsed(request.slept, request.locked));
    books.kept[kService].record(elapsed(request.locked, request.end));
  }
  if (request.end < shared.measure_until.load(std::memory_order_relaxed)) ++books.completed;
}

/// One more loop for main's once-a-second reading; single writer, so no locked instruction.
inline void count_loop(Worker& self) {
  self.loops.store(self.loops.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace schedlab::workload::schbench
