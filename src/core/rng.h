// Rng: counter-based random numbers (Philox4x32-10, Random123; Salmon et al., SC'11).
//
// The same (seed, stream) gives the same bits on every compiler and machine; streams do not
// overlap. Draws use integer arithmetic only up to the last multiplication, so a shuffle is
// reproducible everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace schedlab {

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  std::uint64_t next();

  /// Uniform in [0, bound), without modulo bias. bound > 0.
  std::uint64_t below(std::uint64_t bound);

  /// Uniform in [0, 1), 53 bits.
  double uniform();

  /// Standard normal by Box-Muller (bits depend on libm's log/cos; not for golden hashes).
  double normal();

  /// Exponential with mean 1.
  double exponential();

  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
    }
  }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;
  std::array<std::uint64_t, 2> block_{};
  unsigned left_ = 0;  // words of block_ not yet given out
};

}  // namespace schedlab
