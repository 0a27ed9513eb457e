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

/// Takes a varint off the front of `bytes`; nothing when it is truncated, longer than 64 bits or
/// longer than its value needs (so that equal histograms have equal bytes).
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::uint64_t part = byte & 0x7FU;
    if (shift == 63 && part > 1) return std::nullopt;
    value |= part << shift;
    if ((byte & 0x80U) == 0) {
      if (byte == 0 && shift != 0) return std::nullopt;
      return value;
    }
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
  if (std::isnan(q)) return max_;
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
  const auto complain = [](const char* why) {
    return failed(std::string("cannot read histogram: ") + why);
  };
  if (bytes.empty() || bytes.front() != kFormatVersion) {
    return complain("not a version 1 histogram");
  }
  bytes.remove_prefix(1);
  Histogram out;
  std::uint64_t head[5] = {};
  for (std::uint64_t& field : head) {
    const auto value = take_varint(bytes);
    if (!value) return complain("it ends within its head");
    field = *value;
  }
  out.count_ = head[0];
  out.sum_ = (static_cast<Uint128>(head[2]) << 64U) | head[1];
  if (out.count_ != 0) {
    out.min_ = head[3];
    out.max_ = head[4];
  } else if (out.sum_ != 0 || head[3] != 0 || head[4] != 0) {
    return complain("it is empty, yet has figures");
  }
  if (!out.take_buckets(bytes)) return complain("its buckets are truncated or out of range");
  if (!out.is_consistent()) return complain("its buckets do not agree with its figures");
  return out;
}

bool Histogram::take_buckets(std::string_view bytes) {
  std::size_t next = 0;
  while (!bytes.empty()) {
    const auto gap = take_varint(bytes);
    const auto times = take_varint(bytes);
    if (!gap || !times || *times == 0) return false;
    if (next >= kBucketCount || *gap >= kBucketCount - next) return false;
    next += static_cast<std::size_t>(*gap);
    buckets_[next] = *times;
    ++next;
  }
  return true;
}

bool Histogram::is_consistent() const {
  Uint128 total = 0;
  Uint128 least = 0;  // what the sum is at least and at most, by the buckets' edges
  Uint128 most = 0;
  std::size_t first = kBucketCount;
  std::size_t last = 0;
  for (std::size_t i = 0; i < kBucketCount; ++i) {
    if (buckets_[i] == 0) continue;
    first = std::min(first, i);
    last = i;
    total += buckets_[i];
    least += static_cast<Uint128>(buckets_[i]) * std::max(bucket_low(i), min_);
    most += static_cast<Uint128>(buckets_[i]) *
            (i + 1 == kBucketCount ? max_ : std::min(bucket_high(i), max_));
  }
  if (total != count_) return false;
  if (count_ == 0) return true;
  return min_ <= max_ && index_of(min_) == first && index_of(max_) == last && least <= sum_ &&
         sum_ <= most;
}

}  // namespace schedlab
