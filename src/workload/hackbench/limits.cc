#include "workload/hackbench/limits.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/text.h"

namespace schedlab::workload::hackbench {

namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

/// pids below this stay with the system once the counter has wrapped (RESERVED_PIDS).
constexpr std::uint64_t kReservedPids = 300;

/// Memory of a task and of a full channel, kernel side included. Upper edges of what MemAvailable
/// lost with 400 to 800 tasks at rest and at work.
constexpr std::uint64_t kBytesPerProcess = 96 * kKiB;
constexpr std::uint64_t kBytesPerThread = 40 * kKiB;
constexpr std::uint64_t kBytesPerSocketPair = 208 * kKiB;  // net.core.wmem_default, with overhead
constexpr std::uint64_t kBytesPerPipe = 64 * kKiB;
constexpr std::uint64_t kBytesPerTcpPair = kMiB;  // autotuned; tcp_mem bounds the sum
constexpr std::uint64_t kBytesPerHistogram = 128 * kKiB;

std::uint64_t channel_bytes(Ipc ipc) {
  switch (ipc) {
    case Ipc::Pipe:
      return kBytesPerPipe;
    case Ipc::Inet:
      return kBytesPerTcpPair;
    case Ipc::Socket:
      break;
  }
  return kBytesPerSocketPair;
}

/// A channel holds no more than all that is ever sent into it.
std::uint64_t channel_peak(const Options& options) {
  constexpr std::uint64_t kOverheadPerMessage = 1024;
  const std::uint64_t capacity = channel_bytes(options.ipc);
  std::uint64_t sent = 0;
  const bool overflow =
      __builtin_mul_overflow(static_cast<std::uint64_t>(options.messages_per_task()),
                             static_cast<std::uint64_t>(options.datasize) + kOverheadPerMessage,
                             &sent);
  return overflow || sent > capacity ? capacity : sent;
}

std::string readable_bytes(std::uint64_t bytes) {
  const double mib = static_cast<double>(bytes) / static_cast<double>(kMiB);
  if (mib >= 1024) return fmt::format("{:.1f} GiB", mib / 1024);
  return fmt::format("{:.0f} MiB", mib);
}

Status check_descriptors(const Needs& needs, const Limits& limits) {
  const std::uint64_t total = limits.open_descriptors + needs.descriptors;
  if (total <= limits.resources.descriptors_hard) return {};
  return failed(
      fmt::format("not enough file descriptors: the run needs {} in one process, RLIMIT_NOFILE "
                  "allows {} (soft) and {} (hard); as root: `ulimit -n {}`, or lower --groups or "
                  "--fds",
                  total,
                  limits.resources.descriptors_soft,
                  limits.resources.descriptors_hard,
                  total));
}

/// One ceiling on the number of tasks, whoever sets it.
struct TaskCeiling {
  std::string name;
  std::uint64_t max = kUnlimited;
  std::uint64_t used = 0;
  std::string_view remedy;
};

std::vector<TaskCeiling> task_ceilings(const Limits& limits) {
  std::vector<TaskCeiling> out;
  if (!limits.privileged_resources) {
    out.push_back({"RLIMIT_NPROC",
                   limits.resources.user_tasks,
                   limits.user_tasks.value_or(1),
                   "raise `ulimit -u`"});
  }
  const std::uint64_t running = limits.system_tasks.value_or(0);
  if (limits.pid_max) {
    out.push_back(
        {"kernel.pid_max", *limits.pid_max, running + kReservedPids, "raise that sysctl"});
  }
  if (limits.threads_max) {
    out.push_back({"kernel.threads-max", *limits.threads_max, running, "raise that sysctl"});
  }
  for (const CgroupLimit& group : limits.cgroup_pids) {
    out.push_back({group.file, group.max, group.current, "raise it (systemd: TasksMax=)"});
  }
  return out;
}

Status check_tasks(const Needs& needs, const Limits& limits) {
  for (const TaskCeiling& ceiling : task_ceilings(limits)) {
    if (ceiling.max == kUnlimited || ceiling.used + needs.tasks <= ceiling.max) continue;
    return failed(fmt::format(
        "not enough tasks: the run needs {}, {} allows {} and {} are taken; {} to {}, or lower "
        "--groups or --fds",
        needs.tasks,
        ceiling.name,
        ceiling.max,
        ceiling.used,
        ceiling.remedy,
        ceiling.used + needs.tasks));
  }
  return {};
}

Status check_memory(const Needs& needs, const Limits& limits) {
  const auto too_little = [&needs](std::string_view name, std::uint64_t has) {
    return failed(
        fmt::format("not enough memory: the run needs about {}, {} is {}; lower --groups, --fds or "
                    "--datasize",
                    readable_bytes(needs.memory),
                    name,
                    readable_bytes(has)));
  };
  if (limits.memory_available && needs.memory > *limits.memory_available) {
    return too_little("MemAvailable", *limits.memory_available);
  }
  // Against the ceiling alone: what the group holds now is partly page cache that it can drop.
  for (const CgroupLimit& group : limits.cgroup_memory) {
    if (needs.memory > group.max) return too_little(group.file, group.max);
  }
  return {};
}

Status check_mappings(const Needs& needs, const Limits& limits) {
  const std::uint64_t total = limits.mappings + needs.mappings;
  if (!limits.max_map_count || total <= *limits.max_map_count) return {};
  return failed(
      fmt::format("not enough memory mappings: the run needs {} in one process, vm.max_map_count "
                  "allows {}; raise that sysctl to {}, or lower --groups or --fds",
                  total,
                  *limits.max_map_count,
                  total));
}

Status check_ports(const Needs& needs, const Limits& limits) {
  if (!limits.local_ports || needs.ports <= *limits.local_ports) return {};
  return failed(
      fmt::format("not enough TCP ports: --inet needs {}, net.ipv4.ip_local_port_range holds {}; "
                  "widen it, or lower --groups or --fds",
                  needs.ports,
                  *limits.local_ports));
}

Status check_fifo(const Options& options, const Limits& limits) {
  if (!options.fifo || limits.may_set_realtime) return {};
  return failed(
      "--fifo: not allowed to use SCHED_FIFO: needs CAP_SYS_NICE or `ulimit -r` of at least 1");
}

/// A user without privilege who holds more pipe pages than the soft limit gets 2 pages per pipe
/// instead of 16: senders then block eight times as often.
void note_pipe_shrink(const Needs& needs, const Limits& limits, std::vector<std::string>& notes) {
  if (limits.privileged_resources || limits.pipe_pages_soft.value_or(0) == 0) return;
  if (needs.pipe_pages <= *limits.pipe_pages_soft) return;
  notes.push_back(
      fmt::format("pipes hold {} pages in all, fs.pipe-user-pages-soft is {}: for this user the "
                  "kernel shrinks the later ones from 64 KiB to 8 KiB, which moves the figures; "
                  "run as root or raise that sysctl",
                  needs.pipe_pages,
                  *limits.pipe_pages_soft));
}

}  // namespace

