// The ledger: one line per task in memory shared by all processes of a run, where a task leaves
// what it saw. It is mapped before the first fork; a slot has its cache lines to itself, so tasks
// do not disturb each other by writing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/result.h"

namespace schedlab::workload::hackbench {

/// What a task could not do; with the errno it got.
enum class TaskFailure : std::int32_t {
  None,
  Memory,
  Ready,      // writing its ready byte
  Wake,       // waiting for the wake byte
  Read,       //
  Write,      //
  EndOfFile,  // all senders gone with messages outstanding
  Histogram,  // its histogram did not fit
};

static_assert(std::atomic<TaskFailure>::is_always_lock_free);  // so it works across processes

// 128: neighbouring lines are fetched in pairs.
struct alignas(128) TaskSlot {
  std::int64_t ended_ns = 0;    // CLOCK_MONOTONIC when ready; after the last message where taken
  std::int64_t messages = 0;    // sent or received whole
  std::int64_t migrations = 0;  // seen between messages; -1 = not counted
  std::int64_t unstamped = 0;   // received without a valid stamp
  std::int64_t voluntary_before = 0;  // switches of this task when it became ready
  std::int64_t involuntary_before = 0;
  std::int32_t failure_errno = 0;  // written before `failure`
  std::atomic<TaskFailure> failure = TaskFailure::None;
  std::uint32_t histogram_size = 0;  // bytes used of its histogram area
};

class Ledger {
 public:
  /// A serialised histogram is at most about 100 KiB: 8,960 buckets of a gap and a count.
  static constexpr std::size_t kHistogramArea = std::size_t{128} << 10;

  /// `histograms` areas, or none. Slots are backed by memory at once, areas when they are written.
  /// Errors: no memory.
  static Result<Ledger> map(std::size_t tasks, std::size_t histograms);

  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  Ledger(Ledger&& other) noexcept;
  Ledger& operator=(Ledger&&) = delete;
  ~Ledger();

  [[nodiscard]] std::span<TaskSlot> slots() const { return slots_; }

  [[nodiscard]] std::span<char> histogram_area(std::size_t index) const {
    return areas_.subspan(index * kHistogramArea, kHistogramArea);
  }

 private:
  Ledger(std::span<TaskSlot> slots, std::span<char> areas) : slots_(slots), areas_(areas) {}

  std::span<TaskSlot> slots_;
  std::span<char> areas_;
};

}  // namespace schedlab::workload::hackbench
