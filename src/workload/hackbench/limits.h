// The pre-flight check: whether this machine and this user can carry a run, told before anything is
// created. The original finds out halfway, and then leaves processes behind.
//
// Limits is plain data so that the verdict can be tested without the machine; read_limits() fills
// it from /proc, /sys and the resource limits.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "os/procfs.h"
#include "workload/hackbench/options.h"

namespace schedlab::workload::hackbench {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The resource limits of this process; kUnlimited for RLIM_INFINITY.
struct ResourceLimits {
  std::uint64_t descriptors_soft = kUnlimited;  // RLIMIT_NOFILE
  std::uint64_t descriptors_hard = kUnlimited;  //
  std::uint64_t user_tasks = kUnlimited;        // RLIMIT_NPROC, soft
  std::uint64_t realtime_priority = 0;          // RLIMIT_RTPRIO, soft
};

ResourceLimits current_resource_limits();

/// Sets RLIMIT_NOFILE's soft limit to its hard limit.
Status raise_descriptor_limit();

/// A ceiling of one control group, ours or an ancestor.
struct CgroupLimit {
  std::string file;  // the file that holds it
  std::uint64_t max = kUnlimited;
  std::uint64_t current = 0;

  friend bool operator==(const CgroupLimit&, const CgroupLimit&) = default;
};

/// What cannot be read is absent, and then not checked.
struct Limits {
  ResourceLimits resources;
  std::uint64_t open_descriptors = 0;         // of this process, now
  bool privileged_resources = false;          // CAP_SYS_RESOURCE or CAP_SYS_ADMIN
  bool may_set_realtime = false;              // CAP_SYS_NICE, or RLIMIT_RTPRIO above 0
  std::optional<std::uint64_t> user_tasks;    // of this user, now; read where RLIMIT_NPROC binds
  std::optional<std::uint64_t> system_tasks;  // of the machine, now
  std::optional<std::uint64_t> pid_max;
  std::optional<std::uint64_t> threads_max;
  std::vector<CgroupLimit> cgroup_pids;
  std::vector<CgroupLimit> cgroup_memory;         // bytes
  std::optional<std::uint64_t> memory_available;  // bytes
  std::optional<std::uint64_t> max_map_count;     // vm.max_map_count
  std::uint64_t mappings = 0;                     // of this process, now
  std::optional<std::uint64_t> pipe_pages_soft;   // fs.pipe-user-pages-soft; 0 = no limit
  std::optional<std::uint64_t> local_ports;       // how many net.ipv4.ip_local_port_range holds
};

Limits read_limits(const os::ProcFs& files, const ResourceLimits& resources);

/// What a run needs at its peak.
struct Needs {
  std::uint64_t tasks = 0;        // beside the main thread
  std::uint64_t descriptors = 0;  // in one process, beside those already open
  std::uint64_t memory = 0;       // bytes, an upper estimate
  std::uint64_t pipe_pages = 0;
  std::uint64_t ports = 0;
  std::uint64_t mappings = 0;  // in one process, beside those there are
};

Needs needs_of(const Options& options);

struct Preflight {
  bool raise_descriptor_limit = false;
  std::vector<std::string> notes;  // facts that change what is measured
};

/// Errors name the limit, its value, what the run would need and what would help.
Result<Preflight> preflight(const Options& options, const Limits& limits);

}  // namespace schedlab::workload::hackbench
