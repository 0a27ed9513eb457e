#include "lab/session.h"

#include <map>
#include <utility>

namespace schedlab::lab {

namespace {

constexpr std::int32_t kFailuresAllowed = 2;

/// Decides when a case under an arm has failed too often for the plan to go on.
class FailureBook {
 public:
  /// True when the session should end.
  bool note(const Step& step, Outcome outcome) {
    Entry& entry = entries_[{step.case_index, step.arm_index}];
    if (outcome == Outcome::Ok) {
      entry.ever_succeeded = true;
      return false;
    }
    ++entry.failures;
    return !entry.ever_succeeded || entry.failures > kFailuresAllowed;
  }

 private:
  struct Entry {
    bool ever_succeeded = false;
    std::int32_t failures = 0;
  };

  std::map<std::pair<std::size_t, std::size_t>, Entry> entries_;
};

}  // namespace

Result<SessionEnd> run_plan(const Plan& plan,
                            ExperimentId experiment,
                            store::Store& store,
                            Runner& runner,
                            Observer& observer,
                            const os::StopRequest& stop) {
  const auto per_block = static_cast<std::int32_t>(plan.cases.size() * plan.arms.size() * 2);
  const std::int32_t total = plan.blocks * per_block;
  SessionEnd end;
  FailureBook failures;
  for (std::int32_t block = 0; block < plan.blocks; ++block) {
    for (const Step& step : block_steps(plan, block)) {
      observer.run_starts(plan, step, end.runs_done, total);
      SCHEDLAB_ASSIGN_OR_RETURN(RunRecord record, runner.run(plan, step, stop));
      if (record.outcome == Outcome::Interrupted) {
        end.interrupted = true;
        return end;
      }
      record.experiment = experiment;
      for (const std::string& hash : {record.environment_before, record.environment_after}) {
        if (!hash.empty())
          SCHEDLAB_RETURN_IF_ERROR(store.add_environment(hash, runner.environment(hash)));
      }
      SCHEDLAB_ASSIGN_OR_RETURN(record.id, store.add_run(record));
      ++end.runs_done;
      if (record.outcome != Outcome::Ok) ++end.runs_failed;
      // The failure that ends the session is the caller's error; told here too, it would be told
      // twice.
      if (failures.note(step, record.outcome)) return failed(record.failure);
      observer.run_ended(record, end.runs_done, total);
      if (stop.requested.load()) {
        end.interrupted = true;
        return end;
      }
    }
  }
  return end;
}

}  // namespace schedlab::lab
