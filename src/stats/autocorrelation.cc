#include "stats/autocorrelation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "stats/inputs.h"
#include "stats/summary.h"

namespace schedlab::stats {

namespace {

// The series less its mean, scaled to at most 1 so that no product overflows. Errors: see header.
Result<std::vector<double>> centred(std::span<const double> series,
                                    std::size_t fewest,
                                    const char* what) {
  SCHEDLAB_RETURN_IF_ERROR(require_sample(series, fewest, what));
  const double largest = std::abs(*std::max_element(
      series.begin(), series.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  std::vector<double> values(series.begin(), series.end());
  if (largest > 0) {
    for (double& value : values)
      value /= largest;
  }
  const double centre = mean(values);
  double widest = 0;
  for (double& value : values) {
    value -= centre;
    widest = std::max(widest, std::abs(value));
  }
  // What is left of equal values after the mean's rounding is not variation.
  if (widest <= 4 * std::numeric_limits<double>::epsilon()) {
    return failed(fmt::format("{}: all {} values are equal", what, series.size()));
  }
  for (double& value : values)
    value /= widest;
  return values;
}

double product_sum(std::span<const double> centred_values, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < centred_values.size(); ++i)
    sum += centred_values[i] * centred_values[i - lag];
  return sum;
}

// P(X > x), chi-squared with a whole number of degrees of freedom: a finite sum (Abramowitz and
// Stegun 26.4.4-5).
double chi_squared_tail(double x, std::size_t df) {
  if (!(x > 0)) return 1;
  const bool odd = df % 2 == 1;
  double term = odd ? std::sqrt(2 * x / std::numbers::pi) * std::exp(-x / 2) : std::exp(-x / 2);
  double tail = odd ? std::erfc(std::sqrt(x / 2)) : 0;
  for (std::size_t r = odd ? 3 : 2; r <= df; r += 2) {
    tail += term;
    term *= x / static_cast<double>(r);
  }
  return std::min(1.0, tail);
}

constexpr double kWorkBudget = 2e8;  // products

}  // namespace

Result<std::vector<double>> autocorrelations(std::span<const double> series, std::size_t most) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<double> values,
                            centred(series, 2, "autocorrelation"));
  if (most >= values.size()) {
    return usage_error(fmt::format(
        "autocorrelation: lag {} of {} values; ask for a shorter lag", most, values.size()));
  }
  const double variance = product_sum(values, 0);
  std::vector<double> result;
  for (std::size_t lag = 1; lag <= most; ++lag)
    result.push_back(product_sum(values, lag) / variance);
  return result;
}

Result<LjungBox> ljung_box(std::span<const double> series, std::size_t lags) {
  if (lags == 0) return usage_error("Ljung-Box: needs at least one lag");
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<double> r, autocorrelations(series, lags));
  const auto n = static_cast<double>(series.size());
  double sum = 0;
  for (std::size_t k = 1; k <= lags; ++k)
    sum += r[k - 1] * r[k - 1] / (n - static_cast<double>(k));
  const double q = n * (n + 2) * sum;
  return LjungBox{q, chi_squared_tail(q, lags)};
}

Result<EffectiveSize> effective_size(std::span<const double> series) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<double> values, centred(series, 4, "effective size"));
  const auto n = static_cast<double>(values.size());
  const double variance = product_sum(values, 0);
  const auto most =
      static_cast<std::size_t>(std::clamp(kWorkBudget / n, 16.0, std::max(3.0, std::floor(n / 2))));
  double pair_before = HUGE_VAL;
  double sum = 0;  // of r_0 + r_1, r_2 + r_3, ...
  EffectiveSize size;
  size.truncated = true;
  for (std::size_t lag = 0; lag + 1 <= std::min(most, values.size() - 1); lag += 2) {
    double pair = (product_sum(values, lag) + product_sum(values, lag + 1)) / variance;
    if (pair <= 0) {
      size.truncated = false;
      break;
    }
    pair = std::min(pair, pair_before);
    pair_before = pair;
    sum += pair;
    size.lags_used = lag + 1;
  }
  const double inflation = std::max(1.0, 2 * sum - 1);  // 1 + 2 sum r_k
  size.n = std::max(1.0, n / inflation);
  return size;
}

Result<EffectiveSize> effective_size_ar(std::span<const double> series) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<double> values, centred(series, 4, "effective size"));
  const auto n = static_cast<double>(values.size());
  const auto most =
      std::min(values.size() - 2, static_cast<std::size_t>(std::floor(10 * std::log10(n))));
  std::vector<double> r(most + 1);
  for (std::size_t lag = 0; lag <= most; ++lag)
    r[lag] = product_sum(values, lag) / n;

  // Levinson and Durbin: each order from the one before. `innovation` is the variance left.
  std::vector<double> coefficients;
  double innovation = r[0];
  double best_criterion = n * std::log(innovation);
  double best_spectrum = innovation * n / (n - 1);
  EffectiveSize size;
  for (std::size_t order = 1; order <= most; ++order) {
    double reflection = r[order];
    for (std::size_t j = 0; j + 1 < order; ++j)
      reflection -= coefficients[j] * r[order - 1 - j];
    reflection /= innovation;
    const std::vector<double> before = coefficients;
    for (std::size_t j = 0; j + 1 < order; ++j)
      coefficients[j] -= reflection * before[order - 2 - j];
    coefficients.push_back(reflection);
    innovation *= 1 - reflection * reflection;
    if (!(innovation > 1e-14 * r[0])) break;  // the series is its own past; nothing more to fit
    const double criterion = n * std::log(innovation) + 2 * static_cast<double>(order);
    if (criterion < best_criterion) {
      best_criterion = criterion;
      double gain = 1;
      for (const double coefficient : coefficients)
        gain -= coefficient;
      best_spectrum = innovation * n / (n - static_cast<double>(order + 1)) / (gain * gain);
      size.lags_used = order;
    }
  }
  size.n = std::clamp(n * (r[0] * n / (n - 1)) / best_spectrum, 1.0, n);
  return size;
}

double effective_size_ar1(double n, double rho) {
  return n * (1 - rho) / (1 + rho);
}

}  // namespace schedlab::stats
