#include "core/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>

#include "core/rng.h"

namespace {

// Counted for HistogramCost.RecordingDoesNotAllocate only.
std::size_t g_allocations = 0;

}  // namespace

// The replacement of the global operator new counts every allocation of this program.
void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++g_allocations;
  return std::malloc(size);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace schedlab {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
__extension__ using Uint128 = unsigned __int128;

/// Latencies as a hostile world makes them: any magnitude up to 2^42, often equal, often on an
/// edge.
std::uint64_t random_value(Rng& rng) {
  const std::uint64_t power = std::uint64_t{1} << rng.below(Histogram::kMaxBits);
  switch (rng.below(4)) {
    case 0:
      return rng.below(512);
    case 1:
      return power - 1;
    case 2:
      return power;
    default:
      return power + rng.below(power);
  }
}

std::vector<std::uint64_t> random_values(Rng& rng, std::uint64_t most) {
  std::vector<std::uint64_t> values(1 + rng.below(most));
  for (std::uint64_t& value : values)
    value = random_value(rng);
  return values;
}

Histogram histogram_of(std::span<const std::uint64_t> values) {
  Histogram histogram;
  for (const std::uint64_t value : values)
    histogram.record(value);
  return histogram;
}

TEST(Histogram, EmptyReadsZeroEverywhere) {
  const Histogram empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.min(), 0U);
  EXPECT_EQ(empty.max(), 0U);
  EXPECT_EQ(empty.mean(), 0);
  EXPECT_EQ(empty.quantile(0.99), 0U);
  EXPECT_FALSE(empty.saturated());
}

TEST(Histogram, ZeroIsAValueLikeAnyOther) {
  Histogram histogram;
  histogram.record(0);
  histogram.record(0);
  histogram.record(7);
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.count_up_to(0), 2U);
  EXPECT_EQ(histogram.min(), 0U);
  EXPECT_EQ(histogram.quantile(0.5), 0U);
  EXPECT_EQ(histogram.quantile(1), 7U);
}

TEST(Histogram, BucketsTileTheRangeWithoutGapOrOverlap) {
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < Histogram::kBucketCount; ++i) {
    ASSERT_EQ(Histogram::bucket_low(i), next) << i;
    ASSERT_EQ(Histogram::index_of(Histogram::bucket_low(i)), i);
    ASSERT_EQ(Histogram::index_of(Histogram::bucket_high(i)), i);
    const std::uint64_t width = Histogram::bucket_high(i) - Histogram::bucket_low(i) + 1;
    ASSERT_TRUE(width == 1 || width * 256 <= Histogram::bucket_low(i)) << i;
    next = Histogram::bucket_high(i) + 1;
  }
  EXPECT_EQ(next, Histogram::kMaxTrackable + 1);
}

TEST(Histogram, ReachesOneHour) {
  EXPECT_GE(Histogram::kMaxTrackable, 3'600'000'000'000U);
}

TEST(Histogram, ExactBelow512) {
  Histogram histogram;
  for (std::uint64_t value = 0; value < 512; ++value)
    histogram.record(value);
  for (std::uint64_t rank = 1; rank <= 512; ++rank) {
    ASSERT_EQ(histogram.quantile(static_cast<double>(rank) / 512), rank - 1);
  }
}

// 10^6 cases: 40,000 histograms of up to 60 samples, 25 quantiles each. The rank is computed in
// whole numbers, so the reference has no rounding of its own.
TEST(HistogramProperty, QuantileStandsWithinOneBucketAboveTheOrderStatistic) {
  Rng rng(20'260'101);
  for (int round = 0; round < 40'000; ++round) {
    std::vector<std::uint64_t> values = random_values(rng, 60);
    const Histogram histogram = histogram_of(values);
    std::sort(values.begin(), values.end());
    for (int draw = 0; draw < 25; ++draw) {
      const std::uint64_t permille = rng.below(1001);
      const std::uint64_t rank =
          std::max<std::uint64_t>(1, (permille * values.size() + 999) / 1000);
      const std::uint64_t truth = values[rank - 1];
      const std::uint64_t got = histogram.quantile(static_cast<double>(permille) / 1000);
      ASSERT_GE(got, truth) << "round " << round << " permille " << permille;
      ASSERT_LE((got - truth) * 256, truth) << "round " << round << " permille " << permille;
      ASSERT_LE(got, values.back());
      ASSERT_GE(got, values.front());
      if (truth < 512) {
        ASSERT_EQ(got, truth);
      }
    }
  }
}

