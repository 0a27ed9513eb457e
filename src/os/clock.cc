#include "os/clock.h"

namespace schedlab::os {

namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

}  // namespace

bool sleep_until(Nanos when) {
  if (when <= Nanos(0)) return true;  // the monotonic clock starts at 0: that instant is past
  const timespec deadline{.tv_sec = when.count() / kNanosPerSecond,
                          .tv_nsec = when.count() % kNanosPerSecond};
  return ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) == 0;
}

}  // namespace schedlab::os
