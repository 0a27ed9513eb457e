// The hackbench workload: see docs/workloads/hackbench.md.
#pragma once

#include "workload/workload.h"

namespace schedlab::workload {

/// The one instance; stateless.
const Workload& hackbench_workload();

}  // namespace schedlab::workload
