// Interval: a closed range of plausible values of whatever the caller estimated.
#pragma once

namespace schedlab::stats {

struct Interval {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }

  /// Strictly inside (outer.low, outer.high), as an equivalence claim needs.
  [[nodiscard]] bool inside(const Interval& outer) const {
    return outer.low < low && high < outer.high;
  }
};

}  // namespace schedlab::stats
