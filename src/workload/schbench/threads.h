// The threads of a run and what they share while it is measured.
//
// Every thread writes only its own lines (128 bytes apart, since CPUs fetch lines in pairs); the
// exceptions are the wake protocol's words. Nothing here allocates once the loops have started.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/histogram.h"
#include "core/interval_recorder.h"
#include "workload/schbench/arrival_queue.h"
#include "workload/schbench/cpu_locks.h"
#include "workload/schbench/matrix.h"
#include "workload/schbench/plan.h"
#include "workload/schbench/thread_usage.h"
#include "workload/schbench/wake.h"

namespace schedlab::workload::schbench {

/// Histograms that an interval may take away while the thread runs. The microsecond pair exists in
/// classic mode only.
inline constexpr std::size_t kWakeup = 0;
inline constexpr std::size_t kRequest = 1;
inline constexpr std::size_t kWakeupUs = 2;
inline constexpr std::size_t kRequestUs = 3;
inline constexpr std::size_t kTakenCount = 4;

/// Histograms of the native mode that are read after the thread has ended.
inline constexpr std::size_t kWakeupBatch = 0;
inline constexpr std::size_t kTimerWakeup = 1;
inline constexpr std::size_t kLockWait = 2;
inline constexpr std::size_t kQueueWait = 3;
inline constexpr std::size_t kService = 4;
inline constexpr std::size_t kKeptCount = 5;

struct WakeCounts {
  std::int64_t slept = 0;
  std::int64_t not_slept = 0;
  std::int64_t same_cpu = 0;
  std::int64_t same_llc = 0;  // another CPU of the same last-level cache
  std::int64_t other_llc = 0;
  std::int64_t unplaced = 0;  // a CPU whose cache is not known

  WakeCounts& operator+=(const WakeCounts& other);
};

/// A worker's own books: made, written and at last read through by one thread at a time.
struct Books {
  explicit Books(bool classic)
      : recorder(classic ? kTakenCount : kWakeupUs), kept(classic ? 0 : kKeptCount) {}

  IntervalRecorder recorder;
  std::vector<Histogram> kept;
  WakeCounts wakes;
  std::uint64_t recorded = 0;   // requests whose latency was recorded
  std::uint64_t completed = 0;  // requests that ended inside the measured time
  bool measuring = false;       // past the warm-up
  bool usage_read = false;      // usage_at_start is that of the measured time
  ThreadUsage usage_at_start;
  ThreadUsage usage;          // of the measured time
  std::int64_t run_time = 0;  // ns in the loop
};

struct MessageThread;

struct Worker {
  // Written by the waker just before it posts.
  alignas(128) WakeWord state{kBlocked};
  std::atomic<std::int64_t> wake_time{0};   // ns; open loop: 0 = not stamped
  std::atomic<std::int64_t> batch_time{0};  // ns, the one stamp of the whole batch
  std::atomic<std::int32_t> waker_cpu{-1};

  // Written by the worker before it queues itself.
  alignas(128) Worker* next = nullptr;
  std::int64_t queued_at = 0;

  // The worker's own; main reads loops once a second.
  alignas(128) std::atomic<std::uint64_t> loops{0};
  std::atomic<Books*> books{nullptr};  // published once made
  std::atomic<std::int32_t> thread_id{0};
  MessageThread* boss = nullptr;
  MatrixBuffer matrices;
  std::unique_ptr<std::byte[]> page;  // NOLINT(*-avoid-c-arrays): pipe mode's transfer area
  std::unique_ptr<Books> own_books;
  std::unique_ptr<ArrivalQueue> queue;  // open loop only
  pthread_t handle{};
};

struct MessageThread {
  alignas(128) WakeWord state{kBlocked};
  alignas(128) WaitList<Worker> waiters;
  alignas(128) std::atomic<std::int64_t> rate{0};  // requests per second; written by main
  std::atomic<std::int32_t> thread_id{0};
  std::atomic<std::uint32_t> workers_gone{0};
  std::atomic<bool> gone{false};
  std::int32_t index = 0;
  std::vector<std::unique_ptr<Worker>> workers;
  // Read after the thread has ended.
  Histogram wakeup;             // its own wake: futex, or timer in the open loop
  std::uint64_t sent = 0;       // open loop: requests due inside the measured time
  std::uint64_t held_back = 0;  // times every queue was full
  ThreadUsage usage;
  pthread_t handle{};
};

struct Shared {
  explicit Shared(const Plan& the_plan) : plan(the_plan), locks(the_plan.allowed) {}

  const Plan& plan;
  CpuLocks locks;
  MatrixBuffer shared_matrices;
  // Read often, written at the start and the end only.
  alignas(128) std::atomic<bool> stopping{false};
  std::atomic<std::int64_t> measure_from{0};  // ns, CLOCK_MONOTONIC
  std::atomic<std::int64_t> measure_until{INT64_MAX};
  // Start barrier (not in classic mode).
  alignas(128) std::atomic<std::uint32_t> ready{0};
  alignas(128) WakeWord go{0};
  // The first thing that went wrong in a thread.
  std::atomic<bool> failed{false};
  std::mutex failure_mutex;
  std::string failure;
  std::vector<std::unique_ptr<MessageThread>> message_threads;

  [[nodiscard]] bool stop_asked() const { return stopping.load(std::memory_order_relaxed); }

  void fail(const std::string& what);
};

/// Main loops of the two kinds of threads: set themselves up, pass the barrier, run, leave their
/// figures behind. The message thread starts and joins its workers.
void run_message_thread(Shared& shared, MessageThread& self);
void run_worker(Shared& shared, Worker& self);

/// Starts `entry(shared, self)` on a new thread. Errors: no more threads.
Status start_message_thread(Shared& shared, MessageThread& self);

// The loops proper, one file per kind of load.
void closed_loop_messages(Shared& shared, MessageThread& self);
void closed_loop_worker(Shared& shared, Worker& self);
void open_loop_messages(Shared& shared, MessageThread& self);
void open_loop_worker(Shared& shared, Worker& self);
void era_2016_messages(Shared& shared, MessageThread& self);
void era_2016_worker(Shared& shared, Worker& self);

}  // namespace schedlab::workload::schbench