Needs needs_of(const Options& options) {
  const auto count = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const bool threads = options.tasks == TaskKind::Thread;
  const std::uint64_t channels = count(options.channel_count());
  const std::uint64_t listener = options.ipc == Ipc::Inet ? 1 : 0;
  constexpr std::uint64_t kReadyAndWake = 4;
  constexpr std::uint64_t kPagesPerPipe = 16;

  Needs needs;
  needs.tasks = count(options.task_count());
  // Processes: the write ends of the group being built and one read end. Threads share one table.
  needs.descriptors = kReadyAndWake + listener + (threads ? 2 * channels : count(options.fds) + 1);
  needs.memory =
      needs.tasks * ((threads ? kBytesPerThread : kBytesPerProcess) + count(options.datasize)) +
      channels * (channel_peak(options) + (options.latency ? kBytesPerHistogram : 0));
  // A stack and its guard page, and the pages of a large message.
  if (threads) needs.mappings = 3 * needs.tasks;
  if (options.ipc == Ipc::Pipe) needs.pipe_pages = (channels + 2) * kPagesPerPipe;
  if (options.ipc == Ipc::Inet) needs.ports = channels + 3;  // one each, ready, wake, listener
  return needs;
}

Result<Preflight> preflight(const Options& options, const Limits& limits) {
  const Needs needs = needs_of(options);
  SCHEDLAB_RETURN_IF_ERROR(check_fifo(options, limits));
  SCHEDLAB_RETURN_IF_ERROR(check_descriptors(needs, limits));
  SCHEDLAB_RETURN_IF_ERROR(check_tasks(needs, limits));
  SCHEDLAB_RETURN_IF_ERROR(check_memory(needs, limits));
  SCHEDLAB_RETURN_IF_ERROR(check_mappings(needs, limits));
  SCHEDLAB_RETURN_IF_ERROR(check_ports(needs, limits));

  Preflight out;
  const std::uint64_t total = limits.open_descriptors + needs.descriptors;
  if (total > limits.resources.descriptors_soft) {
    out.raise_descriptor_limit = true;
    out.notes.push_back(
        fmt::format("{} file descriptors needed: the soft limit of {} was raised to the hard limit "
                    "of {}",
                    total,
                    limits.resources.descriptors_soft,
                    limits.resources.descriptors_hard));
  }
  note_pipe_shrink(needs, limits, out.notes);
  return out;
}

}  // namespace schedlab::workload::hackbench
