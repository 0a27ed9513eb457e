// IntervalRecorder: histograms of one writing thread that another thread can take away at any time,
// without a lost or twice counted sample and without stopping the writer.
//
// Two sets of histograms. The writer records into the active one between begin() and end();
// collect() turns the active set over, waits until the writer has left the old one, and merges and
// clears it. The writer never waits: its price is one exchange on a cache line of its own per
// begin(). Several records may share one section. A writer that sleeps between sections holds
// nothing up, so also what a blocked thread recorded last is there.
//
//   writer:  begin -> [set 0] -> end   begin -> [set 1] -> end
//   reader:                 turn over, wait for end, merge set 0, clear set 0
#pragma once

#include <array>
#include <atomic>
#include <span>
#include <vector>

#include "core/duration.h"
#include "core/histogram.h"

namespace schedlab {

class IntervalRecorder {
 public:
  /// `histograms` per set; all memory is allocated and touched here.
  explicit IntervalRecorder(std::size_t histograms);

  /// Writer only. The set to record into, valid until end().
  std::span<Histogram> begin() {
    for (;;) {
      const std::uint32_t set = active_.load(std::memory_order_seq_cst);
      // Announce first, then look again: a reader that turned over in between sees the announcement
      // of the old set or we see the new set, never neither (both orders are seq_cst).
      writing_.store(set + 1, std::memory_order_seq_cst);
      if (active_.load(std::memory_order_seq_cst) == set) return sets_[set];
    }
  }

  /// Writer only.
  void end() { writing_.store(0, std::memory_order_release); }

  /// One reader at a time. Adds to `into` (as many histograms as a set has) what was recorded since
  /// the last call, and what a call that gave up left behind. False when the writer stayed inside a
  /// section for longer than `patience` (it was preempted there), asked once for each of at most
  /// two sets: nothing is lost, the next call that returns true has taken it all.
  bool collect(std::span<Histogram> into, Nanos patience);

 private:
  bool take_old_set(std::span<Histogram> into, Nanos patience);
  [[nodiscard]] bool wait_until_left(std::uint32_t set, Nanos patience) const;

  alignas(128) std::atomic<std::uint32_t> writing_{0};  // 0, or the set in use + 1
  alignas(128) std::atomic<std::uint32_t> active_{0};
  bool turned_over_ = false;  // the reader's: the old set still waits to be taken
  std::array<std::vector<Histogram>, 2> sets_;
};

}  // namespace schedlab
