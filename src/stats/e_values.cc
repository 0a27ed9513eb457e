#include "stats/e_values.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"

namespace schedlab::stats {

double sign_log_e(std::int64_t k, std::int64_t n) {
  if (n <= 0) return 0;
  const auto hits = static_cast<double>(k);
  const auto all = static_cast<double>(n);
  return all * std::log(2.0) + log_beta(1 + hits, 1 + all - hits);
}

double t_mixture_log_e(std::int64_t n, double t, double g) {
  if (n < 2 || std::isnan(t)) return 0;
  const auto count = static_cast<double>(n);
  const double widened = std::log1p(g * count);  // ln(1 + gn)
  const double ratio = t * t / (count - 1);
  const double gain =
      std::isinf(ratio) ? widened : std::log1p(ratio) - std::log1p(ratio / (1 + g * count));
  return count / 2 * gain - widened / 2;
}

bool rejects(double log_e, double alpha) {
  return log_e >= -std::log(alpha);
}

double anytime_p(double log_e) {
  return log_e > 0 ? std::exp(-log_e) : 1;
}

void SignProcess::add(double difference) {
  if (difference == 0 || std::isnan(difference)) return;
  // The mixture's prediction of the next sign is (1 + its count so far)/(n + 2) (Laplace); E gains
  // that over one half.
  const std::int64_t seen = difference > 0 ? k_ : n_ - k_;
  const auto next = static_cast<double>(seen + 1) / static_cast<double>(n_ + 2);
  log_e_ += std::log(2 * next);
  log_e_max_ = std::max(log_e_max_, log_e_);
  ++n_;
  if (difference > 0) ++k_;
}

void TMixtureProcess::add(double difference) {
  if (!std::isfinite(difference)) return;
  ++n_;
  const double before = difference - mean_;
  mean_ += before / static_cast<double>(n_);
  squares_ += before * (difference - mean_);
  log_e_max_ = std::max(log_e_max_, log_e());
}

double TMixtureProcess::sd() const {
  return n_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(n_ - 1));
}

double TMixtureProcess::log_e() const {
  const double spread = sd();
  if (!(spread > 0)) return 0;
  return t_mixture_log_e(n_, mean_ / spread * std::sqrt(static_cast<double>(n_)), g_);
}

std::optional<double> t_mixture_critical(std::int64_t n, double alpha, double g) {
  if (n < 2) return std::nullopt;
  const auto count = static_cast<double>(n);
  // E = 1/alpha where (1+u)/(1+u/(1+gn)) = c, u = t^2/(n-1), ln c = (2 ln(1/alpha) + ln(1+gn))/n;
  // so u = (c-1)/(1 - c/(1+gn)), and there is none when c >= 1+gn.
  const double widened = std::log1p(g * count);
  const double log_c = (widened - 2 * std::log(alpha)) / count;
  if (!(log_c < widened)) return std::nullopt;
  const double u = std::expm1(log_c) / -std::expm1(log_c - widened);
  return std::sqrt((count - 1) * u);
}

std::optional<Interval> TMixtureProcess::interval(double confidence) const {
  const std::optional<double> critical = t_mixture_critical(n_, 1 - confidence, g_);
  const double spread = sd();
  if (!critical || !(spread > 0)) return std::nullopt;
  const double half = *critical * spread / std::sqrt(static_cast<double>(n_));
  return Interval{mean_ - half, mean_ + half};
}

}  // namespace schedlab::stats
