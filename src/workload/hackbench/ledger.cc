#include "workload/hackbench/ledger.h"

#include <sys/mman.h>  // memory shared across fork is what the ledger is

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "os/errno_text.h"

namespace schedlab::workload::hackbench {

namespace {

Result<void*> map_shared(std::size_t bytes, int flags) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | flags, -1, 0);
  if (memory == MAP_FAILED) {
    return failed("cannot map " + std::to_string(bytes >> 20U) +
                  " MiB for the tasks' figures: " + os::errno_text(errno));
  }
  return memory;
}

}  // namespace

Result<Ledger> Ledger::map(std::size_t tasks, std::size_t histograms) {
  SCHEDLAB_ASSIGN_OR_RETURN(void* const slot_memory,
                            map_shared(tasks * sizeof(TaskSlot), MAP_POPULATE));
  auto* const slots = static_cast<TaskSlot*>(slot_memory);
  std::uninitialized_default_construct_n(slots, tasks);
  Ledger ledger({slots, tasks}, {});
  if (histograms > 0) {
    const std::size_t bytes = histograms * kHistogramArea;
    SCHEDLAB_ASSIGN_OR_RETURN(void* const area_memory, map_shared(bytes, MAP_NORESERVE));
    ledger.areas_ = {static_cast<char*>(area_memory), bytes};
  }
  return ledger;
}

Ledger::Ledger(Ledger&& other) noexcept
    : slots_(std::exchange(other.slots_, {})), areas_(std::exchange(other.areas_, {})) {}

Ledger::~Ledger() {
  if (!slots_.empty()) ::munmap(slots_.data(), slots_.size_bytes());
  if (!areas_.empty()) ::munmap(areas_.data(), areas_.size_bytes());
}

}  // namespace schedlab::workload::hackbench
