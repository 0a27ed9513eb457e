// The first generation (2016): message threads let waiters gather for a while and wake them as a
// herd; workers spin for fixed wall time. Latency is wake stamp -> running; with -R it is queueing
// -> completion, less the spin.
#include <cstring>

#include "core/rng.h"
#include "workload/schbench/request.h"

namespace schedlab::workload::schbench {

namespace {

/// Streams of the sleeps, apart from those of the arrivals.
constexpr std::uint64_t kSleepStreams = std::uint64_t{1} << 32;

void spin_for(Nanos time) {
  const std::int64_t end = now_ns() + time.count();
  while (now_ns() < end)
    pause_cpu();
}

void record(Books& books, std::uint64_t latency_ns) {
  auto taken = books.recorder.begin();
  taken[kWakeup].record(latency_ns);
  taken[kWakeupUs].record(latency_ns / 1000);
  books.recorder.end();
}

/// One stamp for the herd.
void wake_herd(const Shared& shared, MessageThread& self) {
  Worker* list = self.waiters.detach();
  const std::int64_t stamp = now_ns();
  const std::int32_t cpu = os::current_cpu().value;
  while (list != nullptr) {
    Worker& worker = *list;
    list = worker.next;
    if (shared.plan.pipe()) std::memset(worker.page.get(), 1, shared.plan.options.pipe_bytes);
    worker.waker_cpu.store(cpu, std::memory_order_relaxed);
    worker.wake_time.store(stamp, std::memory_order_relaxed);
    post(worker.state);
  }
}

void serve_arrivals(Shared& shared, Worker& self, Books& books) {
  const Nanos spin = shared.plan.options.spin;
  std::int64_t due = 0;
  while (!shared.stop_asked() && self.queue->pop(due)) {
    const bool measured = in_measured_time(shared, books, due);
    spin_for(spin);
    const std::int64_t end = now_ns();
    if (measured) {
      record(books, elapsed(due + spin.count(), end));
      ++books.recorded;
      if (end < shared.measure_until.load(std::memory_order_relaxed)) ++books.completed;
    }
    count_loop(self);
  }
}

void arrivals_worker(Shared& shared, Worker& self) {
  Books& books = *self.own_books;
  while (!shared.stop_asked()) {
    const bool slept = wait_for_post(self.state);
    if (shared.stop_asked()) break;
    self.wake_time.store(0, std::memory_order_relaxed);
    if (books.measuring) count_wake(shared.plan, self, slept, books.wakes);
    serve_arrivals(shared, self, books);
  }
}

void herd_worker(Shared& shared, Worker& self) {
  Books& books = *self.own_books;
  while (!shared.stop_asked()) {
    if (shared.plan.pipe()) std::memset(self.page.get(), 2, shared.plan.options.pipe_bytes);
    self.state.store(kBlocked, std::memory_order_relaxed);
    self.boss->waiters.push(self);
    post(self.boss->state);
    const bool slept = wait_for_post(self.state);
    const std::int64_t woke = now_ns();
    if (shared.stop_asked()) break;
    const std::int64_t stamp = self.wake_time.load(std::memory_order_relaxed);
    const bool measured = in_measured_time(shared, books, stamp);
    if (measured) {
      record(books, elapsed(stamp, woke));
      count_wake(shared.plan, self, slept, books.wakes);
    }
    if (shared.plan.options.spin > Nanos{0}) spin_for(shared.plan.options.spin);
    if (measured && now_ns() < shared.measure_until.load(std::memory_order_relaxed)) {
      ++books.completed;
    }
    count_loop(self);
  }
}

}  // namespace

void era_2016_messages(Shared& shared, MessageThread& self) {
  const Options& options = shared.plan.options;
  Rng rng(options.seed, kSleepStreams + static_cast<std::uint64_t>(self.index));
  const auto spread = static_cast<std::uint64_t>(options.sleep.count() / 4);
  while (!shared.stop_asked()) {
    wait_for_post(self.state);
    if (shared.stop_asked()) break;
    if (options.sleep > Nanos{0}) {
      sleep_for(options.sleep + Nanos(static_cast<std::int64_t>(rng.below(spread + 1))));
    }
    wake_herd(shared, self);
  }
}

void era_2016_worker(Shared& shared, Worker& self) {
  if (self.queue) return arrivals_worker(shared, self);
  herd_worker(shared, self);
}

}  // namespace schedlab::workload::schbench
