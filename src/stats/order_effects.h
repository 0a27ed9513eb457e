// Order effects: does it matter which arm goes first, or that a boot or run is the first?
//
// Three checks on values the plan already has. A warning, not a correction: interleaving makes
// these effects cancel between the arms, unless they differ between the arms, which is what is
// tested.
//
//   order       paired differences of blocks where the base went first against those where it went
//               second: difference of means, p by permutation of the labels (Fisher 1935; exact up
//               to kExactArrangements, else a seeded draw of them). No assumption on the shape.
//   first boot  the first boot's value against a prediction from the others: t with n - 2 degrees
//               of freedom, (x_1 - mean of rest)/(sd of rest sqrt(1 + 1/(n-1))). Assumes
//               near-normal values.
//   first run   first run minus the mean of the later runs of its boot, one contrast per boot, one
//               sample t over boots (stats/student_t.h).
//
// Give logarithms for ratios. p-values are two-sided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/result.h"

namespace schedlab::stats {

inline constexpr double kExactArrangements = 20'000;
inline constexpr std::size_t kDrawnArrangements = 9'999;

struct OrderEffect {
  double effect = 0;  // in the unit of the values
  double p = 1;
};

/// effect = mean(base first) - mean(base second). `base_first` has a flag (0 or 1) per block.
/// Errors: lengths differ, fewer than 2 blocks of either order, not finite.
Result<OrderEffect> order_effect(std::span<const double> differences,
                                 std::span<const std::uint8_t> base_first,
                                 std::uint64_t seed);

/// effect = first - mean of the rest. None when the rest do not vary. Errors: fewer than 4 boots,
/// not finite.
Result<std::optional<OrderEffect>> first_boot_effect(std::span<const double> boots_in_order);

/// effect = mean over boots of (first run - mean of the later ones). Boots with fewer than 2 runs
/// are left out. None when fewer than 3 boots remain or the contrasts do not vary. Errors: not
/// finite.
Result<std::optional<OrderEffect>> first_run_effect(
    std::span<const std::vector<double>> runs_by_boot);

}  // namespace schedlab::stats
