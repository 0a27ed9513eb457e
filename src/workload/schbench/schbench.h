// The schbench workload: see docs/workloads/schbench.md.
#pragma once

#include "workload/workload.h"

namespace schedlab::workload {

/// The one instance; stateless.
const Workload& schbench_workload();

}  // namespace schedlab::workload
