// A crew: the tasks of a run, as processes or as threads, from their start to their end.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/result.h"
#include "workload/hackbench/options.h"
#include "workload/hackbench/task.h"

namespace schedlab::workload::hackbench {

class Crew {
 public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  Crew(Crew&&) = delete;
  Crew& operator=(Crew&&) = delete;

  /// Abandons what is still there.
  virtual ~Crew() = default;

  /// Starts one task. What `plan` points to must outlive the crew. Errors: no task to be had; the
  /// others go on, abandon() ends them.
  virtual Status start(const TaskPlan& plan) = 0;

  /// Waits until every task has ended. Errors: Interrupted; a task that failed, as soon as that is
  /// seen: the rest goes on, abandon() ends them. A failure that comes last may stand in its slot
  /// only.
  virtual Status wait_for_all() = 0;

  /// Ends every task that is left, however stuck, and waits until it is gone.
  virtual void abandon() = 0;
};

/// Processes are killed with SIGKILL, also by the kernel when the thread that made them dies.
/// Threads are stopped through `run.stop` and SignalWatch::kNudge; a SignalWatch must live.
std::unique_ptr<Crew> make_crew(TaskKind kind, RunPlan& run, std::size_t tasks);

/// What a task's slot says went wrong, in words; empty when nothing.
std::string describe_failure(const TaskSlot& slot);

/// The error for a run that was asked to stop.
Error interrupted_error();

}  // namespace schedlab::workload::hackbench
