// What a sender and a receiver do, from their first instruction to their last; the same for
// processes and threads.
//
//   ready byte -> poll(wake) -> the messages -> end
//                 ^ Time begins when the parent writes the wake byte
//
// A task that cannot make ready leaves the reason in its slot and says ready all the same.
// Everything that costs (the message buffer, its first touch, the histogram) comes before the ready
// byte. Between wake-up and end a task makes the system calls of the messages and no others, and
// three kinds of run differ in what else they do there:
//
//   classic   nothing
//   native    compares the CPU it is on after each message; reads the clock once at the end
//   latency   as native, and a sender stamps each message, a receiver reads the clock for each
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "workload/hackbench/ledger.h"

namespace schedlab::workload::hackbench {

enum class Probe { Classic, Native, Latency };

/// What all tasks of a run share.
struct RunPlan {
  std::int64_t loops = 0;
  std::int64_t fds = 0;
  std::size_t datasize = 0;
  Probe probe = Probe::Native;
  int ready_fd = -1;               // written
  int wake_fd = -1;                // polled
  std::int64_t stamp_base_ns = 0;  // stamps count from here
  std::atomic<bool> stop{false};  // set to end threads early; a system call must be interrupted too
};

/// What one task works on.
struct TaskPlan {
  const RunPlan* run = nullptr;
  TaskSlot* slot = nullptr;
  std::span<char> histogram_area;  // of a receiver in a latency run
  int read_fd = -1;                // a receiver's; -1 makes it a sender
  int unused_fd = -1;              // closed first by a process, its peer's end; -1 = none
  std::span<const int> write_fds;  // a sender's
};

/// Runs the task to its end. True when all messages passed; else the slot says what failed.
bool run_task(const TaskPlan& plan);

}  // namespace schedlab::workload::hackbench
