#include "workload/schbench/coordinator.h"

#include <pthread.h>  // signal masks, and joining by the handle that a message thread leaves

#include <algorithm>
#include <cerrno>

#include "os/clock.h"

namespace schedlab::workload::schbench {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr Nanos kPatience = std::chrono::milliseconds(20);  // with a worker preempted as it records
constexpr Nanos kPoll = std::chrono::milliseconds(1);

std::int64_t now_ns() {
  return os::monotonic_now().count();
}

}  // namespace

StopSignals::StopSignals() {
  ::sigemptyset(&stop_);
  ::sigaddset(&stop_, SIGINT);
  ::sigaddset(&stop_, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &stop_, &before_);
}

StopSignals::~StopSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int StopSignals::wait(Nanos time) {
  const std::int64_t until = now_ns() + time.count();
  for (;;) {
    const std::int64_t left = std::max<std::int64_t>(0, until - now_ns());
    const timespec timeout{.tv_sec = left / kSecond, .tv_nsec = left % kSecond};
    const int signal = ::sigtimedwait(&stop_, nullptr, &timeout);
    if (signal > 0) return signal;
    if (errno != EINTR) return 0;
  }
}

Coordinator::Coordinator(const Plan& plan, Observer& observer)
    : plan_(plan),
      observer_(observer),
      shared_(plan),
      fresh_(plan.options.semantics == Semantics::Native ? kWakeupUs : kTakenCount),
      interval_(fresh_.size()),
      total_(fresh_.size()),
      interval_window_(plan.options.interval),
      rps_series_{"rps", Unit::PerSecond, plan.options.interval, {}},
      wakeup_series_{"wakeup_p99", Unit::Nanoseconds, plan.options.interval, {}},
      request_series_{"request_p99", Unit::Nanoseconds, plan.options.interval, {}},
      backlog_series_{"backlog", Unit::Count, plan.options.interval, {}} {}

Result<Measurement> Coordinator::run() {
  SCHEDLAB_RETURN_IF_ERROR(prepare());
  const bool classic = plan_.options.semantics == Semantics::Classic;
  start_ = now_ns();
  second_.start(start_, {start_, 0});
  interval_window_.start(start_, {start_, 0});
  Status started = start_threads();
  if (started && !classic) started = wait_for_threads();
  if (started) {
    classic ? run_classic() : run_timed();
  }
  stop_threads();
  if (!started) return started.error();
  if (shared_.failed.load(std::memory_order_acquire)) return failed(shared_.failure);
  return gather();
}

Status Coordinator::prepare() {
  const Options& options = plan_.options;
  if (plan_.shared_operations > 0) {
    auto matrices = options.semantics == Semantics::Classic
                        ? MatrixBuffer::make_untouched(plan_.shared_side)
                        : MatrixBuffer::make_filled(plan_.shared_side);
    if (!matrices) return matrices.error();
    shared_.shared_matrices = std::move(*matrices);
  }
  for (std::int32_t i = 0; i < options.message_threads; ++i) {
    auto message = std::make_unique<MessageThread>();
    message->index = i;
    for (std::int32_t j = 0; j < plan_.threads; ++j) {
      auto worker = std::make_unique<Worker>();
      worker->boss = message.get();
      if (options.open_loop()) worker->queue = std::make_unique<ArrivalQueue>();
      message->workers.push_back(std::move(worker));
    }
    shared_.message_threads.push_back(std::move(message));
  }
  set_rate(options.rps);
  if (options.auto_rps > 0) {
    SCHEDLAB_ASSIGN_OR_RETURN(cpu_times_, read_cpu_times(os::RealProcFs()));
  }
  return {};
}

Status Coordinator::start_threads() {
  for (auto& message : shared_.message_threads) {
    Status started = start_message_thread(shared_, *message);
    if (!started) {
      message->gone.store(true);
      message->handle = {};
      shared_.fail(started.error().message);
      return started;
    }
  }
  return {};
}

Status Coordinator::wait_for_threads() {
  const auto all = static_cast<std::uint32_t>(plan_.worker_count() + plan_.options.message_threads);
  while (shared_.ready.load(std::memory_order_acquire) < all) {
    if (shared_.failed.load(std::memory_order_acquire)) return failed(shared_.failure);
    os::sleep_until(os::monotonic_now() + kPoll);
  }
  if (shared_.failed.load(std::memory_order_acquire)) return failed(shared_.failure);
  start_ = now_ns();
  const std::int64_t from = start_ + plan_.options.warmup.count();
  shared_.measure_from.store(from);
  if (plan_.options.runtime > Nanos{0}) {
    shared_.measure_until.store(from + plan_.options.runtime.count());
  }
  shared_.go.store(1, std::memory_order_release);
  os::futex_wake(shared_.go, INT32_MAX);
  return {};
}

