// ArrivalSchedule: when the open loop's requests are due, as a pure function of rate, seed and
// time.
#pragma once

#include <cstdint>

#include "core/rng.h"
#include "workload/schbench/options.h"

namespace schedlab::workload::schbench {

class ArrivalSchedule {
 public:
  /// From `start` (ns) on. Uniform schedules of `streams` threads are staggered by `stream`.
  ArrivalSchedule(Arrivals kind,
                  std::uint64_t seed,
                  std::uint32_t stream,
                  std::uint32_t streams,
                  std::int64_t start);

  /// When the next request is due at `rate` (> 0) per second. Never before the one before it. Exact
  /// over a second at a constant rate: uniform and burst give `rate` arrivals in each.
  std::int64_t next(std::int64_t rate);

 private:
  Arrivals kind_;
  Rng rng_;
  std::uint32_t stream_;
  std::uint32_t streams_;
  std::int64_t epoch_;  // where the current rate started
  std::int64_t rate_ = 0;
  std::int64_t count_ = 0;  // given out since epoch_
  std::int64_t last_;
};

}  // namespace schedlab::workload::schbench
