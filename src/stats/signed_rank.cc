#include "stats/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stats/distributions.h"
#include "stats/kth_smallest.h"
#include "stats/midranks.h"

namespace schedlab::stats {

namespace {

constexpr std::size_t kExactLimit = 50;

// P(sum = s) when each weight joins the sum by a fair coin. Weights are doubled ranks, so s is
// twice the statistic. One convolution per weight; probabilities, not counts, so that 2^50 stays
// harmless.
std::vector<double> coin_sums(std::span<const std::int64_t> weights) {
  std::size_t total = 0;
  for (const std::int64_t weight : weights)
    total += static_cast<std::size_t>(weight);
  std::vector<double> chance(total + 1);
  chance[0] = 1;
  std::size_t reach = 0;
  for (const std::int64_t weight : weights) {
    const auto step = static_cast<std::size_t>(weight);
    reach += step;
    for (std::size_t sum = reach + 1; sum > 0; --sum) {
      const std::size_t s = sum - 1;
      chance[s] = (chance[s] + (s >= step ? chance[s - step] : 0)) / 2;
    }
  }
  return chance;
}

double tail_from(std::span<const double> chance, std::size_t first) {
  double sum = 0;
  for (std::size_t i = chance.size(); i > first; --i)
    sum += chance[i - 1];
  return sum;
}

double tail_to(std::span<const double> chance, std::size_t last) {
  double sum = 0;
  for (std::size_t i = 0; i <= last && i < chance.size(); ++i)
    sum += chance[i];
  return sum;
}

void set_exact_p(SignedRank& test, std::span<const std::int64_t> weights, std::size_t doubled_v) {
  const std::vector<double> chance = coin_sums(weights);
  test.p_greater = tail_from(chance, doubled_v);
  test.p_two_sided = std::min(1.0, 2 * std::min(test.p_greater, tail_to(chance, doubled_v)));
}

void set_normal_p(SignedRank& test, double tie_term) {
  const auto n = static_cast<double>(test.n_used);
  const double centre = n * (n + 1) / 4;
  const double sd = std::sqrt(n * (n + 1) * (2 * n + 1) / 24 - tie_term / 48);
  const double distance = std::max(0.0, std::abs(test.v - centre) - 0.5);
  test.p_greater = normal_cdf(-(test.v - centre - 0.5) / sd);
  test.p_two_sided = std::min(1.0, 2 * normal_cdf(-distance / sd));
}

// The largest k with P(V < k) <= alpha_half; 0 when there is none.
std::uint64_t interval_rank(std::size_t n, double alpha_half) {
  const auto count = static_cast<double>(n);
  if (n > kExactLimit) {
    const double sd = std::sqrt(count * (count + 1) * (2 * count + 1) / 24);
    const double rank = count * (count + 1) / 4 + normal_quantile(alpha_half) * sd;
    return static_cast<std::uint64_t>(std::max(1.0, std::floor(rank)));
  }
  std::vector<std::int64_t> weights(n);
  for (std::size_t i = 0; i < n; ++i)
    weights[i] = static_cast<std::int64_t>(i + 1);
  const std::vector<double> chance = coin_sums(weights);
  std::uint64_t k = 0;
  double below = 0;
  while (k < chance.size() && below + chance[k] <= alpha_half)
    below += chance[k++];
  return k;
}

std::vector<double> ascending(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// How many Walsh averages of ascending values are <= limit. The bound on j only falls as i rises.
std::uint64_t walsh_count(std::span<const double> sorted, double limit) {
  std::uint64_t count = 0;
  std::size_t end = sorted.size();
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    while (end > i && (sorted[i] + sorted[end - 1]) / 2 > limit)
      --end;
    if (end <= i) break;
    count += end - i;
  }
  return count;
}

std::uint64_t walsh_size(std::size_t n) {
  return std::uint64_t{n} * (n + 1) / 2;
}

}  // namespace

SignedRank signed_rank_test(std::span<const double> values) {
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double value : values) {
    if (value == 0) continue;
    sizes.push_back(std::abs(value));
    positive.push_back(value > 0);
  }
  SignedRank test;
  test.n_used = sizes.size();
  if (sizes.empty()) return test;
  const Midranks ranks = midranks(sizes);
  std::int64_t doubled_v = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (positive[i]) doubled_v += ranks.doubled[i];
  }
  test.v = static_cast<double>(doubled_v) / 2;
  if (test.n_used <= kExactLimit) {
    set_exact_p(test, ranks.doubled, static_cast<std::size_t>(doubled_v));
  } else {
    set_normal_p(test, ranks.tie_term);
  }
  return test;
}

double hodges_lehmann(std::span<const double> values) {
  if (values.empty()) return 0;
  const std::vector<double> sorted = ascending(values);
  return median_by_count(sorted.front(), sorted.back(), walsh_size(sorted.size()), [&](double v) {
    return walsh_count(sorted, v);
  });
}

std::optional<Interval> hodges_lehmann_interval(std::span<const double> values, double confidence) {
  if (values.empty()) return std::nullopt;
  const std::uint64_t k = interval_rank(values.size(), (1 - confidence) / 2);
  if (k == 0) return std::nullopt;
  const std::vector<double> sorted = ascending(values);
  const auto member = [&](std::uint64_t rank) {
    return kth_smallest(
        sorted.front(), sorted.back(), rank, [&](double v) { return walsh_count(sorted, v); });
  };
  return Interval{member(k), member(walsh_size(sorted.size()) + 1 - k)};
}

}  // namespace schedlab::stats
