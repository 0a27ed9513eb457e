#include "stats/energy_distance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/finite.h"

namespace schedlab::stats {

namespace {

std::vector<double> sorted_from(std::span<const double> values, double origin) {
  std::vector<double> sorted(values.begin(), values.end());
  for (double& value : sorted)
    value -= origin;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// E = 2 * integral of (F - G)^2: the samples' distribution functions are steps, so the integral is
// a sum over the gaps of the merged sample, and no difference of large sums is taken.
double integrated_square(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  double at = std::min(x.front(), y.front());
  while (i < x.size() || j < y.size()) {
    const double next_x = i < x.size() ? x[i] : HUGE_VAL;
    const double next_y = j < y.size() ? y[j] : HUGE_VAL;
    const double next = std::min(next_x, next_y);
    const double gap = static_cast<double>(i) / static_cast<double>(x.size()) -
                       static_cast<double>(j) / static_cast<double>(y.size());
    sum += gap * gap * (next - at);
    at = next;
    next_x <= next_y ? ++i : ++j;
  }
  return sum;
}

// mean|x - y| = integral of F(1 - G) + G(1 - F).
double mean_cross_distance(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  double at = std::min(x.front(), y.front());
  while (i < x.size() || j < y.size()) {
    const double next_x = i < x.size() ? x[i] : HUGE_VAL;
    const double next_y = j < y.size() ? y[j] : HUGE_VAL;
    const double next = std::min(next_x, next_y);
    const double f = static_cast<double>(i) / static_cast<double>(x.size());
    const double g = static_cast<double>(j) / static_cast<double>(y.size());
    sum += (f * (1 - g) + g * (1 - f)) * (next - at);
    at = next;
    next_x <= next_y ? ++i : ++j;
  }
  return sum;
}

}  // namespace

Result<EnergyDistance> energy_distance(std::span<const double> x, std::span<const double> y) {
  SCHEDLAB_RETURN_IF_ERROR(require_sample(x, 1, "energy distance"));
  SCHEDLAB_RETURN_IF_ERROR(require_sample(y, 1, "energy distance"));
  const std::vector<double> first = sorted_from(x, x.front());
  const std::vector<double> second = sorted_from(y, x.front());
  const auto n = static_cast<double>(x.size());
  const auto m = static_cast<double>(y.size());
  EnergyDistance distance;
  distance.e = 2 * integrated_square(first, second);
  distance.t = distance.e * (n * m / (n + m));
  const double cross = mean_cross_distance(first, second);
  distance.h = cross > 0 ? distance.e / (2 * cross) : 0;
  return distance;
}

}  // namespace schedlab::stats
