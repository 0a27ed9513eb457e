// Session: carries out a plan, run by run, and stores each finished run before the next begins.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/result.h"
#include "lab/plan.h"
#include "lab/runner.h"
#include "os/interrupt.h"
#include "store/store.h"

namespace schedlab::lab {

/// Hears of each run as it ends; the terminal's progress line and the pipe's one line per run are
/// observers.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  Observer(Observer&&) = delete;
  Observer& operator=(Observer&&) = delete;
  virtual ~Observer() = default;

  virtual void run_starts(const Plan& plan,
                          const Step& step,
                          std::int32_t done,
                          std::int32_t total) = 0;
  virtual void run_ended(const RunRecord& record, std::int32_t done, std::int32_t total) = 0;
};

struct SessionEnd {
  std::int32_t runs_done = 0;
  std::int32_t runs_failed = 0;
  bool interrupted = false;
  bool stopped_by_rule = false;  // before the plan's last block
};

/// Asked after each block but the last, with the block's runs as stored, failed ones too: whether
/// the plan goes on. Decides by what it was built with; the session knows no rule. Errors end the
/// session.
using BlockRule = std::function<Result<bool>(std::span<const RunRecord> block)>;

/// Runs the plan under an experiment that is already in the store. A run that fails is stored, told
/// to the observer and left out of its block; one that fails before its case and arm ever
/// succeeded, or for the third time, ends the session with that failure as the error, since the
/// rest would fail as well. The run in flight when `stop` is requested is killed and not stored,
/// unless it had ended by then. Without `goes_on` all blocks are run; a block is never cut short by
/// it.
Result<SessionEnd> run_plan(const Plan& plan,
                            ExperimentId experiment,
                            store::Store& store,
                            Runner& runner,
                            Observer& observer,
                            const os::StopRequest& stop,
                            const BlockRule& goes_on = nullptr);

}  // namespace schedlab::lab
