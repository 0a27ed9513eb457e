// ArrivalQueue: the requests a worker still has to serve, as the times they were due (or, classic,
// were sent). One producer, one consumer, no allocation; a full queue makes the producer hold its
// schedule back, never drop.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace schedlab::workload::schbench {

class ArrivalQueue {
 public:
  static constexpr std::uint64_t kCapacity = 4096;

  /// Producer. False when full.
  bool push(std::int64_t due) {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) == kCapacity) return false;
    due_[head % kCapacity] = due;
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  /// Consumer. False when empty.
  bool pop(std::int64_t& due) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return false;
    due = due_[tail % kCapacity];
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  /// Either side; exact for the side that asks.
  [[nodiscard]] std::uint64_t size() const {
    return head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_acquire);
  }

 private:
  alignas(128) std::atomic<std::uint64_t> head_{0};
  alignas(128) std::atomic<std::uint64_t> tail_{0};
  alignas(128) std::array<std::int64_t, kCapacity> due_{};
};

}  // namespace schedlab::workload::schbench
