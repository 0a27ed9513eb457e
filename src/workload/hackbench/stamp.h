// The 8 bytes that a latency run puts at the head of each message: nanoseconds since the run's base
// and a check value, so that a receiver knows a stamp from other bytes. It must: the kernel may mix
// large writes of several senders to one stream, and then message borders shift for a while.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

namespace schedlab::workload::hackbench {

inline constexpr unsigned kStampTimeBits = 48;  // 78 hours

inline std::uint64_t stamp_check(std::uint64_t elapsed_ns) {
  // Fibonacci hashing; the upper bits depend on all of the input.
  return (elapsed_ns * 0x9E3779B97F4A7C15U) >> kStampTimeBits;
}

inline void write_stamp(char* message, std::uint64_t elapsed_ns) {
  const std::uint64_t word = (elapsed_ns & ((std::uint64_t{1} << kStampTimeBits) - 1)) |
                             (stamp_check(elapsed_ns) << kStampTimeBits);
  std::memcpy(message, &word, sizeof word);
}

/// Nothing when the bytes are no stamp, or one from after `now_ns` (both since the base).
inline std::optional<std::uint64_t> read_stamp(const char* message, std::uint64_t now_ns) {
  std::uint64_t word = 0;
  std::memcpy(&word, message, sizeof word);
  const std::uint64_t elapsed = word & ((std::uint64_t{1} << kStampTimeBits) - 1);
  if (word >> kStampTimeBits != stamp_check(elapsed) || elapsed > now_ns) return std::nullopt;
  return elapsed;
}

}  // namespace schedlab::workload::hackbench
