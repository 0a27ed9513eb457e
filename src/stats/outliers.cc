#include "stats/outliers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/distributions.h"
#include "stats/inputs.h"
#include "stats/summary.h"

namespace schedlab::stats {

namespace {

constexpr double kNormalMeanDeviation = 1.2533141373155003;  // sqrt(pi/2)

constexpr double kNormalMad = 1.4826022185056018;  // 1 / Phi^-1(3/4)

std::vector<double> distances(std::span<const double> values, double centre) {
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [centre](double value) {
    return std::abs(value - centre);
  });
  return result;
}

struct CentreAndScale {
  double centre = 0;
  double scale = 0;
};

CentreAndScale measure(std::span<const double> sorted, bool robust) {
  if (!robust) return {mean(sorted), standard_deviation(sorted)};
  const double centre = median(sorted);
  return {centre, kNormalMad * median(distances(sorted, centre))};
}

// lambda_i, `left` = n - i values remaining after the i-th is taken out.
double critical_deviate(std::size_t left, double alpha) {
  const auto rest = static_cast<double>(left);
  const double t = t_quantile(1 - alpha / (2 * (rest + 1)), rest - 1);
  return rest * t / std::sqrt((rest - 1 + t * t) * (rest + 1));
}

}  // namespace

Result<std::vector<double>> modified_z_scores(std::span<const double> values) {
  SCHEDLAB_RETURN_IF_ERROR(require_sample(values, 1, "modified z"));
  const double centre = median(values);
  const std::vector<double> deviations = distances(values, centre);
  const double mad = median(deviations);
  const double scale = mad > 0 ? kNormalMad * mad : kNormalMeanDeviation * mean(deviations);
  std::vector<double> scores(values.size(), 0.0);
  if (!(scale > 0)) return scores;
  std::transform(values.begin(), values.end(), scores.begin(), [&](double value) {
    return (value - centre) / scale;
  });
  return scores;
}

Result<GesdOutcome> generalised_esd(std::span<const double> values, const GesdOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(require_sample(values, 3, "GESD outliers"));
  if (!(options.alpha > 0 && options.alpha < 1)) {
    return usage_error(fmt::format("GESD outliers: alpha is {}, not within 0 to 1", options.alpha));
  }
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] < values[b];
  });
  std::vector<double> sorted(values.size());
  std::transform(
      order.begin(), order.end(), sorted.begin(), [&](std::size_t i) { return values[i]; });

  GesdOutcome outcome;
  std::size_t first = 0;  // [first, last) remain: the farthest from any centre is one of the ends
  std::size_t last = sorted.size();
  const std::size_t most = std::min(options.most, values.size() - 2);
  while (outcome.steps.size() < most) {
    const auto rest = std::span(sorted).subspan(first, last - first);
    const auto [centre, scale] = measure(rest, options.robust);
    if (!(scale > 0)) break;
    // Of two equally far ends the lower goes first, also when rounding tells them apart.
    const double below = centre - rest.front();
    const double above = rest.back() - centre;
    const bool low_end = below >= above * (1 - 1e-12);
    const double farthest = low_end ? below : above;
    const std::size_t at = low_end ? first++ : --last;
    outcome.steps.push_back(
        {order[at], farthest / scale, critical_deviate(last - first, options.alpha)});
    if (outcome.steps.back().deviate > outcome.steps.back().critical)
      outcome.outliers = outcome.steps.size();
  }
  return outcome;
}

}  // namespace schedlab::stats
