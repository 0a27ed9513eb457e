#include "stats/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/check.h"
#include "stats/distributions.h"
#include "stats/kth_smallest.h"
#include "stats/midranks.h"

namespace schedlab::stats {

namespace {

constexpr std::size_t kExactLimit = 50;

// P(U = u) for samples of m and n without ties: the coefficients of the Gaussian binomial (m+n over
// m) divided by their sum, built as the product over i of (1 - q^(n+i)) / (1 - q^i) (Andrews 1976).
std::vector<double> u_chances(std::size_t m, std::size_t n) {
  const std::size_t size = m * n + 1;
  std::vector<double> ways(size);
  ways[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t u = size; u > n + i; --u)
      ways[u - 1] -= ways[u - 1 - (n + i)];
    for (std::size_t u = i; u < size; ++u)
      ways[u] += ways[u - i];
  }
  // The distribution is symmetric; the upper half, made of differences of large numbers, is not
  // exact.
  for (std::size_t u = 0; u < size / 2; ++u)
    ways[size - 1 - u] = ways[u];
  double total = 0;
  for (const double way : ways)
    total += way;
  for (double& way : ways)
    way /= total;
  return ways;
}

double normal_sd(std::size_t m, std::size_t n, double tie_term) {
  const auto pairs = static_cast<double>(m) * static_cast<double>(n);
  const auto all = static_cast<double>(m + n);
  return std::sqrt(pairs / 12 * (all + 1 - tie_term / (all * (all - 1))));
}

void set_exact_p(RankSum& test, std::size_t m, std::size_t n) {
  const std::vector<double> chance = u_chances(m, n);
  const auto u = static_cast<std::size_t>(test.u);
  double below = 0;
  for (std::size_t i = 0; i < u; ++i)
    below += chance[i];
  double above = 0;
  for (std::size_t i = chance.size(); i > u + 1; --i)
    above += chance[i - 1];
  test.p_greater = above + chance[u];
  test.p_two_sided = std::min(1.0, 2 * (std::min(below, above) + chance[u]));
}

void set_normal_p(RankSum& test, double centre, double sd) {
  if (!(sd > 0)) return;
  const double distance = std::max(0.0, std::abs(test.u - centre) - 0.5);
  test.p_greater = normal_cdf(-(test.u - centre - 0.5) / sd);
  test.p_two_sided = std::min(1.0, 2 * normal_cdf(-distance / sd));
}

// The largest k with P(U < k) <= alpha_half; 0 when there is none.
std::uint64_t interval_rank(std::size_t m, std::size_t n, double alpha_half) {
  if (m > kExactLimit || n > kExactLimit) {
    const double centre = static_cast<double>(m) * static_cast<double>(n) / 2;
    const double rank = centre + normal_quantile(alpha_half) * normal_sd(m, n, 0);
    return rank < 1 ? 0 : static_cast<std::uint64_t>(rank);
  }
  const std::vector<double> chance = u_chances(m, n);
  std::uint64_t k = 0;
  double below = 0;
  while (k < chance.size() && below + chance[k] <= alpha_half)
    below += chance[k++];
  return k;
}

struct Differences {
  std::vector<double> x;  // ascending
  std::vector<double> y;  // ascending

  Differences(std::span<const double> of_x, std::span<const double> of_y)
      : x(of_x.begin(), of_x.end()), y(of_y.begin(), of_y.end()) {
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
  }

  [[nodiscard]] std::uint64_t size() const { return std::uint64_t{x.size()} * y.size(); }

  [[nodiscard]] double low() const { return x.front() - y.back(); }

  [[nodiscard]] double high() const { return x.back() - y.front(); }

  // As x rises, fewer y bring the difference down to the limit.
  [[nodiscard]] std::uint64_t count(double limit) const {
    std::uint64_t pairs = 0;
    std::size_t first = 0;
    for (const double value : x) {
      while (first < y.size() && value - y[first] > limit)
        ++first;
      pairs += y.size() - first;
    }
    return pairs;
  }
};

}  // namespace

RankSum rank_sum_test(std::span<const double> x, std::span<const double> y) {
  RankSum test;
  if (x.empty() || y.empty()) return test;
  std::vector<double> all(x.begin(), x.end());
  all.insert(all.end(), y.begin(), y.end());
  const Midranks ranks = midranks(all);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += static_cast<double>(ranks.doubled[i]) / 2;
  const auto m = static_cast<double>(x.size());
  test.u = sum - m * (m + 1) / 2;
  if (ranks.tie_term == 0 && x.size() <= kExactLimit && y.size() <= kExactLimit) {
    set_exact_p(test, x.size(), y.size());
  } else {
    set_normal_p(
        test, m * static_cast<double>(y.size()) / 2, normal_sd(x.size(), y.size(), ranks.tie_term));
  }
  return test;
}

double hodges_lehmann_shift(std::span<const double> x, std::span<const double> y) {
  if (x.empty() || y.empty()) return 0;
  const Differences pairs(x, y);
  return median_by_count(
      pairs.low(), pairs.high(), pairs.size(), [&](double v) { return pairs.count(v); });
}

std::optional<Interval> hodges_lehmann_shift_interval(std::span<const double> x,
                                                      std::span<const double> y,
                                                      double confidence) {
  if (x.empty() || y.empty()) return std::nullopt;
  const std::uint64_t k = shift_interval_rank(x.size(), y.size(), confidence);
  if (k == 0) return std::nullopt;
  const Differences pairs(x, y);
  const auto member = [&](std::uint64_t rank) {
    return kth_smallest(pairs.low(), pairs.high(), rank, [&](double v) { return pairs.count(v); });
  };
  return Interval{member(k), member(pairs.size() + 1 - k)};
}

std::uint64_t shift_interval_rank(std::size_t m, std::size_t n, double confidence) {
  return m == 0 || n == 0 ? 0 : interval_rank(m, n, (1 - confidence) / 2);
}

double kth_difference(std::span<const double> x, std::span<const double> y, std::uint64_t k) {
  SCHEDLAB_CHECK(k >= 1 && k <= std::uint64_t{x.size()} * y.size());
  const Differences pairs(x, y);
  return kth_smallest(pairs.low(), pairs.high(), k, [&](double v) { return pairs.count(v); });
}

}  // namespace schedlab::stats
