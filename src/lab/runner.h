// Runner: one step of a plan -> one RunRecord. The run is a fresh process beneath a supervisor that
// can always kill it whole (os/supervisor.h); what the machine did meanwhile is read before and
// after.
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/result.h"
#include "core/run_record.h"
#include "lab/plan.h"
#include "os/canary.h"
#include "os/interrupt.h"
#include "os/procfs.h"

namespace schedlab::lab {

/// argv[1] of the process in which our own workloads run; cli hands it to run_workload_child().
inline constexpr const char* kRunCommand = "__run";

/// What `schedlab __run WORKLOAD ARGUMENT...` does: runs the workload and writes its framed output
/// to `result_fd`. Errors are printed by the caller on stderr, where the runner reads the last line
/// as the run's failure.
Status run_workload_child(std::span<const std::string> arguments, int result_fd);

/// The seam between the session and real processes; tests script it.
class Runner {
 public:
  Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  Runner(Runner&&) = delete;
  Runner& operator=(Runner&&) = delete;
  virtual ~Runner() = default;

  /// Never fails for what the run itself did: that is in the record's outcome. Errors: this process
  /// can't start any run (no memory, no descriptors).
  virtual Result<RunRecord> run(const Plan& plan,
                                const Step& step,
                                const os::StopRequest& stop) = 0;

  /// The text of an environment named by a record of this runner.
  [[nodiscard]] virtual std::string environment(const std::string& hash) const = 0;
};

class ProcessRunner final : public Runner {
 public:
  explicit ProcessRunner(const os::ProcFs& fs) : fs_(fs) {}

  Result<RunRecord> run(const Plan& plan, const Step& step, const os::StopRequest& stop) override;
  [[nodiscard]] std::string environment(const std::string& hash) const override;

 private:
  std::string capture();

  const os::ProcFs& fs_;
  os::Canary canary_;
  std::map<std::string, std::string> environments_;  // by hash
};

}  // namespace schedlab::lab
