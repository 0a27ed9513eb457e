// E-values: evidence that may be watched after every block, and stopped on at any moment.
//
// An e-process starts at 1 and, while nothing has changed, exceeds 1/alpha at any time of an
// endless watch with a chance of at most alpha (Ville 1939). So one may look as often as one likes,
// and stopping because the value is high needs no correction. Two of them, over paired differences:
//
//   sign        E = 2^n B(1+k, 1+n-k) for k of n positive signs: the Beta(1,1) mixture of the
//               likelihood ratios against "+ and - equally likely" (Howard and Ramdas 2022). No
//               assumption on the shape; exact zeros carry no sign and are skipped. Its inversion
//               is the anytime interval of the median (stats/median_interval.h).
//   t-mixture   E = (1+gn)^(-1/2) [(1 + t^2/(n-1)) / (1 + t^2/((n-1)(1+gn)))]^(n/2), a normal prior
//               of variance g on effect/sd (Perez-Ortiz, Lardy, de Heide and Grunwald 2024; Wang
//               and Ramdas 2025). Finds effects sooner on near-normal values; scale-free.
//
// Both are kept as logarithms: no overflow at any n. State is a few numbers, however long the
// watch. Limits: blocks must be independent; g = 1 suits effects of about one block sd, and is
// merely slower elsewhere. E-values multiply evidence, they are not p-values; min(1, 1/E) is one.
#pragma once

#include <cstdint>
#include <optional>

#include "stats/interval.h"

namespace schedlab::stats {

/// ln E for k of n positive signs, 0 <= k <= n. Zero for n = 0.
double sign_log_e(std::int64_t k, std::int64_t n);

/// ln E of the t statistic of n values. Zero (no evidence) for n < 2; an infinite t gives the
/// limit.
double t_mixture_log_e(std::int64_t n, double t, double g = 1);

/// E >= 1/alpha, 0 < alpha < 1.
bool rejects(double log_e, double alpha);

/// min(1, 1/E): a p-value valid at any stopping time when given the running maximum.
double anytime_p(double log_e);

/// Watches the signs of paired differences as they come.
class SignProcess {
 public:
  /// Skips zeros and NaN.
  void add(double difference);

  [[nodiscard]] std::int64_t signs() const { return n_; }

  [[nodiscard]] std::int64_t positives() const { return k_; }

  [[nodiscard]] double log_e() const { return log_e_; }

  /// The largest so far: once over ln(1/alpha), the finding stands whatever follows.
  [[nodiscard]] double log_e_max() const { return log_e_max_; }

 private:
  std::int64_t n_ = 0;
  std::int64_t k_ = 0;
  double log_e_ = 0;
  double log_e_max_ = 0;
};

/// Watches mean and spread of paired differences as they come.
class TMixtureProcess {
 public:
  /// `g` > 0: variance of the prior on effect/sd.
  explicit TMixtureProcess(double g = 1) : g_(g) {}

  /// Skips what is not finite.
  void add(double difference);

  [[nodiscard]] std::int64_t count() const { return n_; }

  [[nodiscard]] double mean() const { return mean_; }

  [[nodiscard]] double sd() const;

  /// Zero while values do not vary: identical values show the clock's step, not an effect.
  [[nodiscard]] double log_e() const;

  [[nodiscard]] double log_e_max() const { return log_e_max_; }

  /// The means that E does not reject at alpha = 1 - confidence. Holds at every n at once. None
  /// while n is too small to exclude any mean, or values do not vary.
  [[nodiscard]] std::optional<Interval> interval(double confidence) const;

 private:
  double g_;
  std::int64_t n_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared deviations (Welford 1962)
  double log_e_max_ = 0;
};

/// Half-width of the t-mixture's interval in units of sd/sqrt(n): the t at which E = 1/alpha, or
/// none when no t reaches it.
std::optional<double> t_mixture_critical(std::int64_t n, double alpha, double g = 1);

}  // namespace schedlab::stats
