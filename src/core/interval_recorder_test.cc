#include "core/interval_recorder.h"

#include <gtest/gtest.h>

#include <thread>

namespace schedlab {
namespace {

constexpr Nanos kPatience = std::chrono::seconds(30);

TEST(IntervalRecorder, GivesEachSampleOnce) {
  IntervalRecorder recorder(2);
  recorder.begin()[1].record(7);
  recorder.end();
  std::vector<Histogram> taken(2);
  ASSERT_TRUE(recorder.collect(taken, kPatience));
  EXPECT_EQ(taken[0].count(), 0U);
  EXPECT_EQ(taken[1].count(), 1U);
  ASSERT_TRUE(recorder.collect(taken, kPatience));
  EXPECT_EQ(taken[1].count(), 1U);
}

TEST(IntervalRecorder, TakesBothSetsAfterACallThatGaveUp) {
  IntervalRecorder recorder(1);
  std::vector<Histogram> taken(1);
  auto set = recorder.begin();
  EXPECT_FALSE(recorder.collect(taken, Nanos{0}));
  EXPECT_FALSE(recorder.collect(taken, Nanos{0}));
  set[0].record(5);
  recorder.end();
  recorder.begin()[0].record(6);  // goes to the new set
  recorder.end();
  ASSERT_TRUE(recorder.collect(taken, kPatience));
  EXPECT_EQ(taken[0].count(), 2U);
  EXPECT_EQ(taken[0].min(), 5U);
  EXPECT_EQ(taken[0].max(), 6U);
  ASSERT_TRUE(recorder.collect(taken, kPatience));
  EXPECT_EQ(taken[0].count(), 2U);
}

TEST(IntervalRecorder, TakesTheLeftSetWhileTheWriterIsInsideTheOther) {
  IntervalRecorder recorder(1);
  std::vector<Histogram> taken(1);
  auto first = recorder.begin();
  EXPECT_FALSE(recorder.collect(taken, Nanos{0}));
  first[0].record(5);
  recorder.end();
  auto second = recorder.begin();
  EXPECT_FALSE(recorder.collect(taken, Nanos{0}));
  EXPECT_EQ(taken[0].count(), 1U);
  second[0].record(6);
  recorder.end();
  ASSERT_TRUE(recorder.collect(taken, kPatience));
  EXPECT_EQ(taken[0].count(), 2U);
}

TEST(IntervalRecorder, LosesNothingWhileTheWriterRuns) {
  constexpr std::uint64_t kSamples = 200'000;
  IntervalRecorder recorder(1);
  std::atomic<bool> done{false};
  std::jthread writer([&] {
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      recorder.begin()[0].record(i % 1000);
      recorder.end();
    }
    done = true;
  });
  std::vector<Histogram> taken(1);
  while (!done)
    ASSERT_TRUE(recorder.collect(taken, kPatience));
  ASSERT_TRUE(recorder.collect(taken, kPatience));
  EXPECT_EQ(taken[0].count(), kSamples);
  EXPECT_EQ(taken[0].max(), 999U);
}

}  // namespace
}  // namespace schedlab
