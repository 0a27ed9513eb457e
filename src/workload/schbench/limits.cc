#include "workload/schbench/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/text.h"

namespace schedlab::workload::schbench {

namespace {

/// Something that bounds the number of threads, and what runs under it already.
struct Limit {
  std::string name;
  std::uint64_t value = 0;
  std::uint64_t taken = 0;
  std::string remedy = "raise it or use fewer threads";
};

constexpr const char* kRaiseSysctl = "raise that sysctl or use fewer threads";

std::optional<std::uint64_t> to_number(std::string_view text) {
  const auto value = parse_integer(trim(text), 0, INT64_MAX);
  if (!value) return std::nullopt;  // pids.max may say "max"
  return static_cast<std::uint64_t>(*value);
}

std::optional<std::uint64_t> read_number(const os::ProcFs& files, std::string_view path) {
  const auto text = files.read(path);
  return text ? to_number(*text) : std::nullopt;
}

/// The first word after "Key:" in a file of such lines.
std::string_view word_after(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(key)) continue;
    const auto fields = words(line.substr(key.size()));
    return fields.empty() ? std::string_view() : fields.front();
  }
  return {};
}

/// All threads of the machine: fourth field of /proc/loadavg, "runnable/all". 0 when not known.
std::uint64_t system_threads(const os::ProcFs& files) {
  const auto text = files.read("/proc/loadavg");
  if (!text) return 0;
  const auto fields = words(*text);
  if (fields.size() < 4) return 0;
  const std::size_t slash = fields[3].find('/');
  if (slash == std::string_view::npos) return 0;
  return to_number(fields[3].substr(slash + 1)).value_or(0);
}

/// Threads of all processes of our real user, which is what RLIMIT_NPROC counts.
std::uint64_t user_threads(const os::ProcFs& files) {
  const auto own = files.read("/proc/self/status");
  const auto names = files.list("/proc");
  if (!own || !names) return 0;
  const std::string_view user = word_after(*own, "Uid:");
  std::uint64_t threads = 0;
  for (const std::string& name : *names) {
    if (!to_number(name)) continue;
    const auto status = files.read("/proc/" + name + "/status");
    if (!status || word_after(*status, "Uid:") != user) continue;  // gone, or another's
    threads += to_number(word_after(*status, "Threads:")).value_or(1);
  }
  return threads;
}

/// pids.max of the group at `path` and of those above it in the hierarchy mounted at `mount`.
void climb(const os::ProcFs& files,
           std::string_view mount,
           std::string path,
           std::vector<Limit>& limits) {
  while (!path.empty()) {
    const std::string group = fmt::format("{}{}", mount, path == "/" ? "" : path);
    if (const auto value = read_number(files, group + "/pids.max")) {
      const std::uint64_t taken = read_number(files, group + "/pids.current").value_or(0);
      limits.push_back({group + "/pids.max", *value, taken});
    }
    path.erase(path.find_last_of('/'));
  }
}

/// Both kinds of hierarchy at their usual mount points; lines are "id:controllers:path".
void add_cgroup_limits(const os::ProcFs& files, std::vector<Limit>& limits) {
  const auto text = files.read("/proc/self/cgroup");
  if (!text) return;
  for (const std::string_view line : split(*text, '\n')) {
    const auto fields = split(line, ':');
    if (fields.size() < 3 || !fields[2].starts_with('/')) continue;
    const std::string path(line.substr(fields[0].size() + fields[1].size() + 2));
    if (fields[1].empty()) climb(files, "/sys/fs/cgroup", path, limits);
    if (fields[1] == "pids") climb(files, "/sys/fs/cgroup/pids", path, limits);
  }
}

std::vector<Limit> thread_limits(const Surroundings& here) {
  std::vector<Limit> limits;
  for (const char* file : {"/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"}) {
    if (const auto value = read_number(here.files, file)) {
      limits.push_back({file, *value, system_threads(here.files), kRaiseSysctl});
    }
  }
  // A thread takes a mapping for its stack, one for the guard and one or two for its memory.
  if (const auto value = read_number(here.files, "/proc/sys/vm/max_map_count")) {
    limits.push_back(
        {"/proc/sys/vm/max_map_count (4 mappings a thread)", *value / 4, 0, kRaiseSysctl});
  }
  if (here.process_limit != UINT64_MAX) {
    limits.push_back({"RLIMIT_NPROC (ulimit -u)", here.process_limit, user_threads(here.files)});
  }
  add_cgroup_limits(here.files, limits);
  return limits;
}

std::optional<std::uint64_t> available_memory(const os::ProcFs& files) {
  const auto text = files.read("/proc/meminfo");
  if (!text) return std::nullopt;
  for (const std::string_view line : split(*text, '\n')) {
    if (!line.starts_with("MemAvailable:")) continue;
    const auto fields = words(line);
    if (fields.size() < 2) return std::nullopt;
    const auto kib = parse_integer(fields[1], 0, INT64_MAX / 1024);
    if (kib) return static_cast<std::uint64_t>(*kib) * 1024;
  }
  return std::nullopt;
}

Status check_memory(const Plan& plan, const Surroundings& here) {
  const auto available = available_memory(here.files);
  if (!available) return {};
  const double each = static_cast<double>(bytes_per_worker(plan));
  const double shared = plan.shared_operations == 0
                            ? 0
                            : 3.0 * static_cast<double>(plan.shared_side * plan.shared_side) * 8.0;
  const double needed = each * static_cast<double>(plan.worker_count()) + shared;
  if (needed <= 0.9 * static_cast<double>(*available)) return {};
  return usage_error(fmt::format(
      "not enough memory: {} workers need {:.0f} MiB, MemAvailable is {} MiB; use fewer threads or "
      "a smaller -F",
      plan.worker_count(),
      needed / (1 << 20),
      *available >> 20));
}

}  // namespace

Status check_limits(const Plan& plan, const Surroundings& here) {
  // This process's first thread is there already: it counts as taken.
  const auto threads = static_cast<std::uint64_t>(plan.worker_count()) +
                       static_cast<std::uint64_t>(plan.options.message_threads);
  for (const Limit& limit : thread_limits(here)) {
    const std::uint64_t taken = std::max<std::uint64_t>(limit.taken, 1);
    if (taken + threads <= limit.value) continue;
    return usage_error(
        fmt::format("-m {} -t {} needs {} more threads, {} allows {} and {} are taken; {}",
                    plan.options.message_threads,
                    plan.threads,
                    threads,
                    limit.name,
                    limit.value,
                    taken,
                    limit.remedy));
  }
  return check_memory(plan, here);
}

}  // namespace schedlab::workload::schbench
