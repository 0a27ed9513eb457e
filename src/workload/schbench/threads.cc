#include "workload/schbench/threads.h"

#include <fmt/format.h>
#include <pthread.h>  // stack size and names of threads, which std::thread has not
#include <unistd.h>   // gettid: under which id /proc knows a thread

#include "os/affinity.h"
#include "os/clock.h"

namespace schedlab::workload::schbench {

namespace {

constexpr Nanos kJoinPause = std::chrono::milliseconds(1);

void pause_for(Nanos time) {
  os::sleep_until(os::monotonic_now() + time);
}

bool is_classic(const Shared& shared) {
  return shared.plan.options.semantics == Semantics::Classic;
}

template <typename Thread, void (*Run)(Shared&, Thread&)>
struct Launch {
  Shared& shared;
  Thread& self;

  static void* enter(void* argument) {
    const std::unique_ptr<Launch> launch(static_cast<Launch*>(argument));
    Run(launch->shared, launch->self);
    return nullptr;
  }
};

template <typename Thread, void (*Run)(Shared&, Thread&)>
Status start_thread(Shared& shared, Thread& self) {
  auto launch = std::make_unique<Launch<Thread, Run>>(Launch<Thread, Run>{shared, self});
  const int error =
      ::pthread_create(&self.handle, nullptr, Launch<Thread, Run>::enter, launch.get());
  if (error != 0) {
    return failed(
        "cannot start a thread: the kernel refused it (limit on threads or memory); use "
        "fewer -m or -t");
  }
  (void)launch.release();  // enter() owns it now
  return {};
}

/// Everyone waits until main has seen all threads ready; classic starts as it comes.
void pass_barrier(Shared& shared) {
  if (is_classic(shared)) return;
  shared.ready.fetch_add(1, std::memory_order_acq_rel);
  while (shared.go.load(std::memory_order_acquire) == 0)
    os::futex_wait(shared.go, 0);
}

Status set_up_worker(Shared& shared, Worker& self) {
  const Plan& plan = shared.plan;
  if (!plan.worker_cpus.empty()) {
    SCHEDLAB_RETURN_IF_ERROR(os::bind_current_thread(plan.worker_cpus));
  }
  const bool microseconds = plan.options.semantics != Semantics::Native;
  self.own_books = std::make_unique<Books>(microseconds);
  self.books.store(self.own_books.get(), std::memory_order_release);
  if (plan.pipe()) {
    self.page = std::make_unique<std::byte[]>(plan.options.pipe_bytes);
    return {};
  }
  if (plan.private_operations == 0) return {};
  auto matrices = is_classic(shared) ? MatrixBuffer::make_untouched(plan.private_side)
                                     : MatrixBuffer::make_filled(plan.private_side);
  if (!matrices) return matrices.error();
  self.matrices = std::move(*matrices);
  return {};
}

void run_worker_loop(Shared& shared, Worker& self) {
  Books& books = *self.own_books;
  // Unless a warm-up is cut off, the figures of the whole loop count.
  books.measuring = shared.plan.options.warmup == Nanos{0} || is_classic(shared);
  books.usage_at_start = is_classic(shared) ? zero_usage() : read_own_usage();
  const std::int64_t start = os::monotonic_now().count();
  if (shared.plan.options.semantics == Semantics::Era2016) {
    era_2016_worker(shared, self);
  } else if (self.queue) {
    open_loop_worker(shared, self);
  } else {
    closed_loop_worker(shared, self);
  }
  books.run_time = os::monotonic_now().count() - start;
  books.usage = read_own_usage() - books.usage_at_start;
}

void run_message_loop(Shared& shared, MessageThread& self) {
  const ThreadUsage before = is_classic(shared) ? zero_usage() : read_own_usage();
  const bool open_loop = shared.plan.options.open_loop();
  if (open_loop) {
    open_loop_messages(shared, self);
  } else if (shared.plan.options.semantics == Semantics::Era2016) {
    era_2016_messages(shared, self);
  } else {
    closed_loop_messages(shared, self);
  }
  self.usage = read_own_usage() - before;
}

/// Posts again and again: a worker that was just about to wait misses no post for good.
void join_workers(const MessageThread& self, std::size_t started) {
  while (self.workers_gone.load(std::memory_order_acquire) < started) {
    for (std::size_t i = 0; i < started; ++i)
      post(self.workers[i]->state);
    pause_for(kJoinPause);
  }
  for (std::size_t i = 0; i < started; ++i)
    ::pthread_join(self.workers[i]->handle, nullptr);
}

std::size_t start_workers(Shared& shared, MessageThread& self) {
  for (std::size_t i = 0; i < self.workers.size(); ++i) {
    const Status started = start_thread<Worker, run_worker>(shared, *self.workers[i]);
    if (!started) {
      shared.fail(started.error().message);
      return i;
    }
  }
  return self.workers.size();
}

Status bind_message_thread(const Shared& shared, const MessageThread& self) {
  const CpuList& cpus = shared.plan.message_cpus.empty()
                            ? CpuList()
                            : shared.plan.message_cpus[static_cast<std::size_t>(self.index)];
  return cpus.empty() ? Status() : os::bind_current_thread(cpus);
}

}  // namespace

WakeCounts& WakeCounts::operator+=(const WakeCounts& other) {
  slept += other.slept;
  not_slept += other.not_slept;
  same_cpu += other.same_cpu;
  same_llc += other.same_llc;
  other_llc += other.other_llc;
  unplaced += other.unplaced;
  return *this;
}

void Shared::fail(const std::string& what) {
  const std::lock_guard lock(failure_mutex);
  if (!failed.exchange(true, std::memory_order_acq_rel)) failure = what;
}

void run_worker(Shared& shared, Worker& self) {
  ::pthread_setname_np(::pthread_self(), "schbench-worker");
  self.thread_id.store(::gettid(), std::memory_order_relaxed);
  if (const Status ready = set_up_worker(shared, self); !ready) {
    shared.fail(ready.error().message);
  }
  pass_barrier(shared);
  if (!shared.failed.load(std::memory_order_acquire)) run_worker_loop(shared, self);
  self.boss->workers_gone.fetch_add(1, std::memory_order_acq_rel);
}

void run_message_thread(Shared& shared, MessageThread& self) {
  ::pthread_setname_np(::pthread_self(), "schbench-msg");
  self.thread_id.store(::gettid(), std::memory_order_relaxed);
  // Workers first: they must not inherit the one CPU of this thread.
  const std::size_t started = start_workers(shared, self);
  if (const Status bound = bind_message_thread(shared, self); !bound) {
    shared.fail(bound.error().message);
  }
  pass_barrier(shared);
  if (!shared.failed.load(std::memory_order_acquire)) run_message_loop(shared, self);
  while (!shared.stop_asked())
    pause_for(kJoinPause);
  join_workers(self, started);
  self.gone.store(true, std::memory_order_release);
}

Status start_message_thread(Shared& shared, MessageThread& self) {
  return start_thread<MessageThread, run_message_thread>(shared, self);
}

}  // namespace schedlab::workload::schbench
