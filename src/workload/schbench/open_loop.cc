// Open loop (-R, -A): message threads inject requests by a schedule, workers serve their queues.
//
// Native: the schedule is uniform, Poisson or bursty, and a request's latency starts when it was
// due, whoever was late. Classic: one burst at the start of each second, latency from the moment a
// worker begins. Neither drops: a full queue holds the injector back, and what was due stays due.
#include <algorithm>

#include "workload/schbench/arrivals.h"
#include "workload/schbench/request.h"

namespace schedlab::workload::schbench {

namespace {

constexpr Nanos kFullQueuePause = std::chrono::microseconds(100);
constexpr std::int64_t kLongestSleep = 200'000'000;  // ns; bounds how late a stop is seen

/// Stamps only a worker that is (or is about to be) asleep: one in transit keeps the stamp of the
/// post that woke it.
void stamp_and_post(Worker& worker, std::int32_t cpu) {
  const bool asleep = worker.state.load(std::memory_order_relaxed) == kBlocked;
  if (asleep || worker.wake_time.load(std::memory_order_relaxed) == 0) {
    const std::int64_t now = now_ns();
    worker.waker_cpu.store(cpu, std::memory_order_relaxed);
    worker.batch_time.store(now, std::memory_order_relaxed);
    worker.wake_time.store(now, std::memory_order_relaxed);
  }
  post(worker.state);
}

class Injector {
 public:
  Injector(Shared& shared, MessageThread& self) : shared_(shared), self_(self) {}

  void run_native() {
    const Options& options = shared_.plan.options;
    const std::int64_t warmup = options.warmup.count();
    ArrivalSchedule schedule(options.arrivals,
                             options.seed,
                             static_cast<std::uint32_t>(self_.index),
                             static_cast<std::uint32_t>(options.message_threads),
                             shared_.measure_from.load(std::memory_order_relaxed) - warmup);
    std::int64_t due = next_due(schedule);
    while (!shared_.stop_asked() && due < until()) {
      wait_until(due);
      if (shared_.stop_asked()) break;
      const std::int32_t cpu = os::current_cpu().value;
      // Everything due by now in one go, so that a late injector catches up at once.
      for (const std::int64_t now = now_ns(); due <= now && due < until();) {
        count_due(due);
        deliver(due, cpu);
        due = next_due(schedule);
        if (shared_.stop_asked()) break;
      }
    }
    count_what_stays_due(schedule, due);
  }