TEST(HistogramProperty, ExactFiguresAreExact) {
  Rng rng(2);
  for (int round = 0; round < 200; ++round) {
    const std::vector<std::uint64_t> values = random_values(rng, 300);
    const Histogram histogram = histogram_of(values);
    Uint128 sum = 0;
    for (const std::uint64_t value : values)
      sum += value;
    ASSERT_EQ(histogram.count(), values.size());
    ASSERT_EQ(histogram.min(), *std::min_element(values.begin(), values.end()));
    ASSERT_EQ(histogram.max(), *std::max_element(values.begin(), values.end()));
    ASSERT_DOUBLE_EQ(histogram.mean(),
                     static_cast<double>(sum) / static_cast<double>(values.size()));
  }
}

TEST(HistogramProperty, MergingEqualsRecordingAll) {
  Rng rng(3);
  for (int round = 0; round < 100; ++round) {
    const std::vector<std::uint64_t> left = random_values(rng, 200);
    const std::vector<std::uint64_t> right = random_values(rng, 200);
    std::vector<std::uint64_t> all = left;
    all.insert(all.end(), right.begin(), right.end());
    Histogram merged = histogram_of(left);
    merged.merge(histogram_of(right));
    ASSERT_EQ(merged, histogram_of(all));
    merged.merge(Histogram());
    ASSERT_EQ(merged, histogram_of(all));
  }
}

TEST(Histogram, MergingIntoAnEmptyOneKeepsTheMinimum) {
  Histogram empty;
  empty.merge(histogram_of(std::vector<std::uint64_t>{9, 11}));
  EXPECT_EQ(empty.min(), 9U);
}

TEST(Histogram, RecordManyEqualsRecordingOneByOne) {
  Histogram many;
  many.record_many(1234, 3);
  many.record_many(5, 0);
  EXPECT_EQ(many, histogram_of(std::vector<std::uint64_t>{1234, 1234, 1234}));
}

TEST(Histogram, ClearForgetsEverything) {
  Histogram histogram = histogram_of(std::vector<std::uint64_t>{1, kLargest});
  histogram.clear();
  EXPECT_EQ(histogram, Histogram());
}

TEST(Histogram, TooLargeValuesSaturateAndReadMax) {
  Histogram histogram = histogram_of(std::vector<std::uint64_t>{0, kLargest, kLargest, kLargest});
  EXPECT_TRUE(histogram.saturated());
  EXPECT_EQ(histogram.max(), kLargest);
  EXPECT_EQ(histogram.quantile(0.99), kLargest);
  EXPECT_EQ(histogram.quantile(0.25), 0U);
  EXPECT_DOUBLE_EQ(histogram.mean(), 0.75 * 0x1.0p64);
  EXPECT_FALSE(histogram_of(std::vector<std::uint64_t>{Histogram::kMaxTrackable}).saturated());
}

TEST(Histogram, QuantileTakesAnyNumber) {
  const Histogram histogram = histogram_of(std::vector<std::uint64_t>{3, 4, 5});
  EXPECT_EQ(histogram.quantile(-1), 3U);
  EXPECT_EQ(histogram.quantile(2), 5U);
  EXPECT_EQ(histogram.quantile(std::nan("")), 5U);
  Histogram crowded;
  crowded.record_many(1, kLargest);
  EXPECT_EQ(crowded.quantile(1), 1U);
}

// 0.07 * 100 is a little more than 7 in binary; the rank must still be 7.
TEST(Histogram, RankIsNotPushedUpByRounding) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value)
    histogram.record(value);
  for (std::uint64_t percent = 1; percent <= 100; ++percent) {
    ASSERT_EQ(histogram.quantile(static_cast<double>(percent) / 100), percent);
  }
}

