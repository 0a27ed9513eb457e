// Coordinator: the main thread's side of a run. Starts the threads, keeps the clock, takes
// intervals, steers the rate, stops and joins.
#pragma once

#include <csignal>
#include <vector>

#include "workload/schbench/auto_rps.h"
#include "workload/schbench/engine.h"
#include "workload/schbench/rate_window.h"

namespace schedlab::workload::schbench {

/// SIGINT and SIGTERM held back from every thread for as long as it lives, so that only wait() sees
/// them.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  StopSignals(StopSignals&&) = delete;
  StopSignals& operator=(StopSignals&&) = delete;

  /// Sleeps. The stop signal that ended it; 0 when the time was over.
  int wait(Nanos time);

 private:
  sigset_t stop_{};
  sigset_t before_{};
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): one instance, read in the order of its
// use
class Coordinator {
 public:
  Coordinator(const Plan& plan, Observer& observer);

  Result<Measurement> run();

 private:
  Status prepare();
  Status start_threads();
  Status wait_for_threads();
  void run_classic();
  void run_timed();
  bool run_phase(std::int64_t until, bool measured);
  void stop_threads();

  [[nodiscard]] std::uint64_t total_loops() const;
  [[nodiscard]] Tick tick() const;
  [[nodiscard]] std::uint64_t waiting_requests() const;
  void set_rate(std::int64_t total);
  void take_second(bool measured);
  void steer_rate();
  void harvest(Nanos patience);
  void close_interval();
  void zero();
  Snapshot snapshot(Nanos elapsed);
  void read_live_delays(Snapshot& into) const;
  Measurement gather();
  void gather_worker(Worker& worker, Measurement& into, std::vector<Histogram>& kept);
  void gather_final_delays(Measurement& into) const;

  const Plan& plan_;
  Observer& observer_;
  Shared shared_;
  std::vector<Histogram> fresh_;     // taken from the workers, not yet merged
  std::vector<Histogram> interval_;  // of the running interval
  std::vector<Histogram> total_;     // since the start or the last zeroing; for the text
  Histogram wakeup_ns_;              // since the start or the warm-up's end
  Histogram request_ns_;
  Histogram rps_;
  double current_rps_ = 0;
  std::int64_t rate_ = 0;
  bool target_hit_ = false;
  CpuTimes cpu_times_;
  RateWindow second_{std::chrono::seconds(1)};
  RateWindow interval_window_;
  std::int64_t start_ = 0;
  std::int64_t end_ = 0;
  int stop_signal_ = 0;
  StopSignals signals_;
  Series rps_series_;
  Series wakeup_series_;
  Series request_series_;
  Series backlog_series_;
};

}  // namespace schedlab::workload::schbench
