#include "stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "stats/distributions.h"

namespace schedlab::stats {

namespace {

double clamp_share(double q) {
  return q > 0 ? std::min(q, 1.0) : 0.0;  // not a number reads 0
}

// Order statistics outside [first, last) have weights below 1e-16 in all: twelve standard
// deviations of the beta distribution, plus what its tail near 0 or 1 (a gamma's) needs.
struct Window {
  std::size_t first = 0;
  std::size_t last = 0;

  Window(std::size_t n, double q) {
    const auto size = static_cast<double>(n);
    const double reach = 12 * std::sqrt(q * (1 - q) * size) + 42;
    first = static_cast<std::size_t>(std::max(0.0, std::floor(q * size - reach)));
    last = std::min(n, static_cast<std::size_t>(std::ceil(q * size + reach)));
  }
};

}  // namespace

double quantile_in_place(std::span<double> values, double q) {
  if (values.empty()) return 0;
  const double position = static_cast<double>(values.size() - 1) * clamp_share(q);
  const auto below = static_cast<std::size_t>(position);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), middle, values.end());
  const double share = position - static_cast<double>(below);
  if (share == 0 || below + 1 == values.size()) return *middle;
  const double above = *std::min_element(middle + 1, values.end());
  return *middle + share * (above - *middle);
}

double median_in_place(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double quantile(std::span<const double> values, double q) {
  std::vector<double> copy(values.begin(), values.end());
  return quantile_in_place(copy, q);
}

double harrell_davis(std::span<const double> values, double q) {
  if (values.empty()) return 0;
  const double share = clamp_share(q);
  if (share == 0) return *std::min_element(values.begin(), values.end());
  if (share == 1) return *std::max_element(values.begin(), values.end());
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  const Window window(sorted.size(), share);
  const auto cumulative = [&](std::size_t i) {
    return beta_cdf(static_cast<double>(i) / n, (n + 1) * share, (n + 1) * (1 - share));
  };
  // The window's weights stand for the whole: what rounding or the window cut off is shared out.
  const double centre = sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(share * n))];
  double sum = 0;
  double weights = 0;
  double before = cumulative(window.first);
  for (std::size_t i = window.first; i < window.last; ++i) {
    const double upto = cumulative(i + 1);
    sum += (upto - before) * (sorted[i] - centre);
    weights += upto - before;
    before = upto;
  }
  return centre + sum / weights;
}

}  // namespace schedlab::stats
