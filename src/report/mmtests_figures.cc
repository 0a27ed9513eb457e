#include "report/mmtests_figures.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"

namespace schedlab::report {

namespace {

double mean_of(std::span<const double> values, bool harmonic) {
  double sum = 0;
  for (const double value : values)
    sum += harmonic ? 1 / value : value;
  const auto n = static_cast<double>(values.size());
  return harmonic ? n / sum : sum / n;
}

double stddev_of(std::span<const double> values, double mean, bool harmonic) {
  if (values.size() < 2) return 0;
  double squares = 0;
  for (const double value : values) {
    const double off = harmonic ? 1 / value - 1 / mean : value - mean;
    squares += off * off;
  }
  const auto n = static_cast<double>(values.size());
  return harmonic ? std::sqrt(squares * std::pow(mean, 4) / n) : std::sqrt(squares / (n - 1));
}

}  // namespace

MmtestsFigures mmtests_figures(std::span<const double> values, bool higher) {
  MmtestsFigures out;
  out.n = values.size();
  if (values.empty()) return out;
  std::vector<double> best_first(values.begin(), values.end());
  std::sort(best_first.begin(), best_first.end());
  out.min = best_first.front();
  out.max = best_first.back();
  if (higher) std::reverse(best_first.begin(), best_first.end());
  // A zero rate has no harmonic mean; mmtests would divide by it, we say 0.
  const bool harmonic = higher && out.min > 0;
  const auto mean = [&](std::span<const double> part) {
    return higher && !harmonic ? 0 : mean_of(part, harmonic);
  };
  out.mean = mean(best_first);
  out.stddev = higher && !harmonic ? 0 : stddev_of(best_first, out.mean, harmonic);
  out.coeff_var = out.mean == 0 ? 0 : out.stddev / out.mean * 100;
  const std::size_t kept = std::max<std::size_t>(1, out.n * 95 / 100);
  out.best_mean95 = mean(std::span<const double>(best_first).first(kept));
  out.pctile95 = best_first[kept - 1];
  return out;
}

double mmtests_change(double base, double contender, bool higher) {
  if (base == 0) {
    if (contender == 0) return 0;
    return higher ? 100 : -99;
  }
  const double percent = 100 * contender / base;
  return higher ? percent - 100 : 100 - percent;
}

bool mmtests_star(const MmtestsFigures& base, const MmtestsFigures& contender, StarRule rule) {
  const double difference = std::abs(base.mean - contender.mean);
  if (rule == StarRule::BandsApart) {
    constexpr double kNormal975 = 1.959963984540054;
    return difference > kNormal975 * (base.stddev + contender.stddev);
  }
  if (base.n == 0 || contender.n == 0 || base.n + contender.n < 3) return false;
  const double error =
      std::sqrt(base.stddev * base.stddev / static_cast<double>(base.n) +
                contender.stddev * contender.stddev / static_cast<double>(contender.n));
  if (error == 0) return difference > 0;
  const auto df = static_cast<double>(base.n + contender.n - 2);
  return 2 * stats::t_cdf(-difference / error, df) < 0.10;
}

}  // namespace schedlab::report
