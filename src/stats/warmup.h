// Warm-up: how many samples at the start of a run still belong to getting going?
//
// MSER-5 (White 1997; White, Cobb and Spratt 2000): the series is cut into batches of 5, and the
// cut d is taken that minimises sum over j > d of (y_j - mean)^2 / (k - d)^2 of the k batch means:
// the squared half-width of the mean of what remains, so dropping the start must pay for the
// samples it costs. A cut in the second half means that the run never settled (or ends with a
// disturbance): nothing is to be trusted then, `settled` is false, and no cut is advised.
//
// Free of unit and shift; the order matters. The last n mod 5 samples belong to no batch but are
// kept. Limits: slow cycles look like a warm-up; a drift throughout is no warm-up (stats/trend.h).
#pragma once

#include <cstddef>
#include <span>

#include "core/result.h"

namespace schedlab::stats {

inline constexpr std::size_t kWarmupBatch = 5;
inline constexpr std::size_t kWarmupFewest = 50;  // samples: ten batches

struct Warmup {
  std::size_t discard = 0;  // samples at the start, a multiple of the batch; 0 when not settled
  bool settled = true;
  double mser = 0;  // the criterion at the best cut, in squared units of the series
};

/// Of equally good cuts the earliest. Errors: fewer than kWarmupFewest samples, not finite. O(n).
Result<Warmup> find_warmup(std::span<const double> series);

}  // namespace schedlab::stats
