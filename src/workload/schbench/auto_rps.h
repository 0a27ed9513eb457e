// Auto-RPS (-A): once a second, steer the request rate so that the whole machine is as busy as
// asked.
#pragma once

#include <cstdint>
#include <optional>

#include "os/procfs.h"

namespace schedlab::workload::schbench {

struct CpuTimes {
  std::uint64_t idle = 0;  // ticks of all CPUs; waiting for I/O counts as busy
  std::uint64_t total = 0;
};

/// The first line of /proc/stat. Errors: missing or garbled.
Result<CpuTimes> read_cpu_times(const os::ProcFs& files);

/// Percent busy between two readings; absent when no tick has passed.
std::optional<double> busy_percent(const CpuTimes& before, const CpuTimes& after);

struct RateStep {
  std::int64_t rate = 0;  // at least 1: a rate of 0 could never grow again
  bool target_hit = false;
};

/// The rate for the next second: grown by at most 3 and shrunk by at most 0.3, damped near the
/// target.
RateStep next_rate(std::int64_t rate, double busy, double target);

}  // namespace schedlab::workload::schbench
