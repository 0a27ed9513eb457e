// The clocks we measure with: CLOCK_MONOTONIC for intervals (the same base as futex and nanosleep
// deadlines), CLOCK_REALTIME only to say when a run was.
#pragma once

#include <ctime>

#include "core/duration.h"

namespace schedlab::os {

inline Nanos read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return Nanos(std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
}

/// Since boot, steady. Cheap (vDSO): fit for hot paths.
inline Nanos monotonic_now() {
  return read_clock(CLOCK_MONOTONIC);
}

/// Since 1970, UTC; may step.
inline Nanos wall_now() {
  return read_clock(CLOCK_REALTIME);
}

/// Sleeps until the monotonic clock reads `when`; returns early with false when a signal came.
bool sleep_until(Nanos when);

}  // namespace schedlab::os
