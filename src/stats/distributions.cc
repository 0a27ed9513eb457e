#include "stats/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace schedlab::stats {

namespace {

namespace policies = boost::math::policies;

using Policy = policies::policy<policies::domain_error<policies::ignore_error>,
                                policies::pole_error<policies::ignore_error>,
                                policies::overflow_error<policies::ignore_error>,
                                policies::evaluation_error<policies::ignore_error>,
                                policies::promote_double<false>>;

// boost's lgamma, not libm's: the latter writes a global (signgam) and differs between C libraries.
double log_gamma(double x) {
  return boost::math::lgamma(x, Policy());
}

double log_choose(std::int64_t n, std::int64_t k) {
  const auto whole = static_cast<double>(n);
  const auto part = static_cast<double>(k);
  return log_gamma(whole + 1) - log_gamma(part + 1) - log_gamma(whole - part + 1);
}

}  // namespace

double t_cdf(double t, double df) {
  return boost::math::cdf(boost::math::students_t_distribution<double, Policy>(df), t);
}

double t_quantile(double p, double df) {
  return boost::math::quantile(boost::math::students_t_distribution<double, Policy>(df), p);
}

double normal_cdf(double z) {
  return boost::math::cdf(boost::math::normal_distribution<double, Policy>(), z);
}

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal_distribution<double, Policy>(), p);
}

double fair_binomial_cdf(std::int64_t k, std::int64_t n) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  const boost::math::binomial_distribution<double, Policy> fair(static_cast<double>(n), 0.5);
  return boost::math::cdf(fair, static_cast<double>(k));
}

double binomial_cdf(std::int64_t k, std::int64_t n, double p) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  const boost::math::binomial_distribution<double, Policy> trials(static_cast<double>(n), p);
  return boost::math::cdf(trials, static_cast<double>(k));
}

double hypergeometric_pmf(std::int64_t k,
                          std::int64_t marked,
                          std::int64_t drawn,
                          std::int64_t total) {
  if (k < 0 || k > marked || k > drawn || drawn - k > total - marked) return 0;
  return std::exp(log_choose(marked, k) + log_choose(total - marked, drawn - k) -
                  log_choose(total, drawn));
}

double log_beta(double a, double b) {
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

double beta_cdf(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return boost::math::ibeta(a, b, x, Policy());
}

}  // namespace schedlab::stats
