#include "stats/pairwise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/kth_smallest.h"
#include "stats/rank_sum.h"

namespace schedlab::stats {

namespace {

// Pairs i < j of ascending values at most `limit` apart.
std::uint64_t pairs_within(std::span<const double> sorted, double limit) {
  std::uint64_t pairs = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    while (sorted[i] - sorted[first] > limit)
      ++first;
    pairs += i - first;
  }
  return pairs;
}

std::optional<std::vector<double>> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0)) return std::nullopt;
    logs.push_back(std::log(value));
  }
  return logs;
}

}  // namespace

double spread(std::span<const double> values) {
  if (values.size() < 2) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::uint64_t pairs = std::uint64_t{sorted.size()} * (sorted.size() - 1) / 2;
  return median_by_count(0, sorted.back() - sorted.front(), pairs, [&](double limit) {
    return pairs_within(sorted, limit);
  });
}

std::optional<double> pairwise_ratio(std::span<const double> x, std::span<const double> y) {
  const auto log_x = logarithms(x);
  const auto log_y = logarithms(y);
  if (!log_x || !log_y || x.empty() || y.empty()) return std::nullopt;
  return std::exp(hodges_lehmann_shift(*log_x, *log_y));
}

std::optional<double> disparity(std::span<const double> x, std::span<const double> y) {
  if (x.size() < 2 || y.size() < 2) return std::nullopt;
  const auto m = static_cast<double>(x.size());
  const auto n = static_cast<double>(y.size());
  const double mean_spread = (m * spread(x) + n * spread(y)) / (m + n);
  if (!(mean_spread > 0)) return std::nullopt;
  return hodges_lehmann_shift(x, y) / mean_spread;
}

std::optional<Interval> shift_bounds(std::span<const double> x,
                                     std::span<const double> y,
                                     double misrate) {
  if (!(misrate > 0 && misrate < 1)) return std::nullopt;
  const std::uint64_t left_out = shift_interval_rank(x.size(), y.size(), 1 - misrate);
  if (left_out == 0) return std::nullopt;
  const std::uint64_t pairs = std::uint64_t{x.size()} * y.size();
  const std::uint64_t low = std::min(left_out, (pairs - 1) / 2) + 1;
  return Interval{kth_difference(x, y, low), kth_difference(x, y, pairs + 1 - low)};
}

std::optional<Interval> ratio_bounds(std::span<const double> x,
                                     std::span<const double> y,
                                     double misrate) {
  const auto log_x = logarithms(x);
  const auto log_y = logarithms(y);
  if (!log_x || !log_y) return std::nullopt;
  const auto logs = shift_bounds(*log_x, *log_y, misrate);
  if (!logs) return std::nullopt;
  return Interval{std::exp(logs->low), std::exp(logs->high)};
}

}  // namespace schedlab::stats
