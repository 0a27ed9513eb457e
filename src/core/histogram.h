// Histogram: the latency histogram that every workload records into and every comparison reads.
//
// Log-linear: values 0..511 are exact; above, each power of two is cut into 256 equal buckets, so a
// bucket is at most 1/256 of its value wide. Range 0 ns to 2^42 ns (73 minutes); larger values
// count in the last bucket, saturated() tells, and quantiles that fall there read max. Zero is a
// value like any other. Count, sum, min and max are exact.
//
// Single writer: record() is a handful of instructions, no lock, no atomic, no allocation. Reading
// while another thread records is a data race; hand the histogram over first.
//
//   value   0 ... 511 | 512 ... 1023 | 1024 ... 2047 | ...
//   width       1     |      2       |       4       | ...
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab {

class Histogram {
  __extension__ using Uint128 = unsigned __int128;

 public:
  static constexpr unsigned kSubBucketBits = 8;
  static constexpr unsigned kMaxBits = 42;
  static constexpr std::uint64_t kMaxTrackable = (std::uint64_t{1} << kMaxBits) - 1;
  static constexpr std::size_t kBucketCount = (kMaxBits - kSubBucketBits + 1) << kSubBucketBits;

  /// Allocates and touches all buckets (70 KiB), so that record() never faults.
  Histogram() : buckets_(kBucketCount, 0) {}

  void record(std::uint64_t value) {
    ++buckets_[index_of(value)];
    ++count_;
    sum_ += value;
    min_ = value < min_ ? value : min_;
    max_ = value > max_ ? value : max_;
  }

  /// As record(), `times` times.
  void record_many(std::uint64_t value, std::uint64_t times);

  void merge(const Histogram& other);
  void clear();

  [[nodiscard]] std::uint64_t count() const { return count_; }

  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// Exact; 0 when empty.
  [[nodiscard]] std::uint64_t min() const { return count_ == 0 ? 0 : min_; }

  [[nodiscard]] std::uint64_t max() const { return max_; }

  /// Exact up to 2^128.
  [[nodiscard]] double mean() const;

  /// Whether a value was above kMaxTrackable.
  [[nodiscard]] bool saturated() const { return max_ > kMaxTrackable; }

  /// The value at rank ceil(q * count) (at least rank 1), q in [0, 1]: the upper edge of its
  /// bucket, cut to [min, max]; thus never above max, never more than 1/256 above the true order
  /// statistic, never below it. 0 when empty; q is clamped
  /// and a q that is not a number reads max.
  [[nodiscard]] std::uint64_t quantile(double q) const;

  /// Samples with a bucket index not above that of `value`.
  [[nodiscard]] std::uint64_t count_up_to(std::uint64_t value) const;

  /// Width of the bucket that holds `value`: the resolution of a quantile there.
  [[nodiscard]] static constexpr std::uint64_t bucket_width(std::uint64_t value) {
    const std::uint64_t v = value > kMaxTrackable ? kMaxTrackable : value;
    const unsigned bits = static_cast<unsigned>(std::bit_width(v));
    return bits <= kSubBucketBits + 1 ? 1 : std::uint64_t{1} << (bits - kSubBucketBits - 1);
  }

  [[nodiscard]] static constexpr std::size_t index_of(std::uint64_t value) {
    const std::uint64_t v = value > kMaxTrackable ? kMaxTrackable : value;
    const unsigned bits = static_cast<unsigned>(std::bit_width(v | (1U << kSubBucketBits)));
    const unsigned shift = bits - kSubBucketBits - 1;
    return static_cast<std::size_t>((std::uint64_t{shift} << kSubBucketBits) + (v >> shift));
  }

  /// Smallest and largest value of a bucket.
  [[nodiscard]] static constexpr std::uint64_t bucket_low(std::size_t index) {
    if (index < (1U << (kSubBucketBits + 1))) return index;
    const std::size_t shift = (index >> kSubBucketBits) - 1;
    return (std::uint64_t{index} - (shift << kSubBucketBits)) << shift;
  }

  [[nodiscard]] static constexpr std::uint64_t bucket_high(std::size_t index) {
    return bucket_low(index) + bucket_width(bucket_low(index)) - 1;
  }

  [[nodiscard]] const std::vector<std::uint64_t>& buckets() const { return buckets_; }

  /// Compact form: version, exact figures, then runs of (gap, count) varints over non-empty
  /// buckets.
  [[nodiscard]] std::string serialise() const;
  /// Accepts exactly what serialise() writes. Errors: truncated, wrong version, bucket out of
  /// range, counts that do not add up, exact figures that no samples in these buckets could have.
  static Result<Histogram> deserialise(std::string_view bytes);

  friend bool operator==(const Histogram&, const Histogram&) = default;

 private:
  /// The (gap, count) pairs of the compact form; false when they are malformed.
  bool take_buckets(std::string_view bytes);
  /// Whether count, sum, min and max could be those of the samples in the buckets.
  [[nodiscard]] bool is_consistent() const;

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  Uint128 sum_ = 0;
  std::uint64_t min_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_ = 0;
};

}  // namespace schedlab
