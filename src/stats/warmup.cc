#include "stats/warmup.h"

#include <cmath>
#include <vector>

#include "stats/inputs.h"
#include "stats/summary.h"

namespace schedlab::stats {

namespace {

// Cuts that leave fewer batches have hardly a spread and would win by chance (White, Cobb and
// Spratt 2000).
constexpr std::size_t kLeastKept = 5;

}  // namespace

Result<Warmup> find_warmup(std::span<const double> series) {
  SCHEDLAB_RETURN_IF_ERROR(require_sample(series, kWarmupFewest, "warm-up"));
  const std::size_t batches = series.size() / kWarmupBatch;
  std::vector<double> means(batches);
  for (std::size_t j = 0; j < batches; ++j)
    means[j] = mean(series.subspan(j * kWarmupBatch, kWarmupBatch));

  // From the end, so that each cut adds one batch mean (Welford 1962).
  Warmup warmup;
  std::size_t best_cut = 0;
  double best = HUGE_VAL;
  double centre = 0;
  double squares = 0;
  for (std::size_t kept = 1; kept <= batches; ++kept) {
    const double value = means[batches - kept];
    const auto count = static_cast<double>(kept);
    const double before = value - centre;
    centre += before / count;
    squares += before * (value - centre);
    const double criterion = squares / (count * count);
    if (kept >= kLeastKept && criterion <= best) {
      best = criterion;
      best_cut = batches - kept;
    }
  }
  warmup.mser = best;
  warmup.settled = 2 * best_cut <= batches;
  warmup.discard = warmup.settled ? best_cut * kWarmupBatch : 0;
  return warmup;
}

}  // namespace schedlab::stats
