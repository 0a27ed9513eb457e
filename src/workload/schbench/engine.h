// The engine: runs a plan in this process and hands back what was measured. Silent; who wants to
// print while it runs gives an Observer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/histogram.h"
#include "core/run_record.h"
#include "workload/schbench/plan.h"
#include "workload/schbench/threads.h"

namespace schedlab::workload::schbench {

/// What is known while the run goes on.
struct Snapshot {
  Nanos elapsed{0};
  Histogram wakeup_us;  // since the start or the last zeroing
  Histogram request_us;
  Histogram rps;  // one value per second
  double current_rps = 0;
  std::int64_t message_delay_us = 0;  // run-queue wait per timeslice, mean over threads
  std::int64_t worker_delay_us = 0;
};

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  Observer(Observer&&) = delete;
  Observer& operator=(Observer&&) = delete;
  virtual ~Observer() = default;

  /// Called on the coordinating thread, never on a measured one.
  virtual void on_warmup_done() {}

  virtual void on_interval(const Snapshot& snapshot) { (void)snapshot; }
};

struct Measurement {
  Nanos elapsed{0};  // measured time as it was
  Snapshot last;     // the classic figures at the end; delays taken before the threads exited
  std::vector<NamedHistogram> histograms;  // ns, non-empty ones
  std::vector<Series> series;
  WakeCounts wakes;
  ThreadUsage worker_usage;  // sums over threads
  ThreadUsage message_usage;
  std::uint64_t loops = 0;      // all, from start to end
  std::uint64_t completed = 0;  // inside the measured time
  std::uint64_t recorded = 0;   // latencies recorded
  std::uint64_t sent = 0;       // open loop: requests that were due
  std::uint64_t held_back = 0;  // open loop: times all queues were full
  std::uint64_t backlog = 0;    // open loop: due and not served at the end
  double worker_seconds = 0;    // sum of the workers' loop times
  std::int64_t final_rate = 0;  // -A: where it arrived
  int stop_signal = 0;          // SIGINT or SIGTERM when one ended it early
  std::vector<std::string> notes;

  [[nodiscard]] bool stopped_by_signal() const { return stop_signal != 0; }

  [[nodiscard]] const Histogram* find(std::string_view name) const;
};

/// Errors: a thread that could not start, a CPU or memory refused after all.
Result<Measurement> measure(const Plan& plan, Observer& observer);

}  // namespace schedlab::workload::schbench
