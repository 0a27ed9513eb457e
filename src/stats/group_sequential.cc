#include "stats/group_sequential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "stats/distributions.h"

namespace schedlab::stats {

namespace {

constexpr double kFarthest = 38;  // Phi(-38) is the smallest double above 0

double normal_density(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

double upper_tail(double z) {
  return normal_cdf(-z);
}

// The paths not yet stopped: the density of the score B(t) = z sqrt(t) at the last look, on half of
// the continuation region [-edge, edge], since it is symmetric. Simpson's rule on even steps.
class Survivors {
 public:
  // The chance to lie beyond |B| = `edge` at `share`.
  [[nodiscard]] double beyond(double edge, double share) const {
    const double sd = std::sqrt(share - share_);
    if (share_ == 0) return 2 * upper_tail(edge / sd);
    double sum = 0;
    for (std::size_t i = 0; i < density_.size(); ++i) {
      const double y = step_ * static_cast<double>(i);
      const double tails = upper_tail((edge - y) / sd) + upper_tail((edge + y) / sd);
      sum += weighted_density_[i] * tails;
    }
    return 2 * sum;  // both halves
  }

  // Keeps the paths within `edge` at `share`; `next_share` sets how fine the new grid must be.
  [[nodiscard]] Survivors within(double edge, double share, double next_share) const {
    Survivors next;
    next.share_ = share;
    // Beyond 9 sd of the score nothing is lost that 1e-6 could see.
    const double reach = std::min(edge, 9 * std::sqrt(share));
    const double finest = std::sqrt(std::min(share - share_, next_share - share));
    const auto steps =
        static_cast<std::size_t>(2 * std::ceil(std::clamp(10 * reach / finest, 24.0, 2000.0)));
    next.step_ = reach / static_cast<double>(steps);
    next.density_.resize(steps + 1);
    for (std::size_t i = 0; i <= steps; ++i)
      next.density_[i] = density_at(next.step_ * static_cast<double>(i), share);
    next.weigh();
    return next;
  }

 private:
  [[nodiscard]] double density_at(double x, double share) const {
    const double sd = std::sqrt(share - share_);
    if (share_ == 0) return normal_density(x / sd) / sd;
    double sum = 0;
    for (std::size_t i = 0; i < density_.size(); ++i) {
      const double y = step_ * static_cast<double>(i);
      sum += weighted_density_[i] * (normal_density((x - y) / sd) + normal_density((x + y) / sd));
    }
    return sum / sd;
  }

  void weigh() {
    weighted_density_ = density_;
    for (std::size_t i = 0; i < density_.size(); ++i) {
      const bool end = i == 0 || i + 1 == density_.size();
      const double weight = end ? 1 : (i % 2 == 1 ? 4 : 2);
      weighted_density_[i] *= weight * step_ / 3;
    }
  }

  double share_ = 0;
  double step_ = 0;
  std::vector<double> density_;
  std::vector<double> weighted_density_;
};

// Where a falling function passes `target` between low and high: the regula falsi with Illinois'
// correction, which never leaves the bracket; bounded, so it ends on any input.
template <typename Function>
double solve_falling(double low, double high, double target, Function function) {
  double above = function(low) - target;
  double below = function(high) - target;
  for (int round = 0; round < 100 && high - low > 1e-9; ++round) {
    const double guess = std::clamp((low * below - high * above) / (below - above), low, high);
    const double value = function(guess) - target;
    if (value == 0) return guess;
    if (value > 0) {
      if (guess - low < 1e-10) return guess;
      low = guess;
      above = value;
      below /= 2;
    } else {
      if (high - guess < 1e-10) return guess;
      high = guess;
      below = value;
      above /= 2;
    }
  }
  return std::midpoint(low, high);
}

double spent(double share, double alpha) {
  return 4 * upper_tail(normal_quantile(1 - alpha / 4) / std::sqrt(share));
}

std::vector<double> lan_demets(std::span<const double> shares, double alpha) {
  std::vector<double> boundaries;
  Survivors survivors;
  double used = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double root = std::sqrt(shares[k]);
    const double to_spend = spent(shares[k], alpha) - used;
    used += to_spend;
    // On a log scale: an early look may spend 1e-30.
    const double target = std::log(std::max(to_spend, 1e-300));
    const double boundary = solve_falling(0, kFarthest, target, [&](double z) {
      return std::log(std::max(survivors.beyond(z * root, shares[k]), 1e-305));
    });
    boundaries.push_back(boundary);
    if (k + 1 < shares.size())
      survivors = survivors.within(boundary * root, shares[k], shares[k + 1]);
  }
  return boundaries;
}

std::vector<double> shaped(BoundaryShape shape, std::span<const double> shares, double c) {
  std::vector<double> boundaries;
  for (const double share : shares)
    boundaries.push_back(shape == BoundaryShape::Pocock ? c : c / std::sqrt(share / shares.back()));
  return boundaries;
}

Status check_plan(std::span<const double> shares, double alpha) {
  if (shares.empty() || shares.size() > kMaxLooks) {
    return usage_error(
        fmt::format("planned looks: {} asked for; give 1 to {}", shares.size(), kMaxLooks));
  }
  if (!(alpha >= 1e-6 && alpha <= 0.5)) {
    return usage_error(fmt::format("planned looks: alpha {} is not within 0.000001 to 0.5", alpha));
  }
  double before = 0;
  for (const double share : shares) {
    if (!(share >= before + 1e-4 && share <= 1)) {
      return usage_error(
          fmt::format("planned looks: shares must rise by 0.0001 or more up to 1; {} follows {}",
                      share,
                      before));
    }
    before = share;
  }
  return {};
}

}  // namespace

double crossing_chance(std::span<const double> boundaries, std::span<const double> shares) {
  Survivors survivors;
  double crossed = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double edge = boundaries[k] * std::sqrt(shares[k]);
    crossed += survivors.beyond(edge, shares[k]);
    if (k + 1 < shares.size()) survivors = survivors.within(edge, shares[k], shares[k + 1]);
  }
  return crossed;
}

Result<std::vector<double>> group_boundaries_at(BoundaryShape shape,
                                                std::span<const double> shares,
                                                double alpha) {
  SCHEDLAB_RETURN_IF_ERROR(check_plan(shares, alpha));
  if (shape == BoundaryShape::LanDeMets) return lan_demets(shares, alpha);
  // One look is the least correction, Bonferroni the most.
  const double low = normal_quantile(1 - alpha / 2) - 1e-6;
  const double high = normal_quantile(1 - alpha / 2 / static_cast<double>(shares.size())) + 1e-6;
  const double c = solve_falling(low, high, alpha, [&](double guess) {
    return crossing_chance(shaped(shape, shares, guess), shares);
  });
  return shaped(shape, shares, c);
}

Result<std::vector<double>> group_boundaries(BoundaryShape shape, std::size_t looks, double alpha) {
  std::vector<double> shares;
  for (std::size_t k = 1; k <= std::min(looks, kMaxLooks + 1); ++k)
    shares.push_back(static_cast<double>(k) / static_cast<double>(looks));
  return group_boundaries_at(shape, shares, alpha);
}

double boundary_t(double boundary, double df) {
  return -t_quantile(normal_cdf(-boundary), df);
}

}  // namespace schedlab::stats
