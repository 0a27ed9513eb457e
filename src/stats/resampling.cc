#include "stats/resampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"
#include "stats/inputs.h"

namespace schedlab::stats {

namespace {

// Phi^-1(part / whole), with exactly opposite values for part and whole - part.
double normal_quantile_of(std::size_t part, std::size_t whole) {
  const auto share = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(whole);
  };
  if (2 * part == whole) return 0;
  if (2 * part < whole) return normal_quantile(share(part));
  return -normal_quantile(share(whole - part));
}

double acceleration(std::span<const std::vector<double>> leave_one_out) {
  double squares = 0;
  double cubes = 0;
  for (const std::vector<double>& figures : leave_one_out) {
    const auto n = static_cast<double>(figures.size());
    double centre = 0;
    for (const double figure : figures)
      centre += figure / n;
    for (const double figure : figures) {
      const double influence = (n - 1) / n * (centre - figure);
      squares += influence * influence;
      cubes += influence * influence * influence;
    }
  }
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

// The figure at the standard normal level `z`: position Phi(z) (R + 1) of R, counted from the
// nearer end so that -z gives the mirrored position to the last bit.
double figure_at(std::span<const double> sorted, double z) {
  const std::size_t count = sorted.size();
  const double position = normal_cdf(-std::abs(z)) * (static_cast<double>(count) + 1);
  const auto whole = static_cast<std::size_t>(position);
  const double share = position - static_cast<double>(whole);
  const auto from_near_end = [&](std::size_t rank) {
    const std::size_t place = std::clamp<std::size_t>(rank, 1, count) - 1;
    return z <= 0 ? sorted[place] : sorted[count - 1 - place];
  };
  return from_near_end(whole) * (1 - share) + from_near_end(whole + 1) * share;
}

Status require_figures(const Resampled& resampled) {
  if (!std::isfinite(resampled.estimate)) {
    return failed("bootstrap: the figure of the sample itself is not finite");
  }
  const auto bad = std::count_if(resampled.figures.begin(), resampled.figures.end(),
                                 [](double figure) { return !std::isfinite(figure); });
  if (bad > 0) {
    return failed(fmt::format("bootstrap: the figure is not finite in {} of {} resamples",
                              bad,
                              resampled.figures.size()));
  }
  for (const std::vector<double>& figures : resampled.leave_one_out) {
    if (!all_finite(figures)) {
      return failed("bootstrap: the figure is not finite when one value is left out");
    }
  }
  return {};
}

}  // namespace

Result<BootstrapInterval> bca_interval(Resampled resampled, double confidence) {
  SCHEDLAB_RETURN_IF_ERROR(require_confidence(confidence));
  SCHEDLAB_RETURN_IF_ERROR(require_figures(resampled));
  std::vector<double>& figures = resampled.figures;
  std::sort(figures.begin(), figures.end());
  if (figures.empty() || figures.front() == figures.back()) {
    return failed(
        "bootstrap: the figure is the same in every resample, so its interval cannot be known");
  }
  const double estimate = resampled.estimate;
  const auto [first, last] = std::equal_range(figures.begin(), figures.end(), estimate);
  const auto twice_below =
      static_cast<std::size_t>((first - figures.begin()) + (last - figures.begin()));
  const std::size_t twice_all = 2 * figures.size();
  if (twice_below == 0 || twice_below == twice_all) {
    return failed("bootstrap: every resample lies on one side of the estimate; no interval");
  }
  const double z0 = normal_quantile_of(twice_below, twice_all);
  const double a = acceleration(resampled.leave_one_out);
  const double z = normal_quantile((1 + confidence) / 2);
  const double low_divisor = 1 - a * (z0 - z);
  const double high_divisor = 1 - a * (z0 + z);
  if (!(low_divisor > 0) || !(high_divisor > 0)) {
    return failed("bootstrap: the sample is too lopsided for a BCa interval");
  }
  return BootstrapInterval{.estimate = estimate,
                           .interval = {figure_at(figures, z0 + (z0 - z) / low_divisor),
                                        figure_at(figures, z0 + (z0 + z) / high_divisor)},
                           .bias_correction = z0,
                           .acceleration = a};
}

Status require_resampling(const BootstrapOptions& options,
                          std::size_t units,
                          std::string_view unit,
                          std::size_t values) {
  SCHEDLAB_RETURN_IF_ERROR(require_confidence(options.confidence));
  if (options.resamples < kBootstrapMinimumResamples ||
      options.resamples > kBootstrapMaximumResamples) {
    return usage_error(fmt::format("bootstrap: resamples must be {} to {}, not {}",
                                   kBootstrapMinimumResamples,
                                   kBootstrapMaximumResamples,
                                   options.resamples));
  }
  if (units < kBootstrapMinimum) {
    return failed(
        fmt::format("bootstrap needs at least {} {}, not {}", kBootstrapMinimum, unit, units));
  }
  const std::uint64_t passes = std::max(options.resamples, units);
  if (values > kBootstrapMaximumDraws / passes) {
    return failed(
        fmt::format("bootstrap: {} values in {} passes are more than the {} draws allowed; take "
                    "the interval by "
                    "ranks instead",
                    values,
                    passes,
                    kBootstrapMaximumDraws));
  }
  return {};
}

}  // namespace schedlab::stats
