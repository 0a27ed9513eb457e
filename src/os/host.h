// Host: which machine and which kernel this is, as every record names it.
#pragma once

#include <cstdint>
#include <string>

#include "core/experiment.h"
#include "core/result.h"
#include "os/procfs.h"

namespace schedlab::os {

struct Host {
  std::string hostname;
  std::string cpu_model;       // "unknown" where /proc/cpuinfo does not say
  std::string kernel_release;  // uname -r
  std::string kernel_version;  // uname -v
  std::string boot_id;         // fresh at each boot
  std::int32_t online_cpus = 0;

  [[nodiscard]] Machine to_machine() const {
    return {.hostname = hostname,
            .cpu_model = cpu_model,
            .online_cpus = online_cpus,
            .kernel = kernel_release + " " + kernel_version};
  }
};

/// From /proc and /sys. Errors: a file other than /proc/cpuinfo is missing or garbage.
Result<Host> read_host(const ProcFs& fs);

}  // namespace schedlab::os
