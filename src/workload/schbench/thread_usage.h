// ThreadUsage: what the kernel counted for one thread, read by the thread itself before it exits.
#pragma once

#include <cstdint>
#include <optional>

#include "core/duration.h"

namespace schedlab::workload::schbench {

struct ThreadUsage {
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  Nanos cpu_time{0};
  std::optional<Nanos> run_delay;          // waiting on a run queue; absent without schedstat
  std::optional<std::int64_t> timeslices;  // as run_delay
  std::optional<std::int64_t> migrations;  // absent without /proc/*/sched

  /// Difference of two readings of one thread, or sum over threads; a figure absent on either side
  /// is absent.
  friend ThreadUsage operator-(const ThreadUsage& a, const ThreadUsage& b);
  friend ThreadUsage operator+(const ThreadUsage& a, const ThreadUsage& b);

  /// Microseconds of run-queue wait per timeslice, the original's "sched delay"; 0 when not known.
  [[nodiscard]] std::int64_t delay_per_slice_us() const;
};

/// Nothing counted yet, everything known: what a new thread starts from and a sum begins with.
ThreadUsage zero_usage();

/// Of the calling thread.
ThreadUsage read_own_usage();

/// Run delay and timeslices of another thread of ours, alive or gone (then absent).
ThreadUsage read_schedstat_of(std::int32_t thread_id);

}  // namespace schedlab::workload::schbench
