// What a hackbench run is asked to be, and the command line that says it.
//
// The options are those of rt-tests' hackbench 2.4 with getopt's rules (clusters, abbreviations of
// long names, options after positional arguments, `--`); `schedlab hackbench` adds --latency,
// --classic and --json. Counts are whole decimal numbers in a stated range: what the original's
// atoi let through ("-1", "5abc") is refused in both styles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "workload/workload.h"

namespace schedlab::workload::hackbench {

enum class Ipc { Socket, Pipe, Inet };
enum class TaskKind { Process, Thread };

/// The kernel's own ceiling for pids (PID_MAX_LIMIT): no machine runs more tasks.
inline constexpr std::int64_t kMaxTasks = 4'194'304;
inline constexpr std::int64_t kMaxLoops = 1'000'000'000'000;
/// A read or write moves at most 2^31 - 4096 bytes; half of that is a message nobody sends.
inline constexpr std::int64_t kMaxDatasize = std::int64_t{1} << 30;

struct Options {
  std::int64_t groups = 10;
  std::int64_t fds = 20;  // channels, receivers and senders of a group, each
  std::int64_t loops = 100;
  std::int64_t datasize = 100;  // bytes
  Ipc ipc = Ipc::Socket;
  TaskKind tasks = TaskKind::Process;
  bool fifo = false;
  bool classic = false;  // nothing of ours between wake-up and exit of a task
  bool latency = false;
  bool help = false;
  std::string json_path{};                //  "-" is standard output
  std::vector<std::string> positional{};  // ignored ones; only in drop-in style

  [[nodiscard]] std::int64_t channel_count() const { return groups * fds; }

  [[nodiscard]] std::int64_t task_count() const { return 2 * groups * fds; }

  /// What one receiver reads, and what one sender writes.
  [[nodiscard]] std::int64_t messages_per_task() const { return fds * loops; }

  [[nodiscard]] std::int64_t message_count() const { return channel_count() * messages_per_task(); }

  friend bool operator==(const Options&, const Options&) = default;
};

/// Errors (Usage), one line: an option that does not exist, with the nearest that does; a value out
/// of range; -p with -i; products beyond what can be counted; in native style also positional
/// arguments, with the options that say the same.
Result<Options> parse_options(Arguments arguments, ToolStyle style);

/// The options that differ from the defaults, as the original takes them. Errors: --latency and
/// --json, which it does not have.
Result<std::vector<std::string>> original_arguments(const Options& options);

/// What --help prints.
std::string help_text(ToolStyle style);

}  // namespace schedlab::workload::hackbench
