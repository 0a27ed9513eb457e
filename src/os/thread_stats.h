// What the kernel counts for a thread or a process: CPU time, context switches, time spent runnable
// but waiting (run delay), migrations. Read before and after a measurement, never inside it.
//
// Sources: getrusage(2); Documentation/scheduler/sched-stats.rst for schedstat; the sched file of
// /proc is there under CONFIG_SCHED_DEBUG.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/duration.h"
#include "core/result.h"
#include "os/procfs.h"

namespace schedlab::os {

struct SwitchCounts {
  std::int64_t voluntary = 0;    // it slept or yielded
  std::int64_t involuntary = 0;  // it was preempted

  friend bool operator==(const SwitchCounts&, const SwitchCounts&) = default;

  friend SwitchCounts operator-(const SwitchCounts& a, const SwitchCounts& b) {
    return {a.voluntary - b.voluntary, a.involuntary - b.involuntary};
  }
};

struct Usage {
  SwitchCounts switches;
  Nanos user{0};
  Nanos system{0};

  [[nodiscard]] Nanos cpu_time() const { return user + system; }
};

enum class UsageOf {
  Thread,    // the calling one
  Process,   // all its threads, ended ones too
  Children,  // those that ended and were waited for, and theirs
};

/// getrusage. CPU time is exact where the kernel accounts it so, else in ticks.
Usage read_usage(UsageOf whose);

struct SchedStat {
  Nanos on_cpu{0};
  Nanos run_delay{0};  // runnable, waiting for a CPU
  std::int64_t timeslices = 0;

  friend bool operator==(const SchedStat&, const SchedStat&) = default;
};

/// The calling thread's directory in /proc, for the readers below.
inline constexpr std::string_view kThisThread = "/proc/thread-self";

/// "/proc/PID/task/TID".
std::string task_directory(pid_t process, pid_t thread);

/// `directory`/schedstat. Errors: absent (no CONFIG_SCHED_INFO, or the thread is gone), all zero
/// (the kernel does not count), garbage.
Result<SchedStat> read_schedstat(const ProcFs& fs, std::string_view directory);

/// se.nr_migrations of `directory`/sched; nullopt where that file is not to be had.
std::optional<std::int64_t> read_migrations(const ProcFs& fs, std::string_view directory);

/// Sums over the threads of a process that live now; those that ended took their figures along.
struct ProcessSchedStat {
  SchedStat sum;
  std::optional<std::int64_t> migrations;  // nullopt unless every thread gave its own
  std::int64_t threads = 0;
};

/// Errors: the process is gone, or no thread of it can be read.
Result<ProcessSchedStat> read_process_schedstat(const ProcFs& fs, pid_t process);

}  // namespace schedlab::os