// As the original's main: a look once a second, everything at that grain. Its first look, at 0 s,
// is left out: it would count a rate of 0.
void Coordinator::run_classic() {
  const Options& options = plan_.options;
  bool warm = options.warmup == Nanos{0} || options.runtime < std::chrono::seconds(30) ||
              options.open_loop() || plan_.pipe();
  Nanos last_report{0};
  Nanos last_zero{0};
  for (;;) {
    stop_signal_ = signals_.wait(std::chrono::seconds(1));
    const bool by_signal = stop_signal_ != 0;
    const Nanos elapsed(now_ns() - start_);
    if (!by_signal) take_second(true);
    const bool over = options.runtime > Nanos{0} && elapsed >= options.runtime;
    if (over || by_signal || shared_.failed.load(std::memory_order_acquire)) break;
    if (!warm && elapsed >= options.warmup) {
      warm = true;
      harvest(kPatience);
      zero();
      wakeup_ns_.clear();
      request_ns_.clear();
      observer_.on_warmup_done();
    }
    if (!plan_.pipe() && elapsed - last_report >= options.interval) {
      last_report = elapsed;
      harvest(kPatience);
      close_interval();
      observer_.on_interval(snapshot(elapsed));
    }
    if (options.zero_time > Nanos{0} && elapsed - last_zero > options.zero_time) {
      last_zero = elapsed;
      harvest(kPatience);
      zero();
    }
  }
  end_ = now_ns();
  if (Nanos(end_ - interval_window_.from().time) >= options.interval) {
    harvest(kPatience);
    close_interval();
  }
}

void Coordinator::run_timed() {
  const std::int64_t from = shared_.measure_from.load();
  second_.start(start_, {start_, 0});
  if (from > start_ && run_phase(from, false)) {
    end_ = now_ns();
    return;
  }
  const Tick border = tick();
  second_.start(from, border);
  interval_window_.start(from, border);
  run_phase(shared_.measure_until.load(), true);
  end_ = std::min(now_ns(), shared_.measure_until.load());
  shared_.measure_until.store(end_);
  // A run shorter than a second has one rate all the same.
  if (rps_.empty() && end_ > second_.from().time) take_second(true);
}

/// True when a signal ended it early.
bool Coordinator::run_phase(std::int64_t until, bool measured) {
  for (;;) {
    std::int64_t next = std::min(until, second_.due());
    if (measured) next = std::min(next, interval_window_.due());
    stop_signal_ = signals_.wait(Nanos(std::max<std::int64_t>(0, next - now_ns())));
    if (stop_signal_ != 0 || shared_.failed.load(std::memory_order_acquire)) return true;
    const std::int64_t now = now_ns();
    if (now >= second_.due()) take_second(measured);
    if (measured && now >= interval_window_.due()) {
      harvest(kPatience);
      close_interval();
      Snapshot seen = snapshot(Nanos(now - shared_.measure_from.load()));
      observer_.on_interval(seen);
    }
    if (now >= until) return false;
  }
}

void Coordinator::stop_threads() {
  shared_.stopping.store(true);
  shared_.go.store(1, std::memory_order_release);
  os::futex_wake(shared_.go, INT32_MAX);
  for (auto& message : shared_.message_threads) {
    // Again and again, as a thread about to wait could miss one.
    while (message->handle != pthread_t{} && !message->gone.load(std::memory_order_acquire)) {
      for (auto& other : shared_.message_threads)
        post(other->state);
      os::sleep_until(os::monotonic_now() + kPoll);
    }
    if (message->handle != pthread_t{}) ::pthread_join(message->handle, nullptr);
  }
}

std::uint64_t Coordinator::total_loops() const {
  std::uint64_t loops = 0;
  for (const auto& message : shared_.message_threads) {
    for (const auto& worker : message->workers)
      loops += worker->loops.load(std::memory_order_relaxed);
  }
  return loops;
}

Tick Coordinator::tick() const {
  return {now_ns(), total_loops()};
}

std::uint64_t Coordinator::waiting_requests() const {
  std::uint64_t waiting = 0;
  for (const auto& message : shared_.message_threads) {
    for (const auto& worker : message->workers)
      waiting += worker->queue ? worker->queue->size() : 0;
  }
  return waiting;
}

/// The remainder goes to the first threads: a rate below the number of threads is kept too.
void Coordinator::set_rate(std::int64_t total) {
  rate_ = total;
  const auto threads = static_cast<std::int64_t>(shared_.message_threads.size());
  for (std::int64_t i = 0; i < threads; ++i) {
    const std::int64_t share = total / threads + (i < total % threads ? 1 : 0);
    shared_.message_threads[static_cast<std::size_t>(i)]->rate.store(share,
                                                                     std::memory_order_relaxed);
  }
}

void Coordinator::take_second(bool measured) {
  current_rps_ = second_.close(tick());
  const bool steady = plan_.options.auto_rps == 0 || target_hit_;
  if (measured && steady) rps_.record(static_cast<std::uint64_t>(current_rps_));
  if (plan_.options.auto_rps > 0) steer_rate();
}

void Coordinator::steer_rate() {
  const auto times = read_cpu_times(os::RealProcFs());
  if (!times) return;
  const auto busy = busy_percent(cpu_times_, *times);
  if (!busy) return;
  cpu_times_ = *times;
  const RateStep step = next_rate(rate_, *busy, plan_.options.auto_rps);
  set_rate(step.rate);
  if (step.target_hit && !target_hit_) {
    target_hit_ = true;
    rps_.clear();
  }
}

}  // namespace schedlab::workload::schbench
