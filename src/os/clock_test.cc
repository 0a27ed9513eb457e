#include "os/clock.h"

#include <gtest/gtest.h>

namespace schedlab::os {
namespace {

TEST(Clock, NeverGoesBackwards) {
  Nanos last = monotonic_now();
  for (int i = 0; i < 1000; ++i) {
    const Nanos now = monotonic_now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, SleepsAtLeastUntilTheDeadline) {
  const Nanos deadline = monotonic_now() + std::chrono::milliseconds(1);
  ASSERT_TRUE(sleep_until(deadline));
  EXPECT_GE(monotonic_now(), deadline);
}

TEST(Clock, ADeadlineInThePastReturnsAtOnce) {
  EXPECT_TRUE(sleep_until(Nanos(0)));
  EXPECT_TRUE(sleep_until(Nanos(-5)));
  EXPECT_TRUE(sleep_until(Nanos(1)));
}

TEST(Clock, WallClockIsThisCentury) {
  EXPECT_GT(wall_now(), std::chrono::hours(24 * 365 * 50));
}

}  // namespace
}  // namespace schedlab::os
