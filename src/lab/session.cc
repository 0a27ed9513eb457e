#include "lab/session.h"

#include <map>
#include <utility>
#include <vector>

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

/// One session at work; its steps share what has been done so far.
class Session {
 public:
  Session(const Plan& plan,
          ExperimentId experiment,
          store::Store& store,
          Runner& runner,
          Observer& observer,
          const os::StopRequest& stop)
      : plan_(plan),
        experiment_(experiment),
        store_(store),
        runner_(runner),
        observer_(observer),
        stop_(stop),
        total_(plan.blocks * static_cast<std::int32_t>(plan.cases.size() * plan.arms.size() * 2)) {}

  /// The runs of one block, as stored; fewer when interrupted.
  Result<std::vector<RunRecord>> run_block(std::int32_t block) {
    std::vector<RunRecord> records;
    for (const Step& step : block_steps(plan_, block)) {
      observer_.run_starts(plan_, step, end_.runs_done, total_);
      SCHEDLAB_ASSIGN_OR_RETURN(RunRecord record, runner_.run(plan_, step, stop_));
      if (record.outcome == Outcome::Interrupted) {
        end_.interrupted = true;
        return records;
      }
      SCHEDLAB_RETURN_IF_ERROR(keep(record));
      // The failure that ends the session is the caller's error; told here too, it would be told
      // twice.
      if (failures_.note(step, record.outcome)) return failed(record.failure);
      observer_.run_ended(record, end_.runs_done, total_);
      records.push_back(std::move(record));
      if (stop_.requested.load()) {
        end_.interrupted = true;
        return records;
      }
    }
    return records;
  }

  [[nodiscard]] SessionEnd& end() { return end_; }

 private:
  Status keep(RunRecord& record) {
    record.experiment = experiment_;
    for (const std::string& hash : {record.environment_before, record.environment_after}) {
      if (!hash.empty())
        SCHEDLAB_RETURN_IF_ERROR(store_.add_environment(hash, runner_.environment(hash)));
    }
    SCHEDLAB_ASSIGN_OR_RETURN(record.id, store_.add_run(record));
    ++end_.runs_done;
    if (record.outcome != Outcome::Ok) ++end_.runs_failed;
    return {};
  }

  const Plan& plan_;
  ExperimentId experiment_;
  store::Store& store_;
  Runner& runner_;
  Observer& observer_;
  const os::StopRequest& stop_;
  std::int32_t total_;
  SessionEnd end_;
  FailureBook failures_;
};

}  // namespace

Result<SessionEnd> run_plan(const Plan& plan,
                            ExperimentId experiment,
                            store::Store& store,
                            Runner& runner,
                            Observer& observer,
                            const os::StopRequest& stop,
                            const BlockRule& goes_on) {
  Session session(plan, experiment, store, runner, observer, stop);
  for (std::int32_t block = 0; block < plan.blocks; ++block) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<RunRecord> records, session.run_block(block));
    if (session.end().interrupted) break;
    if (!goes_on || block + 1 == plan.blocks) continue;
    SCHEDLAB_ASSIGN_OR_RETURN(const bool more, goes_on(records));
    if (more) continue;
    session.end().stopped_by_rule = true;
    break;
  }
  return session.end();
}

}  // namespace schedlab::lab
