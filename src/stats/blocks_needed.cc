#include "stats/blocks_needed.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"

namespace schedlab::stats {

std::optional<std::int64_t> blocks_needed(double effect,
                                          double sd,
                                          std::int64_t blocks_now,
                                          const DecisionGoal& goal) {
  constexpr std::int64_t kFewest = 3;
  if (!(sd > 0) || !std::isfinite(sd) || !std::isfinite(effect)) return std::nullopt;
  const auto decides = [&](std::int64_t n) {
    const auto count = static_cast<double>(n);
    const double error = sd / std::sqrt(count);
    const double size = std::abs(effect);
    return size > t_quantile(1 - goal.alpha_change / 2, count - 1) * error ||
           size + t_quantile(1 - goal.alpha_same, count - 1) * error < goal.margin;
  };
  // Both half-widths shrink with n, so once it decides it goes on deciding: bisect.
  std::int64_t fails = std::max(blocks_now, kFewest - 1);
  std::int64_t holds = kBlocksCap;
  if (fails >= holds || !decides(holds)) return std::nullopt;
  while (holds - fails > 1) {
    const std::int64_t middle = fails + (holds - fails) / 2;
    (decides(middle) ? holds : fails) = middle;
  }
  return holds;
}

}  // namespace schedlab::stats
