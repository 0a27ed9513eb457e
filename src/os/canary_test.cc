#include "os/canary.h"

#include <gtest/gtest.h>

namespace schedlab::os {
namespace {

TEST(Canary, DoesTheSameWorkEveryTime) {
  Canary first;
  Canary second;
  EXPECT_GT(first.run(), Nanos(0));
  EXPECT_GT(second.run(), Nanos(0));
  EXPECT_EQ(first.trace(), second.trace());
  // The work's own value: when this moves, so do the times, and kVersion must rise.
  EXPECT_EQ(Canary::kVersion, 1);
  EXPECT_EQ(first.trace(), 5399432042462727070U);
}

}  // namespace
}  // namespace schedlab::os
