#include "stats/midranks.h"

#include <algorithm>
#include <numeric>

namespace schedlab::stats {

Midranks midranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] < values[b];
  });
  Midranks ranks{std::vector<std::int64_t>(values.size()), 0};
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]])
      ++end;
    for (std::size_t i = first; i < end; ++i) {
      ranks.doubled[order[i]] = static_cast<std::int64_t>(first + 1 + end);  // first..end-1, from 1
    }
    const auto ties = static_cast<double>(end - first);
    ranks.tie_term += ties * ties * ties - ties;
    first = end;
  }
  return ranks;
}

}  // namespace schedlab::stats
