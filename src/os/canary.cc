#include "os/canary.h"

#include <numeric>
#include <utility>

#include "os/clock.h"

namespace schedlab::os {

namespace {

constexpr std::size_t kLines = (std::size_t{256} << 10U) / 64;

/// Knuth's MMIX multiplier; each step needs the one before.
constexpr std::uint64_t next_state(std::uint64_t state) {
  return state * 6364136223846793005U + 1442695040888963407U;
}

}  // namespace

Canary::Canary() : lines_(kLines) {
  std::vector<std::uint32_t> order(kLines);
  std::iota(order.begin(), order.end(), 0U);
  // Sattolo's shuffle: one cycle through every line, in an order no prefetcher guesses.
  std::uint64_t state = 1;
  for (std::size_t i = kLines - 1; i > 0; --i) {
    state = next_state(state);
    std::swap(order[i], order[(state >> 33U) % i]);
  }
  for (std::size_t i = 0; i < kLines; ++i)
    lines_[i].next = order[i];
}

Nanos Canary::run() {
  const Nanos start = monotonic_now();
  std::uint64_t state = trace_ + 1;
  for (std::int64_t i = 0; i < kChainSteps; ++i) {
    state = next_state(state);
    asm volatile("" : "+r"(state));  // else the loop could fold to a closed form
  }
  std::uint32_t line = 0;
  for (std::int64_t i = 0; i < kWalkSteps; ++i)
    line = lines_[line].next;
  trace_ = state ^ line;
  asm volatile("" : : "r"(line), "r"(state) : "memory");
  return monotonic_now() - start;
}

}  // namespace schedlab::os
