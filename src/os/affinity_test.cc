#include "os/affinity.h"

#include <gmock/gmock.h>

#include <thread>

namespace schedlab::os {
namespace {

using testing::HasSubstr;

/// In a thread of its own, so that no test leaves its affinity to the next.
template <typename Body>
void in_own_thread(Body body) {
  std::thread(body).join();
}

TEST(Affinity, AThreadMayUseAtLeastOneCpu) {
  const auto allowed = allowed_cpus();
  ASSERT_TRUE(allowed) << allowed.error().message;
  EXPECT_FALSE(allowed->empty());
}

TEST(Affinity, ABoundThreadRunsThereAndSaysSo) {
  const CpuList allowed = *allowed_cpus();
  for (const CpuId cpu : allowed) {
    in_own_thread([&] {
      const auto bound = bind_current_thread(CpuList({cpu}));
      ASSERT_TRUE(bound) << bound.error().message;
      EXPECT_EQ(current_cpu(), cpu);
      EXPECT_EQ(*allowed_cpus(), CpuList({cpu}));
    });
  }
}

TEST(Affinity, ABoundThreadCanBeBoundElsewhere) {
  const CpuList allowed = *allowed_cpus();
  if (allowed.size() < 2) GTEST_SKIP() << "needs two allowed CPUs";
  in_own_thread([&] {
    ASSERT_TRUE(bind_current_thread(CpuList({allowed[0]})));
    ASSERT_TRUE(bind_current_thread(CpuList({allowed[1]})));
    EXPECT_EQ(current_cpu(), allowed[1]);
  });
}

TEST(Affinity, AnAbsentCpuIsNamedWithTheAllowedOnes) {
  in_own_thread([] {
    const CpuList allowed = *allowed_cpus();
    const auto bound = bind_current_thread(CpuList({CpuId{kMaxCpuId}}));
    ASSERT_FALSE(bound);
    EXPECT_THAT(bound.error().message, HasSubstr("cannot pin to CPU 8191"));
    EXPECT_THAT(bound.error().message, HasSubstr("allowed: " + allowed.to_string()));
    EXPECT_EQ(*allowed_cpus(), allowed) << "a refusal leaves the thread as it was";
  });
}

TEST(Affinity, OneAbsentCpuAmongAllowedOnesIsStillRefused) {
  in_own_thread([] {
    const CpuList allowed = *allowed_cpus();
    ASSERT_TRUE(bind_current_thread(CpuList({allowed[0]})));
    const auto bound = bind_current_thread(CpuList({allowed[0], CpuId{8000}}));
    ASSERT_FALSE(bound);
    EXPECT_THAT(bound.error().message, HasSubstr("cannot pin to CPU 8000:"));
    EXPECT_EQ(*allowed_cpus(), CpuList({allowed[0]})) << "a refusal leaves the thread as it was";
  });
}

TEST(Affinity, AnEmptyListAndImpossibleIdsAreUsageErrors) {
  EXPECT_EQ(bind_current_thread(CpuList()).error().kind, Error::Kind::Usage);
  EXPECT_EQ(bind_current_thread(CpuList({CpuId{-1}})).error().kind, Error::Kind::Usage);
  EXPECT_EQ(bind_current_thread(CpuList({CpuId{kMaxCpuId + 1}})).error().kind, Error::Kind::Usage);
}

}  // namespace
}  // namespace schedlab::os
