// Fills Limits from /proc, /sys and getrlimit.

#include <sys/resource.h>  // getrlimit: part of this workload's pre-flight check

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "core/text.h"
#include "os/errno_text.h"
#include "workload/hackbench/limits.h"

namespace schedlab::workload::hackbench {

namespace {

std::uint64_t from_rlim(rlim_t value) {
  return value == RLIM_INFINITY ? kUnlimited : std::uint64_t{value};
}

std::optional<std::uint64_t> to_number(std::string_view text, int base = 10) {
  text = trim(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> read_number(const os::ProcFs& files, const std::string& path) {
  const auto text = files.read(path);
  return text ? to_number(*text) : std::nullopt;
}

/// The words after "Key:" in a file of such lines.
std::vector<std::string_view> words_after(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(key)) return words(line.substr(key.size()));
  }
  return {};
}

std::uint64_t count_open_descriptors(const os::ProcFs& files) {
  const auto names = files.list("/proc/self/fd");
  // The listing itself holds one.
  return names && !names->empty() ? names->size() - 1 : 3;
}

struct Capabilities {
  bool resources = false;
  bool nice = false;
};

Capabilities read_capabilities(const os::ProcFs& files) {
  constexpr unsigned kSysAdmin = 21;
  constexpr unsigned kSysNice = 23;
  constexpr unsigned kSysResource = 24;
  const auto status = files.read("/proc/self/status");
  if (!status) return {};
  const auto fields = words_after(*status, "CapEff:");
  if (fields.empty()) return {};
  const std::uint64_t set = to_number(fields.front(), 16).value_or(0);
  const auto holds = [set](unsigned bit) { return ((set >> bit) & 1U) != 0; };
  return {holds(kSysResource) || holds(kSysAdmin), holds(kSysNice)};
}

/// Fourth field of /proc/loadavg: "runnable/all".
std::optional<std::uint64_t> count_system_tasks(const os::ProcFs& files) {
  const auto text = files.read("/proc/loadavg");
  if (!text) return std::nullopt;
  const auto fields = words(*text);
  if (fields.size() < 4) return std::nullopt;
  const std::size_t slash = fields[3].find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return to_number(fields[3].substr(slash + 1));
}

/// Threads of all processes whose real user is that of this one: what RLIMIT_NPROC counts.
std::optional<std::uint64_t> count_user_tasks(const os::ProcFs& files) {
  const auto own = files.read("/proc/self/status");
  const auto names = files.list("/proc");
  if (!own || !names) return std::nullopt;
  const auto own_uid = words_after(*own, "Uid:");
  if (own_uid.empty()) return std::nullopt;
  std::uint64_t tasks = 0;
  for (const std::string& name : *names) {
    if (!to_number(name)) continue;
    const auto status = files.read("/proc/" + name + "/status");
    if (!status) continue;  // gone meanwhile
    const auto uid = words_after(*status, "Uid:");
    const auto threads = words_after(*status, "Threads:");
    if (uid.empty() || threads.empty() || uid.front() != own_uid.front()) continue;
    tasks += to_number(threads.front()).value_or(1);
  }
  return tasks;
}

struct ControllerFiles {
  std::string_view v1_controller;  // as /proc/self/cgroup names it
  std::string_view v2_max;
  std::string_view v2_current;
  std::string_view v1_max;
  std::string_view v1_current;
};

constexpr ControllerFiles kPids = {"pids", "pids.max", "pids.current", "pids.max", "pids.current"};
constexpr ControllerFiles kMemory = {
    "memory", "memory.max", "memory.current", "memory.limit_in_bytes", "memory.usage_in_bytes"};

/// The ceilings from `path` up to the root of the hierarchy mounted at `mount`.
void climb(const os::ProcFs& files,
           const std::string& mount,
           std::string path,
           std::string_view max_name,
           std::string_view current_name,
           std::vector<CgroupLimit>& out) {
  while (true) {
    const std::string directory = path == "/" ? mount : mount + path;
    const std::string file = directory + "/" + std::string(max_name);
    if (const auto max = read_number(files, file)) {  // "max" is no number: no ceiling
      const auto current = read_number(files, directory + "/" + std::string(current_name));
      out.push_back({file, *max, current.value_or(0)});
    }
    if (path == "/" || path.empty()) return;
    path.resize(path.find_last_of('/'));
    if (path.empty()) path = "/";
  }
}

/// Both hierarchies, at the usual mount points; a machine may use v1 for one controller only.
std::vector<CgroupLimit> read_cgroup(const os::ProcFs& files, const ControllerFiles& names) {
  const auto text = files.read("/proc/self/cgroup");
  if (!text) return {};
  std::vector<CgroupLimit> out;
  for (const std::string_view line : split(*text, '\n')) {
    const auto fields = split(line, ':');  // hierarchy:controllers:path
    if (fields.size() < 3 || !fields[2].starts_with('/')) continue;
    const std::string path(line.substr(fields[0].size() + fields[1].size() + 2));
    if (fields[1].empty()) {
      for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
        climb(files, mount, path, names.v2_max, names.v2_current, out);
      continue;
    }
    const auto controllers = split(fields[1], ',');
    if (std::find(controllers.begin(), controllers.end(), names.v1_controller) ==
        controllers.end()) {
      continue;
    }
    const std::string mount = "/sys/fs/cgroup/" + std::string(names.v1_controller);
    climb(files, mount, path, names.v1_max, names.v1_current, out);
  }
  return out;
}

std::optional<std::uint64_t> read_memory_available(const os::ProcFs& files) {
  const auto text = files.read("/proc/meminfo");
  if (!text) return std::nullopt;
  const auto fields = words_after(*text, "MemAvailable:");
  const auto kib = fields.empty() ? std::nullopt : to_number(fields.front());
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

std::uint64_t count_mappings(const os::ProcFs& files) {
  const auto text = files.read("/proc/self/maps");
  return text ? static_cast<std::uint64_t>(std::count(text->begin(), text->end(), '\n')) : 0;
}

std::optional<std::uint64_t> count_local_ports(const os::ProcFs& files) {
  const auto text = files.read("/proc/sys/net/ipv4/ip_local_port_range");
  if (!text) return std::nullopt;
  const auto fields = words(*text);
  if (fields.size() != 2) return std::nullopt;
  const auto low = to_number(fields[0]);
  const auto high = to_number(fields[1]);
  if (!low || !high || *high < *low) return std::nullopt;
  return *high - *low + 1;
}

}  // namespace

ResourceLimits current_resource_limits() {
  ResourceLimits out;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    out.descriptors_soft = from_rlim(limit.rlim_cur);
    out.descriptors_hard = from_rlim(limit.rlim_max);
  }
  if (::getrlimit(RLIMIT_NPROC, &limit) == 0) out.user_tasks = from_rlim(limit.rlim_cur);
  if (::getrlimit(RLIMIT_RTPRIO, &limit) == 0) out.realtime_priority = from_rlim(limit.rlim_cur);
  return out;
}

Status raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  }
  return failed("cannot raise the soft limit of file descriptors: " + os::errno_text(errno));
}

Limits read_limits(const os::ProcFs& files, const ResourceLimits& resources) {
  const Capabilities capabilities = read_capabilities(files);
  Limits out;
  out.resources = resources;
  out.open_descriptors = count_open_descriptors(files);
  out.privileged_resources = capabilities.resources;
  out.may_set_realtime = capabilities.nice || resources.realtime_priority > 0;
  // A walk over all of /proc: only where its result can decide anything.
  if (!capabilities.resources && resources.user_tasks != kUnlimited) {
    out.user_tasks = count_user_tasks(files);
  }
  out.system_tasks = count_system_tasks(files);
  out.pid_max = read_number(files, "/proc/sys/kernel/pid_max");
  out.threads_max = read_number(files, "/proc/sys/kernel/threads-max");
  out.cgroup_pids = read_cgroup(files, kPids);
  out.cgroup_memory = read_cgroup(files, kMemory);
  out.memory_available = read_memory_available(files);
  out.max_map_count = read_number(files, "/proc/sys/vm/max_map_count");
  out.mappings = count_mappings(files);
  out.pipe_pages_soft = read_number(files, "/proc/sys/fs/pipe-user-pages-soft");
  out.local_ports = count_local_ports(files);
  return out;
}

}  // namespace schedlab::workload::hackbench
