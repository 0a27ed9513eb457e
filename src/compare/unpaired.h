// Arms whose boots cannot be set side by side: two samples of boots (or builds) in place of pairs.
//
// Welch's t on the boots' mean logarithms, with the rank-based shift beside it (rank_sum.h); the
// verdict's rule is that of effect.h. Where no boot differs from another within either arm, Welch's
// t is undefined and the exact chance of such an arrangement takes its place: 2/C(n+m, n) for a
// difference, 1/C(n+m, n) for one within the margin.
#pragma once

#include <cstddef>
#include <optional>

#include "compare/comparison.h"

namespace schedlab::compare {

/// Replicates of each arm below which every verdict is Inconclusive.
inline constexpr std::size_t kFewestBoots = 2;

/// From the row's levels, oriented so that + is better. None below two replicates in an arm.
std::optional<Effect> estimate_unpaired_effect(const Row& row, double alpha);

/// Sets verdict, real_but_small and more_blocks as effect.h's decide() does.
void decide_unpaired(Row& row, double alpha);

}  // namespace schedlab::compare
