#include "os/clock.h"

namespace schedlab::os {

bool sleep_until(Nanos when) {
  constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
  if (when <= Nanos(0)) return true;  // the monotonic clock starts at 0: that instant is past
  const timespec deadline{.tv_sec = when.count() / kNanosPerSecond,
                          .tv_nsec = when.count() % kNanosPerSecond};
  return ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) == 0;
}

}  // namespace schedlab::os
