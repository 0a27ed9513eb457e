#include "stats/student_t.h"

#include <cmath>

#include "stats/distributions.h"
#include "stats/summary.h"

namespace schedlab::stats {

namespace {

// Variance of a sample's mean: s^2 / n.
double mean_variance(std::span<const double> values) {
  const double sd = standard_deviation(values);
  return sd * sd / static_cast<double>(values.size());
}

}  // namespace

double TEstimate::t(double null) const {
  return (estimate - null) / standard_error;
}

double TEstimate::p_two_sided(double null) const {
  return 2 * t_cdf(-std::abs(t(null)), df);
}

double TEstimate::p_above(double null) const {
  return t_cdf(-t(null), df);
}

double TEstimate::p_below(double null) const {
  return t_cdf(t(null), df);
}

Interval TEstimate::interval(double confidence) const {
  const double half = t_quantile((1 + confidence) / 2, df) * standard_error;
  return {estimate - half, estimate + half};
}

std::optional<TEstimate> one_sample_t(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double error = std::sqrt(mean_variance(values));
  if (!(error > 0) || !std::isfinite(error)) return std::nullopt;
  return TEstimate{mean(values), error, static_cast<double>(values.size() - 1)};
}

std::optional<TEstimate> welch_t(std::span<const double> x, std::span<const double> y) {
  if (x.size() < 2 || y.size() < 2) return std::nullopt;
  const double of_x = mean_variance(x);
  const double of_y = mean_variance(y);
  const double sum = of_x + of_y;
  if (!(sum > 0) || !std::isfinite(sum)) return std::nullopt;
  // Shares of the sum, whose squares neither overflow nor vanish.
  const double share_x = of_x / sum;
  const double share_y = of_y / sum;
  const double df = 1 / (share_x * share_x / static_cast<double>(x.size() - 1) +
                         share_y * share_y / static_cast<double>(y.size() - 1));
  return TEstimate{mean(x) - mean(y), std::sqrt(sum), df};
}

}  // namespace schedlab::stats
