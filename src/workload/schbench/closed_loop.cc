// Closed loop and pipe mode: a worker queues itself, is woken by its message thread, serves one
// request, and again.
#include <cstring>

#include "workload/schbench/request.h"

namespace schedlab::workload::schbench {

namespace {

template <Flavour F>
void wake_all(const Shared& shared, Worker* list) {
  const std::int64_t batch = now_ns();
  const std::int32_t cpu = os::current_cpu().value;
  while (list != nullptr) {
    Worker& worker = *list;
    list = worker.next;  // once posted, the worker may queue itself anew
    if constexpr (F.pipe) {
      std::memset(worker.page.get(), 1, shared.plan.options.pipe_bytes);
    }
    worker.waker_cpu.store(cpu, std::memory_order_relaxed);
    worker.batch_time.store(batch, std::memory_order_relaxed);
    worker.wake_time.store(F.classic && !F.pipe ? batch : now_ns(), std::memory_order_relaxed);
    post(worker.state);
  }
}

/// `since` is when the worker that waited longest queued: it is who woke us.
void record_own_wake(const Shared& shared,
                     MessageThread& self,
                     std::int64_t since,
                     std::int64_t woke) {
  if (since < shared.measure_from.load(std::memory_order_relaxed)) return;
  self.wakeup.record(elapsed(since, woke));
}

template <Flavour F>
void messages(Shared& shared, MessageThread& self) {
  bool slept = false;
  std::int64_t woke = 0;
  while (!shared.stop_asked()) {
    // An exchange, not a store: whoever posted before it is on the list that we detach next.
    self.state.exchange(kBlocked, std::memory_order_acq_rel);
    Worker* list = self.waiters.detach();
    if constexpr (F.classic) {
      wake_all<F>(shared, list);
    } else {
      list = reversed(list);  // whoever waits longest first
      // Read now: once posted, a worker queues anew. Recorded after the posts, which come first.
      const bool woken = slept && list != nullptr;
      const std::int64_t since = woken ? list->queued_at : 0;
      wake_all<F>(shared, list);
      if (woken) record_own_wake(shared, self, since, woke);
    }
    if (shared.stop_asked()) break;
    slept = wait_for_post(self.state);
    if constexpr (!F.classic) woke = now_ns();
  }
}

template <Flavour F>
void worker(Shared& shared, Worker& self) {
  Books& books = *self.own_books;
  while (!shared.stop_asked()) {
    if constexpr (F.pipe) {
      std::memset(self.page.get(), 2, shared.plan.options.pipe_bytes);
    }
    self.state.store(kBlocked, std::memory_order_relaxed);
    self.queued_at = now_ns();
    self.boss->waiters.push(self);
    post(self.boss->state);
    Wake wake;
    wake.slept = wait_for_post(self.state);
    wake.woke = now_ns();
    if (shared.stop_asked()) break;
    wake.stamp = self.wake_time.load(std::memory_order_relaxed);
    wake.batch_stamp = self.batch_time.load(std::memory_order_relaxed);
    const bool measured = F.classic || in_measured_time(shared, books, wake.stamp);
    if (measured) record_wake<F>(shared, self, wake, books);
    if constexpr (F.pipe) {
      if (measured) ++books.completed;
    } else {
      const Request request = serve_request<F>(shared, self);
      if (measured) record_request<F>(shared, request, request.begin, books);
    }
    count_loop(self);
  }
}

}  // namespace

void closed_loop_messages(Shared& shared, MessageThread& self) {
  const bool classic = shared.plan.options.semantics == Semantics::Classic;
  if (shared.plan.pipe()) {
    return classic ? messages<Flavour{true, true}>(shared, self)
                   : messages<Flavour{false, true}>(shared, self);
  }
  return classic ? messages<Flavour{true, false}>(shared, self)
                 : messages<Flavour{false, false}>(shared, self);
}

void closed_loop_worker(Shared& shared, Worker& self) {
  const bool classic = shared.plan.options.semantics == Semantics::Classic;
  if (shared.plan.pipe()) {
    return classic ? worker<Flavour{true, true}>(shared, self)
                   : worker<Flavour{false, true}>(shared, self);
  }
  return classic ? worker<Flavour{true, false}>(shared, self)
                 : worker<Flavour{false, false}>(shared, self);
}

}  // namespace schedlab::workload::schbench
