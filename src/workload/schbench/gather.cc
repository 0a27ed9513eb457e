// The coordinator's bookkeeping: intervals while the run goes on, totals after it.
#include <algorithm>

#include "workload/schbench/coordinator.h"

namespace schedlab::workload::schbench {

namespace {

constexpr Nanos kForEver = std::chrono::hours(1);  // when nobody writes any more: returns at once

template <typename Visit>
void for_each_worker(Shared& shared, Visit visit) {
  for (auto& message : shared.message_threads) {
    for (auto& worker : message->workers)
      visit(*worker);
  }
}

void add_histogram(Measurement& into, std::string name, const Histogram& histogram) {
  if (!histogram.empty())
    into.histograms.push_back({std::move(name), Unit::Nanoseconds, histogram});
}

}  // namespace

void Coordinator::harvest(Nanos patience) {
  for_each_worker(shared_, [&](Worker& worker) {
    Books* const books = worker.books.load(std::memory_order_acquire);
    if (books != nullptr) books->recorder.collect(fresh_, patience);
  });
  wakeup_ns_.merge(fresh_[kWakeup]);
  request_ns_.merge(fresh_[kRequest]);
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    interval_[i].merge(fresh_[i]);
    total_[i].merge(fresh_[i]);
    fresh_[i].clear();
  }
}

/// Figures of the interval that ends now; `interval_` holds what was harvested since the last one.
void Coordinator::close_interval() {
  const Tick now = tick();
  if (now.time > interval_window_.from().time) {
    rps_series_.values.push_back(interval_window_.close(now));
    wakeup_series_.values.push_back(static_cast<double>(interval_[kWakeup].quantile(0.99)));
    request_series_.values.push_back(static_cast<double>(interval_[kRequest].quantile(0.99)));
    backlog_series_.values.push_back(static_cast<double>(waiting_requests()));
  }
  for (Histogram& histogram : interval_)
    histogram.clear();
}

void Coordinator::zero() {
  for (Histogram& histogram : total_)
    histogram.clear();
  rps_.clear();
}

Snapshot Coordinator::snapshot(Nanos elapsed) {
  Snapshot seen;
  seen.elapsed = elapsed;
  if (total_.size() > kRequestUs) {
    seen.wakeup_us = total_[kWakeupUs];
    seen.request_us = total_[kRequestUs];
  }
  seen.rps = rps_;
  seen.current_rps = current_rps_;
  read_live_delays(seen);
  return seen;
}

void Coordinator::read_live_delays(Snapshot& into) const {
  // Only the original's text shows them; the other modes spare the machine the reads.
  if (plan_.options.semantics != Semantics::Classic) return;
  std::int64_t messages = 0;
  std::int64_t workers = 0;
  for (const auto& message : shared_.message_threads) {
    messages += read_schedstat_of(message->thread_id.load()).delay_per_slice_us();
    for (const auto& worker : message->workers)
      workers += read_schedstat_of(worker->thread_id.load()).delay_per_slice_us();
  }
  into.message_delay_us = messages / plan_.options.message_threads;
  into.worker_delay_us = workers / plan_.worker_count();
}

void Coordinator::gather_worker(Worker& worker, Measurement& into, std::vector<Histogram>& kept) {
  const Books& books = *worker.own_books;
  for (std::size_t i = 0; i < books.kept.size(); ++i)
    kept[i].merge(books.kept[i]);
  into.wakes += books.wakes;
  into.recorded += books.recorded;
  into.completed += books.completed;
  into.worker_usage = into.worker_usage + books.usage;
  into.worker_seconds += static_cast<double>(books.run_time) / 1e9;
}

void Coordinator::gather_final_delays(Measurement& into) const {
  std::int64_t messages = 0;
  std::int64_t workers = 0;
  for (const auto& message : shared_.message_threads) {
    messages += message->usage.delay_per_slice_us();
    for (const auto& worker : message->workers)
      workers += worker->own_books->usage.delay_per_slice_us();
  }
  into.last.message_delay_us = messages / plan_.options.message_threads;
  into.last.worker_delay_us = workers / plan_.worker_count();
}

Measurement Coordinator::gather() {
  Measurement out;
  harvest(kForEver);
  const bool classic = plan_.options.semantics == Semantics::Classic;
  out.elapsed =
      Nanos(std::max<std::int64_t>(1, end_ - (classic ? start_ : shared_.measure_from.load())));
  out.last = snapshot(out.elapsed);
  out.loops = total_loops();
  out.worker_usage = out.message_usage = zero_usage();
  std::vector<Histogram> kept(kKeptCount);
  Histogram message_wakeup;
  for (auto& message : shared_.message_threads) {
    message_wakeup.merge(message->wakeup);
    out.message_usage = out.message_usage + message->usage;
    out.sent += message->sent;
    out.held_back += message->held_back;
  }
  for_each_worker(shared_, [&](Worker& worker) { gather_worker(worker, out, kept); });
  const std::uint64_t served = classic ? out.loops : out.completed;
  out.backlog = out.sent > served ? out.sent - served : 0;
  gather_final_delays(out);
  out.final_rate = rate_;
  out.stop_signal = stop_signal_;
  add_histogram(out, "wakeup", wakeup_ns_);
  add_histogram(out, "wakeup_batch", kept[kWakeupBatch]);
  add_histogram(out, "message_wakeup", message_wakeup);
  add_histogram(out, "timer_wakeup", kept[kTimerWakeup]);
  add_histogram(out, "lock_wait", kept[kLockWait]);
  add_histogram(out, "queue_wait", kept[kQueueWait]);
  add_histogram(out, "service", kept[kService]);
  add_histogram(out, "request", request_ns_);
  for (Series* series : {&rps_series_, &wakeup_series_, &request_series_, &backlog_series_}) {
    const bool empty_request = series == &request_series_ && request_ns_.empty();
    const bool no_queue = series == &backlog_series_ && !plan_.options.open_loop();
    if (!series->values.empty() && !empty_request && !no_queue) out.series.push_back(*series);
  }
  return out;
}

const Histogram* Measurement::find(std::string_view name) const {
  for (const NamedHistogram& named : histograms) {
    if (named.name == name) return &named.histogram;
  }
  return nullptr;
}

Result<Measurement> measure(const Plan& plan, Observer& observer) {
  return Coordinator(plan, observer).run();
}

}  // namespace schedlab::workload::schbench
