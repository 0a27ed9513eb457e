// Two modes: does a sample fall into two clusters with nothing between?
//
// A mean of two clusters describes neither, and a changed mean may be a changed share. The sample
// is split at its widest gap that leaves at least two values on either side; it has two modes when
// the gap is at least gap_factor(n) times the standard deviation within the clusters (pooled) and
// at least the smallest gap the caller calls real. The factors keep false alarms on normal samples
// of any size at about 1 % or less (a test measures it). A heuristic, for samples too small for
// Hartigan's dip. Limits: finds neither three clusters nor two that touch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace schedlab::stats {

inline constexpr std::size_t kModesMinimum = 8;  // values below which no split is reported

/// Few values leave wide gaps by chance.
constexpr double gap_factor(std::size_t n) {
  return n < 10 ? 6.0 : 4.0;
}

struct Mode {
  double centre = 0;  // median of the cluster, in the unit of the values
  std::size_t count = 0;
};

struct TwoModes {
  Mode lower;
  Mode upper;
  double boundary = 0;  // middle of the gap
};

/// `smallest_gap`: e.g. two steps of the instrument, so that whole-unit values are not modes.
std::optional<TwoModes> find_two_modes(std::span<const double> values, double smallest_gap);

}  // namespace schedlab::stats
