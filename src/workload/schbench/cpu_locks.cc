#include "workload/schbench/cpu_locks.h"

#include "core/check.h"

namespace schedlab::workload::schbench {

CpuLocks::CpuLocks(const CpuList& cpus)
    : count_(cpus.size()), locks_(std::make_unique<Lock[]>(cpus.size())) {
  SCHEDLAB_CHECK(!cpus.empty());
  const auto highest = static_cast<std::size_t>(cpus[cpus.size() - 1].value);
  index_of_.resize(highest + 1);
  for (std::size_t id = 0; id <= highest; ++id)
    index_of_[id] = static_cast<std::uint32_t>(id % count_);
  for (std::size_t i = 0; i < cpus.size(); ++i)
    index_of_[static_cast<std::size_t>(cpus[i].value)] = static_cast<std::uint32_t>(i);
}

}  // namespace schedlab::workload::schbench
