// The canary: a fixed piece of work, timed before each run, that shows when the CPU's own speed
// moved (frequency, thermal limit, a noisy neighbour) rather than what was measured.
#pragma once

#include <cstdint>
#include <vector>

#include "core/duration.h"

namespace schedlab::os {

class Canary {
 public:
  /// Raised whenever the work changes: times of different versions do not compare.
  static constexpr std::int32_t kVersion = 1;

  /// About half of the time each, 50 ms in all on a server CPU of 2024: a chain of dependent 64-bit
  /// multiply-adds (the core's clock), and a chase through 256 KiB in random order (the L2).
  /// Constants, so that times compare across days and machines.
  static constexpr std::int64_t kChainSteps = 27'000'000;
  static constexpr std::int64_t kWalkSteps = 7'000'000;

  /// Lays out and touches the memory of the walk.
  Canary();

  /// Does the work on the calling thread; how long it took by the monotonic clock.
  [[nodiscard]] Nanos run();

  /// Value left by the work so far: the same after as many runs, on every machine.
  [[nodiscard]] std::uint64_t trace() const { return trace_; }

 private:
  struct alignas(64) Line {
    std::uint32_t next = 0;
  };

  std::vector<Line> lines_;  // one cycle through all of them
  std::uint64_t trace_ = 0;
};

}  // namespace schedlab::os
