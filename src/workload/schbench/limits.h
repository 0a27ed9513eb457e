// Whether the machine lets us have the threads and the memory a plan needs, asked before the first
// thread starts.
#pragma once

#include "workload/schbench/plan.h"

namespace schedlab::workload::schbench {

/// Errors (Usage) name the limit, its value, what runs under it already and what the plan needs.
/// Files that cannot be read limit nothing.
Status check_limits(const Plan& plan, const Surroundings& here);

}  // namespace schedlab::workload::schbench
