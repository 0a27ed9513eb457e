// Plan: what a run will do on this machine, decided and checked before the first thread starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cpu_list.h"
#include "core/result.h"
#include "os/procfs.h"
#include "topology/topology.h"
#include "workload/schbench/options.h"

namespace schedlab::workload::schbench {

struct Plan {
  Options options;
  std::int32_t threads = 1;     // workers per message thread
  bool threads_chosen = false;  // by us, from the CPUs
  CpuList allowed;
  std::vector<CpuList> message_cpus;     // one per message thread; an empty list = not pinned
  CpuList worker_cpus;                   // empty = not pinned
  std::vector<std::int32_t> llc_of_cpu;  // by CPU id; -1 = not known
  std::uint64_t private_side = 0;        // of a worker's own matrices; 0 = none
  std::uint64_t shared_side = 0;         // of the matrices all workers write
  std::int64_t private_operations = 0;
  std::int64_t shared_operations = 0;
  std::uint64_t private_kib = 0;
  std::uint64_t shared_kib = 0;
  std::vector<std::string> notes;

  [[nodiscard]] std::int64_t worker_count() const {
    return std::int64_t{options.message_threads} * threads;
  }

  [[nodiscard]] bool pipe() const { return options.pipe_bytes > 0; }
};

/// What this machine offers; a struct so that tests can pass another.
struct Surroundings {
  const os::ProcFs& files;
  CpuList allowed;
  const topology::Topology& topology;
  std::uint64_t process_limit;  // RLIMIT_NPROC's soft value; max = none or not applied to us
};

/// Errors: CPUs not allowed (named, with the allowed ones), auto pinning with too few CPUs, more
/// threads or memory than a limit lets through (the limit named).
Result<Plan> make_plan(const Options& options, const Surroundings& here);

/// On this machine.
Result<Plan> make_plan_here(const Options& options);

/// Bytes of memory one worker takes once it runs.
std::uint64_t bytes_per_worker(const Plan& plan);

}  // namespace schedlab::workload::schbench
