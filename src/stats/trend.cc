#include "stats/trend.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distributions.h"
#include "stats/midranks.h"

namespace schedlab::stats {

namespace {

constexpr std::size_t kExactLimit = 50;

// Counts values by their doubled midrank; sums over a prefix in O(log n) (Fenwick 1994).
class PrefixCounts {
 public:
  explicit PrefixCounts(std::size_t size) : tree_(size + 1) {}

  void add(std::size_t place) {
    for (std::size_t i = place; i < tree_.size(); i += i & (~i + 1))
      ++tree_[i];
  }

  [[nodiscard]] std::int64_t up_to(std::size_t place) const {
    std::int64_t sum = 0;
    for (std::size_t i = place; i > 0; i -= i & (~i + 1))
      sum += tree_[i];
    return sum;
  }

 private:
  std::vector<std::int64_t> tree_;
};

std::int64_t rising_minus_falling(std::span<const std::int64_t> ranks) {
  PrefixCounts seen(2 * ranks.size() + 1);
  std::int64_t s = 0;
  std::int64_t before = 0;
  for (const std::int64_t rank : ranks) {
    const auto place = static_cast<std::size_t>(rank);
    const std::int64_t smaller = seen.up_to(place - 1);
    const std::int64_t larger = before - seen.up_to(place);
    s += smaller - larger;
    seen.add(place);
    ++before;
  }
  return s;
}

// P(at most `limit` inversions) in a random permutation of n: each new item adds 0..i-1 of them,
// all equally likely.
double inversions_cdf(std::size_t n, std::size_t limit) {
  std::vector<double> chance(n * (n - 1) / 2 + 1);
  chance[0] = 1;
  for (std::size_t i = 2; i <= n; ++i) {
    std::vector<double> next(chance.size());
    double window = 0;
    for (std::size_t k = 0; k < chance.size(); ++k) {
      window += chance[k];
      if (k >= i) window -= chance[k - i];
      next[k] = window / static_cast<double>(i);
    }
    chance.swap(next);
  }
  double sum = 0;
  for (std::size_t k = 0; k <= limit; ++k)
    sum += chance[k];
  return sum;
}

double normal_p(std::int64_t s, std::size_t size, double tied_variance) {
  const auto n = static_cast<double>(size);
  const double variance = (n * (n - 1) * (2 * n + 5) - tied_variance) / 18;
  if (!(variance > 0)) return 1;
  const double distance = std::max(0.0, std::abs(static_cast<double>(s)) - 1);
  return std::min(1.0, 2 * normal_cdf(-distance / std::sqrt(variance)));
}

// Sum of t(t-1)(2t+5) over groups of t equal values.
double tied_variance(std::span<const std::int64_t> ranks) {
  std::vector<std::int64_t> sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end());
  double sum = 0;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first;
    while (end < sorted.size() && sorted[end] == sorted[first])
      ++end;
    const auto ties = static_cast<double>(end - first);
    sum += ties * (ties - 1) * (2 * ties + 5);
    first = end;
  }
  return sum;
}

}  // namespace

Trend mann_kendall(std::span<const double> values_in_order) {
  const std::size_t n = values_in_order.size();
  if (n < 3) return {};
  const Midranks ranks = midranks(values_in_order);
  const std::size_t pairs = n * (n - 1) / 2;
  Trend trend;
  trend.s = rising_minus_falling(ranks.doubled);
  trend.tau = static_cast<double>(trend.s) / static_cast<double>(pairs);
  if (n <= kExactLimit && ranks.tie_term == 0) {
    const auto size = static_cast<std::size_t>(std::abs(trend.s));
    trend.p_two_sided = std::min(1.0, 2 * inversions_cdf(n, (pairs - size) / 2));
  } else {
    trend.p_two_sided = normal_p(trend.s, n, tied_variance(ranks.doubled));
  }
  return trend;
}

}  // namespace schedlab::stats
