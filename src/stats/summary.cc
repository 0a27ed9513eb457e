#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace schedlab::stats {

namespace {

// Sum of squares about `centre`, corrected for what rounding left in the centre (Chan, Golub and
// LeVeque 1983).
double squares_about(std::span<const double> values, double centre) {
  double squares = 0;
  double rest = 0;
  for (const double value : values) {
    const double deviation = value - centre;
    squares += deviation * deviation;
    rest += deviation;
  }
  return std::max(0.0, squares - rest * rest / static_cast<double>(values.size()));
}

double harmonic(std::span<const double> values) {
  double inverse = 0;
  for (const double value : values) {
    if (!(value > 0)) return 0;
    inverse += 1 / value;
  }
  return static_cast<double>(values.size()) / inverse;
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values)
    sum += value;
  const double first = sum / n;
  double rest = 0;
  for (const double value : values)
    rest += value - first;
  return first + rest / n;
}

double median(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> copy(values.begin(), values.end());
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::nth_element(copy.begin(), middle, copy.end());
  if (copy.size() % 2 == 1) return *middle;
  return (*std::max_element(copy.begin(), middle) + *middle) / 2;
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  return std::sqrt(squares_about(values, mean(values)) / static_cast<double>(values.size() - 1));
}

Summary summarise(std::span<const double> values) {
  Summary summary;
  if (values.empty()) return summary;
  summary.n = values.size();
  summary.mean = mean(values);
  summary.harmonic_mean = harmonic(values);
  summary.median = median(values);
  summary.sd = standard_deviation(values);
  summary.population_sd =
      std::sqrt(squares_about(values, summary.mean) / static_cast<double>(values.size()));
  summary.cv = summary.mean == 0 ? 0 : summary.sd / std::abs(summary.mean);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  summary.min = *low;
  summary.max = *high;
  return summary;
}

double lag1_autocorrelation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  const double squares = squares_about(values, centre);
  if (!(squares > 0) || !std::isfinite(squares)) return 0;
  double products = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    products += (values[i] - centre) * (values[i + 1] - centre);
  }
  return products / squares;
}

}  // namespace schedlab::stats
