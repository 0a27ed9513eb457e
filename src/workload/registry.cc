#include "workload/hackbench/hackbench.h"
#include "workload/schbench/schbench.h"
#include "workload/workload.h"

namespace schedlab::workload {

std::vector<const Workload*> all_workloads() {
  return {&schbench_workload(), &hackbench_workload()};
}

const Workload* find_workload(std::string_view name) {
  for (const Workload* workload : all_workloads()) {
    if (workload->name() == name) return workload;
  }
  return nullptr;
}

}  // namespace schedlab::workload
