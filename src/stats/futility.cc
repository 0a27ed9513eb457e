#include "stats/futility.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"
#include "stats/e_values.h"

namespace schedlab::stats {

namespace {

bool usable(double effect, double sd) {
  return std::isfinite(effect) && std::isfinite(sd) && sd > 0;
}

}  // namespace

std::optional<std::int64_t> blocks_needed_by_e_value(double effect,
                                                     double sd,
                                                     std::int64_t blocks_now,
                                                     double alpha) {
  if (!usable(effect, sd)) return std::nullopt;
  const double standardised = std::abs(effect) / sd;
  // Not monotone in n (E first falls while t is small), so walk: at most kBlocksCap cheap steps.
  for (std::int64_t n = std::max<std::int64_t>(blocks_now + 1, 2); n <= kBlocksCap; ++n) {
    const double t = standardised * std::sqrt(static_cast<double>(n));
    if (rejects(t_mixture_log_e(n, t), alpha)) return n;
  }
  return std::nullopt;
}

std::optional<double> conditional_power(
    double effect, double sd, std::int64_t blocks_now, std::int64_t blocks_cap, double alpha) {
  if (!usable(effect, sd) || blocks_now < 1) return std::nullopt;
  const double z_now = effect / sd * std::sqrt(static_cast<double>(blocks_now));
  const double critical = normal_quantile(1 - alpha / 2);
  if (blocks_now >= blocks_cap) return std::abs(z_now) > critical ? 1 : 0;
  const double share = static_cast<double>(blocks_now) / static_cast<double>(blocks_cap);
  // B(1) given B(t) = z sqrt(t) is normal about B(t) + drift (1 - t), drift = z/sqrt(t), with
  // variance 1 - t.
  const double centre = z_now * std::sqrt(share) + z_now / std::sqrt(share) * (1 - share);
  const double spread = std::sqrt(1 - share);
  return normal_cdf((centre - critical) / spread) + normal_cdf((-centre - critical) / spread);
}

Futility check_futility(double effect,
                        double sd,
                        std::int64_t blocks_now,
                        std::int64_t blocks_cap,
                        const DecisionGoal& goal) {
  if (!usable(effect, sd) || blocks_now < 2) return {};
  Futility futility;
  futility.blocks_predicted = blocks_needed(effect, sd, blocks_now, goal);
  futility.futile = !futility.blocks_predicted || *futility.blocks_predicted > blocks_cap;
  return futility;
}

}  // namespace schedlab::stats
