#include "workload/schbench/limits.h"

#include <fmt/format.h>

#include <optional>

#include "core/text.h"

namespace schedlab::workload::schbench {

namespace {

struct Limit {
  std::string name;
  std::uint64_t value = 0;
  std::string remedy;
};

std::optional<std::uint64_t> read_number(const os::ProcFs& files, std::string_view path) {
  const auto text = files.read(path);
  if (!text) return std::nullopt;
  const auto value = parse_integer(trim(*text), 0, INT64_MAX);
  if (!value) return std::nullopt;  // pids.max may say "max"
  return static_cast<std::uint64_t>(*value);
}

/// pids.max of our cgroup and of those above it: the lowest counts.
void add_cgroup_limits(const os::ProcFs& files, std::vector<Limit>& limits) {
  const auto text = files.read("/proc/self/cgroup");
  if (!text) return;
  for (const std::string_view line : split(*text, '\n')) {
    if (!line.starts_with("0::")) continue;
    std::string path(trim(line.substr(3)));
    while (!path.empty()) {
      const std::string file = "/sys/fs/cgroup" + (path == "/" ? "" : path) + "/pids.max";
      if (const auto value = read_number(files, file)) {
        limits.push_back({file, *value, "raise it or use fewer threads"});
      }
      path.erase(path.find_last_of('/'));
    }
  }
}

std::vector<Limit> thread_limits(const Surroundings& here) {
  std::vector<Limit> limits;
  for (const char* file : {"/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"}) {
    if (const auto value = read_number(here.files, file)) {
      limits.push_back({file, *value, "raise that sysctl or use fewer threads"});
    }
  }
  // A thread takes a mapping for its stack, one for the guard and one or two for its memory.
  if (const auto value = read_number(here.files, "/proc/sys/vm/max_map_count")) {
    limits.push_back({"/proc/sys/vm/max_map_count (4 mappings a thread)",
                      *value / 4,
                      "raise that sysctl or use fewer threads"});
  }
  if (here.process_limit != UINT64_MAX) {
    limits.push_back(
        {"RLIMIT_NPROC (ulimit -u)", here.process_limit, "raise it or use fewer threads"});
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
  const double shared = 3.0 * static_cast<double>(plan.shared_side * plan.shared_side) * 8.0;
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
  const auto threads = static_cast<std::uint64_t>(plan.worker_count()) +
                       static_cast<std::uint64_t>(plan.options.message_threads) + 1;
  for (const Limit& limit : thread_limits(here)) {
    if (threads <= limit.value) continue;
    return usage_error(fmt::format("-m {} -t {} needs {} threads, {} allows {}; {}",
                                   plan.options.message_threads,
                                   plan.threads,
                                   threads,
                                   limit.name,
                                   limit.value,
                                   limit.remedy));
  }
  return check_memory(plan, here);
}

}  // namespace schedlab::workload::schbench
