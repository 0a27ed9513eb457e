// Many tests at once: p-values adjusted so that rejecting those below q keeps the expected share of
// false findings among the findings at or below q.
//
// adjusted p of the i-th smallest of m = min over j >= i of (m p_j / j), at most 1 (Benjamini and
// Hochberg 1995). Holds for independent and positively dependent tests; rows of one experiment
// share the machine's noise and are the latter.
#pragma once

#include <span>
#include <vector>

namespace schedlab::stats {

/// In the order of `p_values`, which lie in [0, 1].
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace schedlab::stats