TEST(HistogramCost, RecordingDoesNotAllocate) {
  Histogram histogram;
  const std::size_t before = g_allocations;
  for (std::uint64_t value = 0; value < 100'000; ++value)
    histogram.record(value * value);
  histogram.record_many(kLargest, 7);
  EXPECT_EQ(g_allocations, before);
  EXPECT_EQ(histogram.count(), 100'007U);
}

TEST(HistogramCost, TheCounterOfAllocationsCounts) {
  const std::size_t before = g_allocations;
  const Histogram histogram;
  EXPECT_GT(g_allocations, before);
  EXPECT_TRUE(histogram.empty());
}

TEST(HistogramBytes, SurviveTheRoundTrip) {
  Rng rng(4);
  std::vector<Histogram> cases = {
      Histogram(),
      histogram_of(std::vector<std::uint64_t>{0}),
      histogram_of(std::vector<std::uint64_t>{0, kLargest}),
      histogram_of(std::vector<std::uint64_t>{Histogram::kMaxTrackable})};
  for (int round = 0; round < 200; ++round)
    cases.push_back(histogram_of(random_values(rng, 500)));
  for (const Histogram& histogram : cases) {
    const auto back = Histogram::deserialise(histogram.serialise());
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(*back, histogram);
  }
}

TEST(HistogramBytes, AreCompact) {
  Rng rng(5);
  Histogram histogram;
  for (int i = 0; i < 100'000; ++i)
    histogram.record(static_cast<std::uint64_t>(8'000 * std::exp(0.6 * rng.normal())));
  EXPECT_LT(histogram.serialise().size(), 8'000U);
}

TEST(HistogramBytes, EveryTruncationIsRefused) {
  const std::string bytes = histogram_of(std::vector<std::uint64_t>{1, 1000, 70'000}).serialise();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(Histogram::deserialise(bytes.substr(0, size))) << size;
  }
}

/// Varints after the version byte, to write what serialise() never would.
std::string by_hand(std::span<const std::uint64_t> fields) {
  std::string out(1, '\1');
  for (std::uint64_t field : fields) {
    for (; field >= 0x80; field >>= 7U)
      out.push_back(static_cast<char>((field & 0x7FU) | 0x80U));
    out.push_back(static_cast<char>(field));
  }
  return out;
}

bool accepts(std::vector<std::uint64_t> fields) {
  return Histogram::deserialise(by_hand(fields)).has_value();
}

// Fields: count, sum low, sum high, min, max, then (gap, count) pairs.
TEST(HistogramBytes, FiguresThatDoNotAgreeAreRefused) {
  EXPECT_TRUE(accepts({2, 30, 0, 10, 20, 10, 1, 9, 1}));
  EXPECT_FALSE(accepts({3, 30, 0, 10, 20, 10, 1, 9, 1})) << "count";
  EXPECT_FALSE(accepts({2, 31, 0, 10, 20, 10, 1, 9, 1})) << "sum";
  EXPECT_FALSE(accepts({2, 30, 1, 10, 20, 10, 1, 9, 1})) << "sum beyond 64 bits";
  EXPECT_FALSE(accepts({2, 30, 0, 11, 20, 10, 1, 9, 1})) << "min";
  EXPECT_FALSE(accepts({2, 30, 0, 10, 21, 10, 1, 9, 1})) << "max";
  EXPECT_FALSE(accepts({2, 30, 0, 20, 10, 10, 1, 9, 1})) << "min above max";
  EXPECT_FALSE(accepts({2, 30, 0, 10, 20, 10, 1, 9, 1, 0, 0})) << "an empty bucket";
  EXPECT_FALSE(accepts({0, 1, 0, 0, 0})) << "a sum of nothing";
  EXPECT_FALSE(accepts({0, 0, 0, 5, 0})) << "a minimum of nothing";
  EXPECT_FALSE(accepts({1, 0, 0, 0, 0, kLargest, 1})) << "bucket out of range";
  EXPECT_FALSE(accepts({1, 0, 0, 0, 0, Histogram::kBucketCount, 1})) << "bucket out of range";
}

TEST(HistogramBytes, CountsThatWrapAroundAreRefused) {
  // 2^63 + 2^63 + 1 is 1 in 64 bits.
  const std::uint64_t half = std::uint64_t{1} << 63U;
  EXPECT_FALSE(accepts({1, 0, 0, 0, 2, 0, half, 0, half, 0, 1}));
}

TEST(HistogramBytes, NumbersLongerThanTheyNeedAreRefused) {
  std::string bytes = by_hand(std::vector<std::uint64_t>{1, 0, 0, 0, 0, 0});
  EXPECT_TRUE(Histogram::deserialise(bytes + '\1'));
  EXPECT_FALSE(Histogram::deserialise(bytes + "\x81" + std::string(1, '\0')));
  EXPECT_FALSE(Histogram::deserialise(bytes + std::string(11, '\xFF')));
}

TEST(HistogramBytes, OtherVersionsAreRefused) {
  std::string bytes = Histogram().serialise();
  bytes[0] = 2;
  const auto read = Histogram::deserialise(bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "cannot read histogram: not a version 1 histogram");
}

// Whatever is accepted is a histogram that could have been recorded: it says the same bytes again.
TEST(HistogramBytes, MutatedBytesAreRefusedOrConsistent) {
  Rng rng(6);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = histogram_of(random_values(rng, 8)).serialise();
    for (std::uint64_t hits = 1 + rng.below(3); hits > 0; --hits) {
      bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    }
    const auto read = Histogram::deserialise(bytes);
    if (!read) continue;
    ++accepted;
    ASSERT_EQ(read->serialise(), bytes);
    ASSERT_LE(read->min(), read->quantile(0.5));
    ASSERT_LE(read->quantile(0.5), read->max());
  }
  EXPECT_GT(accepted, 0);
}

TEST(HistogramBytes, NoiseNeverCrashes) {
  Rng rng(7);
  for (int round = 0; round < 5'000; ++round) {
    std::string bytes(1 + rng.below(64), '\1');
    for (std::size_t i = 1; i < bytes.size(); ++i)
      bytes[i] = static_cast<char>(rng.below(256));
    if (const auto read = Histogram::deserialise(bytes)) {
      ASSERT_EQ(read->serialise(), bytes);
    }
  }
}

}  // namespace
}  // namespace schedlab
