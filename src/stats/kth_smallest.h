// The k-th smallest of a set too large to list, given only how many members lie at or below a
// value.
//
// Bisects over the ordered bit patterns of doubles, so the answer is a member to the last bit, in
// at most 64 counts. For the n(n+1)/2 Walsh averages of n values a count takes O(n): no n^2 memory.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>

namespace schedlab::stats {

/// Maps a finite double to an integer with the same order; both zeros map to 0.
constexpr std::int64_t ordered_bits(double value) {
  constexpr std::int64_t kMagnitude = std::numeric_limits<std::int64_t>::max();
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : -(bits & kMagnitude);
}

constexpr double from_ordered_bits(std::int64_t ordered) {
  return ordered >= 0 ? std::bit_cast<double>(ordered) : -std::bit_cast<double>(-ordered);
}

/// `count(v)` is the number of members <= v; the members lie in [low, high]; 1 <= k <= their
/// number.
template <typename Count>
double kth_smallest(double low, double high, std::uint64_t k, Count count) {
  std::int64_t below = ordered_bits(low);
  std::int64_t above = ordered_bits(high);
  while (below < above) {
    const std::int64_t middle = std::midpoint(below, above);
    if (count(from_ordered_bits(middle)) >= k) {
      above = middle;
    } else {
      below = middle + 1;
    }
  }
  return from_ordered_bits(above);
}

/// The median of `size` such members: the mean of the two middle ones when size is even.
template <typename Count>
double median_by_count(double low, double high, std::uint64_t size, Count count) {
  const double lower = kth_smallest(low, high, (size + 1) / 2, count);
  if (size % 2 == 1) return lower;
  return (lower + kth_smallest(lower, high, size / 2 + 1, count)) / 2;
}

}  // namespace schedlab::stats
