#include "stats/quantile_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distributions.h"
#include "stats/inputs.h"

namespace schedlab::stats {

namespace {

constexpr std::int64_t kMinimumSamplesCap = std::int64_t{1} << 53U;

bool is_share(double value) {
  return value > 0 && value < 1;
}

// The largest r >= 0 with P(B < r) <= alpha.
std::int64_t low_rank(std::int64_t n, double q, double alpha) {
  std::int64_t fits = 0;
  std::int64_t too_high = n + 1;
  while (too_high - fits > 1) {
    const std::int64_t middle = fits + (too_high - fits) / 2;
    (binomial_cdf(middle - 1, n, q) <= alpha ? fits : too_high) = middle;
  }
  return fits;
}

// P(r <= B < s)
double coverage_of(std::int64_t r, std::int64_t s, std::int64_t n, double q) {
  return binomial_cdf(s - 1, n, q) - binomial_cdf(r - 1, n, q);
}

// For q >= 1/2, where the upper rank is the one that may not exist. By symmetry the upper rank of q
// is the lower one of 1 - q, counted from the other end.
std::optional<QuantileRanks> ranks_of_upper(std::int64_t n, double q, double confidence) {
  const double alpha = 1 - confidence;
  QuantileRanks ranks;
  ranks.low = low_rank(n, q, alpha / 2);
  const std::int64_t from_top = low_rank(n, 1 - q, alpha / 2);
  ranks.high = n + 1 - from_top;
  if (from_top == 0) {
    const double above_all = std::pow(q, static_cast<double>(n));
    if (above_all > alpha) return std::nullopt;
    ranks.high = n;
    ranks.low = low_rank(n, q, alpha - above_all);
  }
  if (ranks.low < 1 || ranks.low >= ranks.high) return std::nullopt;
  ranks.coverage = coverage_of(ranks.low, ranks.high, n, q);
  return ranks;
}

Status require_request(double q, double confidence) {
  if (!is_share(q)) {
    return usage_error(fmt::format("a quantile lies between 0 and 1, e.g. 0.99, not {}", q));
  }
  return require_confidence(confidence);
}

Error too_few(std::int64_t n, double q, double confidence) {
  return failed(fmt::format("an interval of confidence {} for quantile {} needs {} samples, not {}",
                            confidence,
                            q,
                            quantile_minimum_samples(q, confidence),
                            n));
}

std::int64_t middle_rank(std::int64_t n, double q) {
  // As Histogram::quantile(): a product that rounding put just above a whole number is that number.
  const double exact = std::ceil(q * static_cast<double>(n) * (1 - 4e-16));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(exact), 1, n);
}

std::uint64_t value_of_rank(const Histogram& histogram, std::int64_t rank, bool lower_edge) {
  std::uint64_t seen = 0;
  const std::vector<std::uint64_t>& buckets = histogram.buckets();
  std::size_t i = 0;
  while (i + 1 < buckets.size() && (seen += buckets[i]) < static_cast<std::uint64_t>(rank))
    ++i;
  const std::uint64_t edge = lower_edge ? Histogram::bucket_low(i) : Histogram::bucket_high(i);
  return std::clamp(edge, histogram.min(), histogram.max());
}

}  // namespace

bool QuantileInterval::resolution_limited(double delta) const {
  return bin_width > delta * std::abs(value);
}

std::optional<QuantileRanks> quantile_ranks(std::int64_t n, double q, double confidence) {
  if (n < 1 || !is_share(q) || !is_share(confidence)) return std::nullopt;
  if (q >= 0.5) return ranks_of_upper(n, q, confidence);
  const auto mirrored = ranks_of_upper(n, 1 - q, confidence);
  if (!mirrored) return std::nullopt;
  return QuantileRanks{n + 1 - mirrored->high, n + 1 - mirrored->low, mirrored->coverage};
}

std::int64_t quantile_minimum_samples(double q, double confidence) {
  if (!is_share(q) || !is_share(confidence)) return 0;
  const auto enough = [&](std::int64_t n) {
    const auto size = static_cast<double>(n);
    return std::pow(q, size) + std::pow(1 - q, size) <= 1 - confidence;
  };
  std::int64_t high = 2;
  while (high < kMinimumSamplesCap && !enough(high))
    high *= 2;
  std::int64_t low = 1;  // one value is never enough
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

Result<QuantileInterval> quantile_interval(std::span<const double> values,
                                           double q,
                                           double confidence,
                                           double resolution) {
  SCHEDLAB_RETURN_IF_ERROR(require_request(q, confidence));
  SCHEDLAB_RETURN_IF_ERROR(require_sample(values, 1, "a quantile"));
  const auto n = static_cast<std::int64_t>(values.size());
  const auto ranks = quantile_ranks(n, q, confidence);
  if (!ranks) return too_few(n, q, confidence);
  std::vector<double> copy(values.begin(), values.end());
  const auto value_at = [&](std::int64_t rank) {
    const auto place = copy.begin() + (rank - 1);
    std::nth_element(copy.begin(), place, copy.end());
    return *place;
  };
  return QuantileInterval{.value = value_at(middle_rank(n, q)),
                          .low = value_at(ranks->low),
                          .high = value_at(ranks->high),
                          .bin_width = std::max(0.0, resolution),
                          .coverage = ranks->coverage};
}

Result<QuantileInterval> quantile_interval(const Histogram& histogram,
                                           double q,
                                           double confidence,
                                           double resolution) {
  SCHEDLAB_RETURN_IF_ERROR(require_request(q, confidence));
  const auto n = static_cast<std::int64_t>(histogram.count());
  const auto ranks = quantile_ranks(n, q, confidence);
  if (!ranks) return too_few(n, q, confidence);
  const std::uint64_t value = histogram.quantile(q);
  if (value > Histogram::kMaxTrackable) {
    return failed(fmt::format("quantile {} lies above {}, the most the histogram tells apart",
                              q,
                              Histogram::kMaxTrackable));
  }
  return QuantileInterval{
      .value = static_cast<double>(value),
      .low = static_cast<double>(value_of_rank(histogram, ranks->low, true)),
      .high = static_cast<double>(value_of_rank(histogram, ranks->high, false)),
      .bin_width = std::max(resolution, static_cast<double>(Histogram::bucket_width(value))),
      .coverage = ranks->coverage};
}

}  // namespace schedlab::stats
