// The two halves every bootstrap is made of, for bootstraps of things that are not spans of
// numbers: positions to draw, and the BCa interval from the figures that came out (bootstrap.h has
// the formula).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/rng.h"
#include "stats/bootstrap.h"

namespace schedlab::stats {

/// Positions below a bound, without bias: two from each 64-bit word of Philox (Lemire 2019).
class PositionDrawer {
 public:
  PositionDrawer(std::uint64_t seed, std::uint64_t stream) : rng_(seed, stream) {}

  /// Uniform in [0, bound); 0 < bound < 2^32.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{next_half()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t reject_below = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < reject_below)
        product = std::uint64_t{next_half()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32U);
  }

  std::size_t below_size(std::size_t bound) { return below(static_cast<std::uint32_t>(bound)); }

 private:
  std::uint32_t next_half() {
    if (!half_left_) word_ = rng_.next();
    const std::uint64_t half = half_left_ ? word_ >> 32U : word_;
    half_left_ = !half_left_;
    return static_cast<std::uint32_t>(half);
  }

  Rng rng_;
  std::uint64_t word_ = 0;
  bool half_left_ = false;
};

struct Resampled {
  double estimate = 0;
  std::vector<double> figures;                     // of each resample
  std::vector<std::vector<double>> leave_one_out;  // per sample that was drawn independently
};

/// Errors: figures that are not finite or all the same, an estimate outside all of them.
Result<BootstrapInterval> bca_interval(Resampled resampled, double confidence);

/// Errors: confidence or resamples out of range, fewer than kBootstrapMinimum `units` (`unit`: what
/// is drawn, "boots"), or more than kBootstrapMaximumDraws draws of `values` values.
Status require_resampling(const BootstrapOptions& options,
                          std::size_t units,
                          std::string_view unit,
                          std::size_t values);

}  // namespace schedlab::stats
