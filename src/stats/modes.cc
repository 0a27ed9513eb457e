#include "stats/modes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/summary.h"

namespace schedlab::stats {

namespace {

constexpr std::size_t kSmallestCluster = 2;

// Where the upper cluster begins: after the widest gap with enough values on both sides.
std::size_t widest_gap(std::span<const double> sorted) {
  std::size_t best = kSmallestCluster;
  for (std::size_t i = kSmallestCluster; i + kSmallestCluster <= sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] > sorted[best] - sorted[best - 1]) best = i;
  }
  return best;
}

double pooled_sd(std::span<const double> a, std::span<const double> b) {
  const auto squares = [](std::span<const double> values) {
    const double sd = standard_deviation(values);
    return sd * sd * static_cast<double>(values.size() - 1);
  };
  return std::sqrt((squares(a) + squares(b)) / static_cast<double>(a.size() + b.size() - 2));
}

}  // namespace

std::optional<TwoModes> find_two_modes(std::span<const double> values, double smallest_gap) {
  if (values.size() < kModesMinimum) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t split = widest_gap(sorted);
  const std::span<const double> all(sorted);
  const auto lower = all.first(split);
  const auto upper = all.subspan(split);
  const double gap = upper.front() - lower.back();
  if (!(gap > 0) || gap < smallest_gap ||
      gap < gap_factor(values.size()) * pooled_sd(lower, upper)) {
    return std::nullopt;
  }
  return TwoModes{
      {median(lower), lower.size()}, {median(upper), upper.size()}, lower.back() + gap / 2};
}

}  // namespace schedlab::stats
