#include "workload/schbench/arrivals.h"

#include <algorithm>

namespace schedlab::workload::schbench {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

ArrivalSchedule::ArrivalSchedule(Arrivals kind,
                                 std::uint64_t seed,
                                 std::uint32_t stream,
                                 std::uint32_t streams,
                                 std::int64_t start)
    : kind_(kind),
      rng_(seed, stream),
      stream_(stream),
      streams_(streams),
      epoch_(start),
      last_(start) {}

std::int64_t ArrivalSchedule::next(std::int64_t rate) {
  if (rate != rate_) {
    epoch_ = last_;
    count_ = 0;
    rate_ = rate;
    if (kind_ == Arrivals::Uniform) epoch_ += kSecond / rate * stream_ / streams_;
  }
  switch (kind_) {
    case Arrivals::Uniform: {
      const std::int64_t seconds = count_ / rate;
      const std::int64_t rest = count_ % rate;
      const auto within =
          static_cast<std::int64_t>(static_cast<double>(rest) * 1e9 / static_cast<double>(rate));
      last_ = std::max(last_, epoch_ + seconds * kSecond + within);
      break;
    }
    case Arrivals::Poisson:
      last_ += static_cast<std::int64_t>(rng_.exponential() * 1e9 / static_cast<double>(rate));
      break;
    case Arrivals::Burst:
      last_ = epoch_ + count_ / rate * kSecond;
      break;
  }
  ++count_;
  return last_;
}

}  // namespace schedlab::workload::schbench
