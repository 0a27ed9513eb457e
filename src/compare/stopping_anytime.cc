#include "compare/stopping_anytime.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "compare/effect.h"
#include "stats/blocks_needed.h"
#include "stats/e_values.h"
#include "stats/summary.h"

namespace schedlab::compare {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Moments {
  explicit Moments(std::span<const double> values)
      : n(static_cast<std::int64_t>(values.size())),
        mean(stats::mean(values)),
        sd(without_spread(values) ? 0 : stats::standard_deviation(values)) {}

  [[nodiscard]] double error() const { return sd / std::sqrt(static_cast<double>(n)); }

  std::int64_t n;
  double mean;
  double sd;  // 0 also for what rounding alone would show
};

struct Signs {
  std::int64_t positive = 0;
  std::int64_t all = 0;  // without those at the centre
};

Signs signs_about(std::span<const double> values, double centre) {
  Signs signs;
  for (const double value : values) {
    signs.positive += value > centre ? 1 : 0;
    signs.all += value != centre ? 1 : 0;
  }
  return signs;
}

// ln of the most that the t-mixture may count for.
double log_cap(std::int64_t signs) {
  return static_cast<double>(std::max<std::int64_t>(signs - 1, 0)) * std::numbers::ln2;
}

double log_of_mean(double log_a, double log_b) {
  const double high = std::max(log_a, log_b);
  return high + std::log1p(std::exp(-std::abs(log_a - log_b))) - std::numbers::ln2;
}

// The centres in a gap between neighbouring values, where the signs do not change, that are not
// rejected: those within `half` of the mean.
struct Gap {
  double low = -kInfinity;
  double high = kInfinity;
};

// How far from the mean a centre may lie for E_t < room: 0 or below when none may, infinite when
// any may.
double t_half_width(const Moments& moments, double room, double log_most) {
  if (!(room > 0)) return -1;
  const double log_room = std::log(room);
  if (log_room > log_most) return kInfinity;
  if (moments.sd == 0) return log_room > 0 ? kInfinity : -1;
  if (log_room <= stats::t_mixture_log_e(moments.n, 0)) return -1;
  const auto critical = stats::t_mixture_critical(moments.n, 1 / room);
  return critical ? *critical * moments.error() : kInfinity;
}

template <typename Decides>
std::optional<std::int64_t> first_that_decides(std::int64_t now, const Decides& decides) {
  std::int64_t fails = now;
  std::int64_t holds = stats::kBlocksCap;
  if (fails >= holds || !decides(holds)) return std::nullopt;
  while (holds - fails > 1) {
    const std::int64_t middle = fails + (holds - fails) / 2;
    (decides(middle) ? holds : fails) = middle;
  }
  return holds;
}

}  // namespace

double anytime_log_e(std::span<const double> log_ratios, double centre) {
  const Moments moments(log_ratios);
  const Signs signs = signs_about(log_ratios, centre);
  double of_t = 0;
  if (moments.sd > 0) {
    const double t = (moments.mean - centre) / moments.error();
    of_t = std::min(stats::t_mixture_log_e(moments.n, t), log_cap(signs.all));
  }
  return log_of_mean(stats::sign_log_e(signs.positive, signs.all), of_t);
}

std::optional<stats::Interval> anytime_interval(std::span<const double> log_ratios, double alpha) {
  const Moments moments(log_ratios);
  std::vector<double> sorted(log_ratios.begin(), log_ratios.end());
  std::sort(sorted.begin(), sorted.end());
  stats::Interval kept{kInfinity, -kInfinity};
  for (std::size_t below = 0; below <= sorted.size(); ++below) {
    const auto above = static_cast<std::int64_t>(sorted.size() - below);
    // E = (E_sign + E_t)/2 < 1/alpha leaves this much for E_t.
    const double room = 2 / alpha - std::exp(stats::sign_log_e(above, moments.n));
    const double half = t_half_width(moments, room, log_cap(moments.n));
    Gap gap;
    if (below > 0) gap.low = sorted[below - 1];
    if (above > 0) gap.high = sorted[below];
    gap.low = std::max(gap.low, moments.mean - half);
    gap.high = std::min(gap.high, moments.mean + half);
    if (half < 0 || gap.low > gap.high) continue;
    kept.low = std::min(kept.low, gap.low);
    kept.high = std::max(kept.high, gap.high);
  }
  if (!std::isfinite(kept.low) || !std::isfinite(kept.high)) return std::nullopt;
  return kept;
}

AnytimeEvidence anytime_evidence(std::span<const double> log_ratios, double margin) {
  AnytimeEvidence evidence;
  if (log_ratios.empty()) return evidence;
  const double mean = stats::mean(log_ratios);
  const Signs signs = signs_about(log_ratios, 0);
  const auto excess = static_cast<double>(2 * signs.positive - signs.all);
  if (mean * excess > 0) evidence.p_change = stats::anytime_p(anytime_log_e(log_ratios, 0));
  const double median = stats::median(log_ratios);
  if (std::abs(mean) < margin && std::abs(median) < margin) {
    const double log_e =
        std::min(anytime_log_e(log_ratios, -margin), anytime_log_e(log_ratios, margin));
    evidence.p_same = stats::anytime_p(log_e + std::numbers::ln2);
  }
  return evidence;
}

StoppingVerdict anytime_verdict(std::span<const double> log_ratios,
                                double delta,
                                double alpha,
                                std::size_t rows) {
  StoppingVerdict out;
  out.evidence = anytime_evidence(log_ratios, std::log1p(delta));
  if (const auto interval = anytime_interval(log_ratios, alpha)) {
    out.interval95 = ratios_of(*interval);
  }
  if (log_ratios.size() < kFewestBlocks) return out;
  if (out.evidence.p_same < alpha) {
    out.verdict = Verdict::Same;
  } else if (out.evidence.p_change < alpha / static_cast<double>(rows)) {
    out.verdict = stats::mean(log_ratios) > 0 ? Verdict::Better : Verdict::Worse;
  }
  return out;
}

std::optional<std::int64_t> anytime_blocks_needed(std::span<const double> log_ratios,
                                                  double margin,
                                                  double alpha_change,
                                                  double alpha) {
  const Moments moments(log_ratios);
  if (!(moments.sd > 0)) return std::nullopt;
  const double size = std::abs(moments.mean);
  const auto half_width = [&](std::int64_t n, double level) {
    const auto critical = stats::t_mixture_critical(n, level);
    return critical ? *critical * moments.sd / std::sqrt(static_cast<double>(n)) : kInfinity;
  };
  // The t-mixture alone must make the mean of the two reach 1/alpha, or 1/(2 alpha) at the margin.
  return first_that_decides(moments.n, [&](std::int64_t n) {
    return size > half_width(n, alpha_change / 2) || size + half_width(n, alpha) < margin;
  });
}

}  // namespace schedlab::compare
