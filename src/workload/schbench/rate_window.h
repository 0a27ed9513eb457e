// RateWindow: rates over windows that are due on a fixed grid of time and closed whenever the main
// thread gets to run.
//
// Two things that must not mix: when the next window is due (on the grid, so that lateness does not
// add up) and what the running window is measured from (the moment the loops were counted, which
// may be later). A rate taken from the grid's time but from the late count would be too low by the
// lateness.
#pragma once

#include <cstdint>

#include "core/check.h"
#include "core/duration.h"

namespace schedlab::workload::schbench {

/// A count of loops and when it was taken; ns of CLOCK_MONOTONIC.
struct Tick {
  std::int64_t time = 0;
  std::uint64_t loops = 0;
};

class RateWindow {
 public:
  /// `period` > 0.
  explicit RateWindow(Nanos period) : period_(period.count()) { SCHEDLAB_CHECK(period_ > 0); }

  /// The grid starts at `grid` (at or before now); the first window is measured from `now`.
  void start(std::int64_t grid, const Tick& now) {
    due_ = grid + period_;
    from_ = now;
  }

  /// When the running window is to be closed.
  [[nodiscard]] std::int64_t due() const { return due_; }

  [[nodiscard]] const Tick& from() const { return from_; }

  /// Loops per second since the last close, by the time that really passed; 0 when none did. The
  /// next window is due at the first point of the grid after `now`; a window closed early keeps its
  /// due time.
  double close(const Tick& now) {
    const double seconds = static_cast<double>(now.time - from_.time) / 1e9;
    const double loops = static_cast<double>(now.loops - from_.loops);
    from_ = now;
    if (now.time >= due_) due_ += ((now.time - due_) / period_ + 1) * period_;
    return seconds > 0 ? loops / seconds : 0;
  }

 private:
  std::int64_t period_;
  std::int64_t due_ = 0;
  Tick from_;
};

}  // namespace schedlab::workload::schbench
