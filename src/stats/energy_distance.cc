#include "stats/energy_distance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/inputs.h"

namespace schedlab::stats {

namespace {

std::vector<double> sorted_from(std::span<const double> values, double origin) {
  std::vector<double> sorted(values.begin(), values.end());
  for (double& value : sorted)
    value -= origin;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

struct Integrals {
  double square = 0;  // of (F - G)^2
  double cross = 0;   // of F(1 - G) + G(1 - F)
};

// F and G, the samples' distribution functions, are steps, so an integral is a sum over the gaps of
// the merged sample, and no difference of large sums is taken. Both samples sorted, not empty.
Integrals integrate(std::span<const double> x, std::span<const double> y) {
  Integrals sums;
  std::size_t i = 0;
  std::size_t j = 0;
  double at = std::min(x.front(), y.front());
  while (i < x.size() || j < y.size()) {
    const double next_x = i < x.size() ? x[i] : HUGE_VAL;
    const double next_y = j < y.size() ? y[j] : HUGE_VAL;
    const double next = std::min(next_x, next_y);
    const double f = static_cast<double>(i) / static_cast<double>(x.size());
    const double g = static_cast<double>(j) / static_cast<double>(y.size());
    sums.square += (f - g) * (f - g) * (next - at);
    sums.cross += (f * (1 - g) + g * (1 - f)) * (next - at);
    at = next;
    next_x <= next_y ? ++i : ++j;
  }
  return sums;
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
  const Integrals sums = integrate(first, second);
  distance.e = 2 * sums.square;  // E = 2 * integral of (F - G)^2
  distance.t = distance.e * (n * m / (n + m));
  distance.h = sums.cross > 0 ? distance.e / (2 * sums.cross) : 0;  // cross = mean|x - y|
  return distance;
}

}  // namespace schedlab::stats
