#include "stats/fieller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"
#include "stats/inputs.h"
#include "stats/summary.h"

namespace schedlab::stats {

namespace {

// The squared half-width of the interval of a mean.
double squared_reach(const TEstimate& mean, double confidence) {
  if (mean.standard_error == 0) return 0;
  const double reach = t_quantile((1 + confidence) / 2, mean.df) * mean.standard_error;
  return reach * reach;
}

// The roots of a r^2 - 2 b r + c = 0, the one further from 0 first found and the other as c over
// it: no cancellation, and the reciprocal problem gets the reciprocal roots.
Result<RatioEstimate> solve(const TEstimate& above,
                            const TEstimate& below,
                            double confidence,
                            double scaled_covariance) {
  const double a = below.estimate * below.estimate - squared_reach(below, confidence);
  const double b = above.estimate * below.estimate - scaled_covariance;
  const double c = above.estimate * above.estimate - squared_reach(above, confidence);
  if (!(a > 0) || !std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) {
    return failed(fmt::format(
        "the denominator {} is not clear of 0 at confidence {}, so the ratio has no bound; "
        "add runs or compare differences",
        below.estimate,
        confidence));
  }
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  const double far = b >= 0 ? b + root : b - root;
  const double first = far / a;
  const double second = far == 0 ? 0 : c / far;
  return RatioEstimate{above.estimate / below.estimate,
                       {std::min(first, second), std::max(first, second)}};
}

TEstimate mean_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  return {mean(values), standard_deviation(values) / std::sqrt(n), n - 1};
}

Status require_spread(const TEstimate& above, const TEstimate& below) {
  if (above.standard_error > 0 || below.standard_error > 0) return {};
  return failed("neither side of the ratio varies, so its interval cannot be known");
}

}  // namespace

Result<RatioEstimate> fieller_ratio(const TEstimate& above,
                                    const TEstimate& below,
                                    double confidence) {
  SCHEDLAB_RETURN_IF_ERROR(require_confidence(confidence));
  SCHEDLAB_RETURN_IF_ERROR(require_spread(above, below));
  return solve(above, below, confidence, 0);
}

Result<RatioEstimate> fieller_ratio(std::span<const double> above,
                                    std::span<const double> below,
                                    double confidence) {
  SCHEDLAB_RETURN_IF_ERROR(require_sample(above, 2, "a ratio of means"));
  SCHEDLAB_RETURN_IF_ERROR(require_sample(below, 2, "a ratio of means"));
  return fieller_ratio(mean_of(above), mean_of(below), confidence);
}

Result<RatioEstimate> fieller_ratio_paired(std::span<const double> above,
                                           std::span<const double> below,
                                           double confidence) {
  SCHEDLAB_RETURN_IF_ERROR(require_confidence(confidence));
  SCHEDLAB_RETURN_IF_ERROR(require_sample(above, 2, "a ratio of paired means"));
  SCHEDLAB_RETURN_IF_ERROR(require_sample(below, 2, "a ratio of paired means"));
  if (above.size() != below.size()) {
    return usage_error(
        fmt::format("{} values cannot be paired with {}", above.size(), below.size()));
  }
  const TEstimate top = mean_of(above);
  const TEstimate bottom = mean_of(below);
  SCHEDLAB_RETURN_IF_ERROR(require_spread(top, bottom));
  double products = 0;
  for (std::size_t i = 0; i < above.size(); ++i)
    products += (above[i] - top.estimate) * (below[i] - bottom.estimate);
  const double t = t_quantile((1 + confidence) / 2, top.df);
  const auto n = static_cast<double>(above.size());
  return solve(top, bottom, confidence, t * t * products / (n * (n - 1)));
}

}  // namespace schedlab::stats
