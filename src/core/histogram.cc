#include "core/histogram.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace schedlab {

namespace {

constexpr char kFormatVersion = 1;

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

/// Takes a varint off the front of `bytes`; nothing when it is truncated or longer than 64 bits.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::uint64_t part = byte & 0x7FU;
    if (shift == 63 && part > 1) return std::nullopt;
    value |= part << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

}  // namespace

void Histogram::record_many(std::uint64_t value, std::uint64_t times) {
  if (times == 0) return;
  buckets_[index_of(value)] += times;
  count_ += times;
  sum_ += static_cast<Uint128>(value) * times;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i)
    buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

void Histogram::clear() {
  std::fill(buckets_.begin(), buckets_.end(), 0);
  count_ = 0;
  sum_ = 0;
  min_ = std::numeric_limits<std::uint64_t>::max();
  max_ = 0;
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

std::uint64_t Histogram::quantile(double q) const {
  if (count_ == 0) return 0;
  // The product may round up past a whole number that it should equal (0.07 * 100); a nudge of a
  // few ulps keeps such a rank where exact arithmetic would have it.
  const double exact = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_);
  const double rank = std::ceil(exact * (1 - 4e-16));
  const std::uint64_t wanted =
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen < wanted) continue;
    if (i + 1 == buckets_.size() && saturated()) return max_;
    return std::clamp(bucket_high(i), min_, max_);
  }
  return max_;
}

std::uint64_t Histogram::count_up_to(std::uint64_t value) const {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i <= index_of(value); ++i)
    seen += buckets_[i];
  return seen;
}

std::string Histogram::serialise() const {
  std::string out(1, kFormatVersion);
  put_varint(out, count_);
  put_varint(out, static_cast<std::uint64_t>(sum_));
  put_varint(out, static_cast<std::uint64_t>(sum_ >> 64U));
  put_varint(out, min());
  put_varint(out, max_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    put_varint(out, i - next);
    put_varint(out, buckets_[i]);
    next = i + 1;
  }
  return out;
}

Result<Histogram> Histogram::deserialise(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != kFormatVersion) {
    return failed("cannot read histogram: not a version 1 histogram");
  }
  bytes.remove_prefix(1);
  Histogram out;
  std::uint64_t head[5] = {};
  for (std::uint64_t& field : head) {
    const auto value = take_varint(bytes);
    if (!value) return failed("cannot read histogram: it ends within its head");
    field = *value;
  }
  out.count_ = head[0];
  out.sum_ = (static_cast<Uint128>(head[2]) << 64U) | head[1];
  if (out.count_ != 0) {
    out.min_ = head[3];
    out.max_ = head[4];
  }
  std::size_t next = 0;
  std::uint64_t total = 0;
  while (!bytes.empty()) {
    const auto gap = take_varint(bytes);
    const auto times = take_varint(bytes);
    if (!gap || !times) return failed("cannot read histogram: it ends within a bucket");
    if (*gap >= kBucketCount - next) return failed("cannot read histogram: bucket out of range");
    next += *gap;
    out.buckets_[next] = *times;
    total += *times;
    ++next;
    if (next >= kBucketCount && !bytes.empty()) {
      return failed("cannot read histogram: bucket out of range");
    }
  }
  if (total != out.count_)
    return failed("cannot read histogram: its buckets do not add up to its count");
  return out;
}

}  // namespace schedlab
