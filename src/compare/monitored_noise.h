// For tests: paired log-ratios as the lab makes them, block after block, of noise whose truth is
// known. Everything follows from the seed.
#pragma once

#include <array>
#include <cmath>
#include <functional>

#include "core/rng.h"

namespace schedlab::compare {

/// ln of the value of the run made next.
using RunNoise = std::function<double(Rng& rng)>;

inline RunNoise normal_noise(double sd) {
  return [sd](Rng& rng) { return sd * rng.normal(); };
}

/// AR(1) with standard deviation `sd` over all.
inline RunNoise autoregressive_noise(double rho, double sd) {
  return [rho, sd, state = 0.0](Rng& rng) mutable {
    state = rho * state + std::sqrt(1 - rho * rho) * rng.normal();
    return sd * state;
  };
}

/// Two modes 50 % apart, the upper one taken by `share` of the runs.
inline RunNoise two_mode_noise(double share, double sd) {
  return [share, sd](Rng& rng) { return (rng.uniform() < share ? 0.4 : 0) + sd * rng.normal(); };
}

/// The two runs inside a block are slower than the two around them: the coin alone decides which
/// arm that hits, and a block's difference is one of two tight values of either sign.
inline RunNoise tight_difference_noise() {
  return [turn = 0](Rng& rng) mutable {
    const double level = (turn % 4 == 1 || turn % 4 == 2) ? 0.05 : 0;
    ++turn;
    return level + 1e-4 * rng.normal();
  };
}

/// One block, ABBA or BAAB by a coin: + is better for the new arm by `effect`.
inline double block_log_ratio(const RunNoise& noise, double effect, Rng& rng) {
  const bool base_first = rng.below(2) == 0;
  std::array<double, 4> values{};
  for (double& value : values)
    value = noise(rng);
  const double outer = (values[0] + values[3]) / 2;
  const double inner = (values[1] + values[2]) / 2;
  return effect + (base_first ? inner - outer : outer - inner);
}

}  // namespace schedlab::compare
