#include "stats/median_interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distributions.h"

namespace schedlab::stats {

namespace {

std::optional<Interval> at_ranks(std::span<const double> values,
                                 const std::optional<MedianRanks>& ranks) {
  if (!ranks) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return Interval{sorted[static_cast<std::size_t>(ranks->low - 1)],
                  sorted[static_cast<std::size_t>(ranks->high - 1)]};
}

}  // namespace

std::optional<MedianRanks> median_ranks(std::int64_t n, double confidence) {
  const double alpha_half = (1 - confidence) / 2;
  std::int64_t rank = 0;
  while (2 * rank < n && fair_binomial_cdf(rank, n) <= alpha_half)
    ++rank;
  if (rank == 0) return std::nullopt;
  return MedianRanks{rank, n + 1 - rank, 1 - 2 * fair_binomial_cdf(rank - 1, n)};
}

std::optional<Interval> median_interval(std::span<const double> values, double confidence) {
  return at_ranks(values, median_ranks(static_cast<std::int64_t>(values.size()), confidence));
}

double sign_e_value(std::int64_t k, std::int64_t n) {
  const auto hits = static_cast<double>(k);
  const auto all = static_cast<double>(n);
  return std::exp(all * std::log(2.0) + log_beta(1 + hits, 1 + all - hits));
}

std::optional<MedianRanks> anytime_median_ranks(std::int64_t n, double confidence) {
  const double threshold = 1 / (1 - confidence);
  std::int64_t rank = 0;  // counts of 0..rank-1 positive signs are rejected
  while (2 * rank < n && sign_e_value(rank, n) >= threshold)
    ++rank;
  if (rank == 0) return std::nullopt;
  return MedianRanks{rank, n + 1 - rank, 0};
}

std::optional<Interval> anytime_median_interval(std::span<const double> values, double confidence) {
  return at_ranks(values,
                  anytime_median_ranks(static_cast<std::int64_t>(values.size()), confidence));
}

}  // namespace schedlab::stats
