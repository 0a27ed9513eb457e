#include "core/rng.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

#include "core/check.h"

namespace schedlab {

namespace {

constexpr std::uint32_t low_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

constexpr std::uint32_t high_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32U);
}

}  // namespace

std::uint64_t Rng::next() {
  if (left_ == 0) {
    const r123::Philox4x32::ctr_type counter = {
        {low_word(counter_), high_word(counter_), low_word(stream_), high_word(stream_)}};
    const r123::Philox4x32::key_type key = {{low_word(seed_), high_word(seed_)}};
    const auto words = r123::Philox4x32()(counter, key);
    block_[0] = (std::uint64_t{words[1]} << 32U) | words[0];
    block_[1] = (std::uint64_t{words[3]} << 32U) | words[2];
    ++counter_;
    left_ = 2;
  }
  --left_;
  return block_[1 - left_];
}

std::uint64_t Rng::below(std::uint64_t bound) {
  SCHEDLAB_CHECK(bound > 0);
  const std::uint64_t reject_below = (0 - bound) % bound;  // 2^64 mod bound
  for (;;) {
    const std::uint64_t word = next();
    if (word >= reject_below) return word % bound;
  }
}

double Rng::uniform() {
  return static_cast<double>(next() >> 11U) * 0x1.0p-53;
}

double Rng::normal() {
  const double radius = std::sqrt(2 * exponential());
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Rng::exponential() {
  return -std::log1p(-uniform());
}

}  // namespace schedlab
