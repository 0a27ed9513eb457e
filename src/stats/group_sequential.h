// Planned looks: test K times at set points of a plan, with the error of one test in all.
//
// Each look compares |z| with its boundary; a crossing stops the plan. Boundaries are two-sided and
// symmetric, with a chance of alpha in all to cross any of them when nothing changed:
//
//   O'Brien-Fleming (1979)   c/sqrt(t): hard to cross early, near the plain test at the end
//   Pocock (1977)            c: the same at every look; stops sooner, costs more at the end
//   Lan-DeMets (1983)        alpha spent as 4 (1 - Phi(z_{alpha/4}/sqrt(t))), O'Brien-Fleming's
//                            shape; the looks need not be where they were planned, only the past
//                            ones count
//
// t is the share of the planned information (blocks) at a look, 0 < t <= 1. Computed by the
// recursive integration of Armitage, McPherson and Rowe (1969) to about 1e-6. Limits: exact for
// normal values of known spread; with n blocks use `boundary_t`, which turns z into the t of equal
// tail area (Pocock's significance-level approach), good from about 5 blocks at the first look.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/result.h"

namespace schedlab::stats {

enum class BoundaryShape { OBrienFleming, Pocock, LanDeMets };

inline constexpr std::size_t kMaxLooks = 20;

/// Boundaries of |z| at `looks` equally spaced looks. Errors: looks outside 1..kMaxLooks, alpha
/// outside [1e-6, 0.5].
Result<std::vector<double>> group_boundaries(BoundaryShape shape, std::size_t looks, double alpha);

/// The same at given shares of the plan, rising, the last at most 1.
Result<std::vector<double>> group_boundaries_at(BoundaryShape shape,
                                                std::span<const double> shares,
                                                double alpha);

/// The chance to cross any of `boundaries` (of |z|, at `shares`) when the effect is 0.
double crossing_chance(std::span<const double> boundaries, std::span<const double> shares);

/// |t| with `df` degrees of freedom that has the two-sided tail area of |z| = `boundary`.
double boundary_t(double boundary, double df);

}  // namespace schedlab::stats
