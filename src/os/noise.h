// Noise: what else the machine did while a run went on. Two samples, one before and one after, and
// their difference; a disturbed run is marked by it, never dropped.
//
// /proc/stat counts in ticks (10 ms on most kernels) and often by sampling, so that foreign CPU
// time is good to some ticks per CPU: enough to see a cron job, not to correct a figure. That is
// why is_disturbed (core/run_record.h) asks for 50 ms beside its share of 5 %: for a run of 0.1 s
// on two CPUs that share is a single tick. All sums are over all CPUs: what disturbed the one CPU
// that a pinned run had is not told apart from what an idle one did.
#pragma once

#include <cstdint>
#include <optional>

#include "core/duration.h"
#include "core/result.h"
#include "core/run_record.h"
#include "os/procfs.h"

namespace schedlab::os {

struct NoiseSample {
  Nanos busy{0};     // user, nice, system, irq and softirq time of all CPUs since boot
  Nanos steal{0};    // taken by the hypervisor, all CPUs
  Nanos own_cpu{0};  // of the calling process, without its children
  std::int64_t interrupts = 0;
  std::optional<std::int64_t> throttle_events;  // nullopt where no CPU tells
};

/// Source: Documentation/filesystems/proc.rst, "/proc/stat"; thermal_throttle counts as x86 shows
/// them in /sys, summed over CPUs and over core and package. Errors: /proc/stat is
/// missing or garbage; a throttle count is garbage.
Result<NoiseSample> read_noise(const ProcFs& fs);

/// `run_cpu_time`: user and system time of the run's whole process tree. Foreign CPU time is what
/// was busy beyond the run and the calling process, at least 0.
NoiseDeltas between(const NoiseSample& before, const NoiseSample& after, Nanos run_cpu_time);

}  // namespace schedlab::os
