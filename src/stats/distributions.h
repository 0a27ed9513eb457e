// The few probability distributions the tests need: the one place that sees Boost.Math, with a
// policy that neither throws nor widens to long double, so that results do not depend on the FPU.
//
// Arguments out of range give NaN or an infinity, never an exception.
#pragma once

#include <cstdint>

namespace schedlab::stats {

/// P(T <= t) of Student's t with `df` > 0 degrees of freedom, not necessarily whole.
double t_cdf(double t, double df);
/// The t with P(T <= t) = p, 0 < p < 1.
double t_quantile(double p, double df);

double normal_cdf(double z);
double normal_quantile(double p);

/// P(K <= k) of a binomial with n trials of chance one half; 0 for k < 0.
double fair_binomial_cdf(std::int64_t k, std::int64_t n);

/// P(K <= k) of a binomial with n trials of chance p; 0 for k < 0, 1 for k >= n.
double binomial_cdf(std::int64_t k, std::int64_t n, double p);

/// P(K = k): k marked among `drawn` drawn without return from `total`, of which `marked` are
/// marked.
double hypergeometric_pmf(std::int64_t k,
                          std::int64_t marked,
                          std::int64_t drawn,
                          std::int64_t total);

/// ln B(a, b), Euler's beta function.
double log_beta(double a, double b);

/// P(X <= x) of a Beta(a, b), a and b > 0; 0 for x <= 0, 1 for x >= 1.
double beta_cdf(double x, double a, double b);

}  // namespace schedlab::stats
