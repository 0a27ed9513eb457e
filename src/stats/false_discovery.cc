#include "stats/false_discovery.h"

#include <algorithm>
#include <numeric>

namespace schedlab::stats {

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  const std::size_t m = p_values.size();
  std::vector<std::size_t> order(m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return p_values[a] < p_values[b];
  });
  std::vector<double> adjusted(m);
  double smallest = 1;
  for (std::size_t rank = m; rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    smallest = std::min(smallest, p_values[i] * static_cast<double>(m) / static_cast<double>(rank));
    adjusted[i] = smallest;
  }
  return adjusted;
}

}  // namespace schedlab::stats
