// CpuLocks: one spinlock per CPU, taken around the work of a request so that being preempted hurts
// whoever runs there next.
//
// Indexed densely over the CPUs the process may use, whatever their ids; a CPU outside that set (an
// affinity changed from outside) shares a lock instead of leaving the array.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cpu_list.h"
#include "os/affinity.h"

namespace schedlab::workload::schbench {

inline void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class CpuLocks {
 public:
  /// `cpus` must not be empty.
  explicit CpuLocks(const CpuList& cpus);

  /// Spins until the lock of the CPU we are on is ours; looks again where we are after taking it.
  /// The index to give to release().
  std::size_t acquire() {
    for (;;) {
      const std::size_t index = index_of(os::current_cpu());
      while (locks_[index].taken.exchange(1, std::memory_order_acquire) != 0)
        pause_cpu();
      if (index == index_of(os::current_cpu())) return index;
      release(index);
    }
  }

  void release(std::size_t index) { locks_[index].taken.store(0, std::memory_order_release); }

  [[nodiscard]] std::size_t index_of(CpuId cpu) const {
    const auto id = static_cast<std::uint32_t>(cpu.value);
    return id < index_of_.size() ? index_of_[id] : id % count_;
  }

  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  struct alignas(128) Lock {
    std::atomic<std::uint32_t> taken{0};
  };

  std::vector<std::uint32_t> index_of_;  // by CPU id
  std::size_t count_;
  std::unique_ptr<Lock[]> locks_;  // NOLINT(*-avoid-c-arrays): sized at run time, never copied
};

}  // namespace schedlab::workload::schbench
