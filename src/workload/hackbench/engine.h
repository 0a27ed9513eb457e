// One hackbench run: builds the groups, starts them at once, waits, and puts the figures together.
//
//   set-up                                       | Time
//   channels, tasks, ready bytes of all tasks    | wake byte ... messages ... exits, all reaped
//
// The order of all that the original does in the same way is the original's: groups one after
// another; within a group a channel and its receiver, fds times, then the senders; a process
// closes what the other side of its channel uses, the parent closes a read end once its receiver
// has it and a group's write ends once its senders have them; threads share all descriptors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/duration.h"
#include "core/histogram.h"
#include "core/result.h"
#include "workload/hackbench/options.h"

namespace schedlab::workload::hackbench {

struct Measurement {
  Nanos setup_time{0};
  Nanos time{0};  // what the original prints
  // Not of a classic run:
  std::optional<Nanos> message_time;  // wake byte to the last message of the last task
  std::vector<Nanos> group_times;     // the same for each group
  std::optional<std::int64_t> migrations;
  // Of all tasks from their ready byte to their end:
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  std::int64_t messages = 0;                 // received whole
  std::int64_t unstamped = 0;                // received without a stamp that could be told
  std::optional<Histogram> message_latency;  // ns, send to receipt; of a latency run
};

/// Runs in this process, which should have no other children and whose main thread this must be.
/// The caller has checked the limits. SIGINT, SIGTERM and SIGHUP end it with an Interrupted
/// error (SignalWatch::interrupted_by() tells which came). On every error no task is left.
Result<Measurement> measure(const Options& options);

}  // namespace schedlab::workload::hackbench
