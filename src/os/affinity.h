// CPU affinity of the calling thread and of our process, for any CPU id the kernel allows.
#pragma once

#include "core/cpu_list.h"
#include "core/result.h"

namespace schedlab::os {

/// What sched_getaffinity says of the calling thread: the CPUs we may use.
Result<CpuList> allowed_cpus();

/// Binds the calling thread (thread 0 = self). Errors: empty, a CPU that is absent or not allowed
/// (named, with the allowed ones).
Status bind_current_thread(const CpuList& cpus);

/// The CPU the calling thread is on, cheap enough for hot paths.
CpuId current_cpu();

}  // namespace schedlab::os
