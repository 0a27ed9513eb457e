// Running a command as one run that can always be killed whole.
//
//   runner (schedlab ab)             supervisor (__supervise)             the run
//   run_supervised() --spawns-->     own session, subreaper   --forks-->  attributes, cgroup, exec
//   reads stdout, stderr, result     waits; at the end kills              may fork, setsid, ignore
//   time limit, stop                 and reaps all that is left           signals: it still ends
//
// Who sees that the run ends:
//   the command ends by itself       the supervisor kills what it left behind
//   time limit, stop, output limit   the runner sends SIGTERM, the supervisor kills the run
//   the runner dies (even kill -9)   PDEATHSIG sends that SIGTERM
//   the supervisor dies              the runner kills the cgroup, the process group and every
//                                    process that it inherits (it is a subreaper meanwhile)
// Only when both are killed at once can something stay, and remove_stale_cgroups() ends that later.
//
// Nothing of ours runs between start and end: both sleep in poll() and sigwaitinfo().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/duration.h"
#include "core/result.h"
#include "os/run_attributes.h"
#include "os/thread_stats.h"

namespace schedlab::os {

/// First argument by which a program is told to be a supervisor; its main() then returns
/// supervise_main().
inline constexpr std::string_view kSuperviseArgument = "__supervise";

/// The descriptor on which the command may write its result.
inline constexpr int kResultFd = 3;

struct SupervisedCommand {
  std::string program;                 // a path, or a name looked up in PATH
  std::vector<std::string> arguments;  // argv, the name first
  RunAttributes attributes{};
  std::optional<Nanos> time_limit{};

  /// Readable means stop (a signalfd, an eventfd, a pipe); never read by us. -1: none.
  int stop_fd = -1;

  /// False: do without a cgroup, as where none can be had.
  bool use_cgroup = true;

  std::size_t output_limit = std::size_t{16} << 20U;   // of stdout and of stderr, each
  std::size_t result_limit = std::size_t{256} << 20U;  // of kResultFd
  std::string supervisor = "/proc/self/exe";           // a program that knows kSuperviseArgument
};

struct FinishedProcess {
  std::int32_t exit_code = 0;    // of the command itself, when it exited
  std::int32_t exit_signal = 0;  // of the command itself, when a signal ended it; 0 when none
  bool timed_out = false;        // we ended it at its time limit
  bool interrupted = false;      // we ended it because stop_fd said so
  std::string failure;           // one line when the run was cut short otherwise, else empty

  Nanos start_monotonic{0};  // just before its exec
  Nanos end_monotonic{0};    // when the command itself had ended
  Nanos start_wall{0};
  Nanos end_wall{0};

  /// Of the whole tree, as far as its processes were waited for by each other or reaped by us.
  Usage usage;
  std::int64_t max_rss_bytes = 0;  // of its largest process

  std::string out;
  std::string err;
  std::string result;  // what came on kResultFd
  std::vector<std::string> notes;

  [[nodiscard]] bool ok() const {
    return failure.empty() && !timed_out && !interrupted && exit_code == 0 && exit_signal == 0;
  }
};

/// Runs it to its end and leaves no process or cgroup of it. stdin is /dev/null. Errors: it could
/// not be started (no such program, attributes refused, out of processes), or stop_fd was readable
/// before it began (Interrupted).
///
/// One at a time in a process, and no other thread may start processes meanwhile: children that
/// appear while it runs count as the run's. The calling thread must not end before it returns.
Result<FinishedProcess> run_supervised(const SupervisedCommand& command);

/// main() of the supervisor; `arguments` is argv. Writes only to the descriptors run_supervised
/// gave it.
int supervise_main(int argc, const char* const* argv);

}  // namespace schedlab::os