  void run_classic() {
    while (!shared_.stop_asked()) {
      const std::int64_t start = now_ns();
      const std::int32_t cpu = os::current_cpu().value;
      const std::int64_t rate = self_.rate.load(std::memory_order_relaxed);
      for (std::int64_t i = 0; i < rate && !shared_.stop_asked(); ++i) {
        Worker& worker = *self_.workers[turn_++ % self_.workers.size()];
        const std::int64_t now = now_ns();
        while (!worker.queue->push(now) && !shared_.stop_asked()) {
          ++self_.held_back;
          sleep_for(kFullQueuePause);
        }
        ++self_.sent;
        worker.waker_cpu.store(cpu, std::memory_order_relaxed);
        worker.wake_time.store(now, std::memory_order_relaxed);
        post(worker.state);
      }
      wait_until(start + 1'000'000'000);
    }
  }

 private:
  [[nodiscard]] std::int64_t until() const {
    return shared_.measure_until.load(std::memory_order_relaxed);
  }

  /// The next due time; while our share of the rate is 0, INT64_MAX after waiting for a change.
  std::int64_t next_due(ArrivalSchedule& schedule) {
    for (;;) {
      const std::int64_t rate = self_.rate.load(std::memory_order_relaxed);
      if (rate > 0) return schedule.next(rate);
      if (shared_.stop_asked()) return INT64_MAX;
      sleep_for(Nanos(kLongestSleep));
    }
  }

  /// Sleeps on the clock, in pieces so that a stop is seen; says how late we woke.
  void wait_until(std::int64_t due) {
    std::int64_t now = now_ns();
    bool slept = false;
    while (now < due && !shared_.stop_asked()) {
      os::sleep_until(Nanos(std::min(due, now + kLongestSleep)));
      slept = true;
      now = now_ns();
    }
    if (slept && now >= due && due >= shared_.measure_from.load(std::memory_order_relaxed)) {
      self_.wakeup.record(elapsed(due, now));
    }
  }

  void count_due(std::int64_t due) {
    if (due >= shared_.measure_from.load(std::memory_order_relaxed)) ++self_.sent;
  }

  /// Round robin, past workers whose queue is full; waits while all are.
  void deliver(std::int64_t due, std::int32_t cpu) {
    for (;;) {
      for (std::size_t i = 0; i < self_.workers.size(); ++i) {
        Worker& worker = *self_.workers[turn_++ % self_.workers.size()];
        if (!worker.queue->push(due)) continue;
        stamp_and_post(worker, cpu);
        return;
      }
      if (shared_.stop_asked()) return;
      ++self_.held_back;
      sleep_for(kFullQueuePause);
    }
  }

  /// A schedule that was held back owes what was due before the end: it counts as waiting.
  void count_what_stays_due(ArrivalSchedule& schedule, std::int64_t due) {
    constexpr std::uint64_t kEnough = 100'000'000;
    const std::int64_t end = std::min(until(), now_ns());
    for (std::uint64_t i = 0; due < end && i < kEnough; ++i) {
      count_due(due);
      const std::int64_t rate = self_.rate.load(std::memory_order_relaxed);
      if (rate <= 0) return;
      due = schedule.next(rate);
    }
  }

  Shared& shared_;
  MessageThread& self_;
  std::size_t turn_ = 0;
};

template <Flavour F>
void serve_queue(Shared& shared, Worker& self, Books& books) {
  std::int64_t due = 0;
  while (!shared.stop_asked() && self.queue->pop(due)) {
    const bool measured = F.classic || in_measured_time(shared, books, due);
    const std::int64_t taken = F.classic ? 0 : now_ns();
    const Request request = serve_request<F>(shared, self);
    // The calibrated time leaves out sleep and queue, in the open loop too.
    const bool from_begin = F.classic || shared.plan.options.calibrate;
    if (measured) {
      if constexpr (!F.classic) books.kept[kQueueWait].record(elapsed(due, taken));
      record_request<F>(shared, request, from_begin ? request.begin : due, books);
    }
    count_loop(self);
  }
}

template <Flavour F>
void worker(Shared& shared, Worker& self) {
  Books& books = *self.own_books;
  while (!shared.stop_asked()) {
    Wake wake;
    wake.slept = wait_for_post(self.state);
    wake.woke = now_ns();
    if (shared.stop_asked()) break;
    wake.stamp = wake.batch_stamp = self.wake_time.load(std::memory_order_relaxed);
    if constexpr (F.classic) {
      record_wake<F>(shared, self, wake, books);
    } else {
      self.wake_time.store(0, std::memory_order_relaxed);
      // An unstamped wake raced with a post to a busy worker; it has no latency to tell.
      const bool usable = wake.stamp != 0;
      if (usable && in_measured_time(shared, books, wake.stamp)) {
        record_wake<F>(shared, self, wake, books);
      }
    }
    serve_queue<F>(shared, self, books);
  }
}

}  // namespace

void open_loop_messages(Shared& shared, MessageThread& self) {
  Injector injector(shared, self);
  if (shared.plan.options.semantics == Semantics::Classic) return injector.run_classic();
  injector.run_native();
}

void open_loop_worker(Shared& shared, Worker& self) {
  if (shared.plan.options.semantics == Semantics::Classic) {
    return worker<Flavour{true, false}>(shared, self);
  }
  return worker<Flavour{false, false}>(shared, self);
}

}  // namespace schedlab::workload::schbench
