// Planned looks: at which blocks a plan is looked at, and what p-value and interval a look may
// claim so that all looks together err no more often than one test (stats/group_sequential.h).
//
// A repeated p-value is the smallest level of the whole plan at which this look would have crossed
// its boundary; a repeated interval uses the boundary in place of Student's quantile (Jennison and
// Turnbull 1984). Both hold at every look, also when the plan goes on. Where a plan ends between
// two looks (time, an interrupt), the look spends what Lan and DeMets' function allows by then; for
// the other shapes what the next planned look would spend, by the share of the way to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/experiment.h"
#include "core/result.h"

namespace schedlab::compare {

/// Blocks at which to look, the last being all of them: as even as whole blocks allow. Errors
/// (Usage): looks outside 2..20, fewer than 3 blocks to a look.
Result<std::vector<std::int32_t>> look_blocks(std::int32_t looks, std::int32_t blocks);

/// Of one plan after a number of blocks.
class LookTable {
 public:
  /// `rule.looks` looks over `blocks_planned` blocks, now after `blocks_done` of them. Exact at the
  /// levels alpha and 2 alpha, to a percent of the level between 2 alpha and alpha / rows and
  /// beyond. Errors: those of look_blocks() and stats::group_boundaries_at().
  static Result<LookTable> make(const StoppingRule& rule,
                                std::int32_t blocks_planned,
                                std::int32_t blocks_done,
                                double alpha,
                                std::size_t rows);

  /// From the plain two-sided p-value of the blocks so far. 1 where no look is allowed to say
  /// anything yet.
  [[nodiscard]] double repeated_p(double p_value) const;

  /// The two-sided level that the plain interval must have here to be the repeated one of alpha,
  /// and of 2 alpha. 0: there is none yet.
  [[nodiscard]] double nominal_alpha() const { return nominal_alpha_; }

  [[nodiscard]] double nominal_twice_alpha() const { return nominal_twice_alpha_; }

  /// Planned looks that have been reached.
  [[nodiscard]] std::int32_t reached() const { return reached_; }

 private:
  LookTable() = default;

  struct Knot {
    double log_level;
    double boundary;  // of |z|; falls as the level rises
  };

  std::vector<Knot> knots_;  // by rising level
  double nominal_alpha_ = 0;
  double nominal_twice_alpha_ = 0;
  std::int32_t reached_ = 0;
};

}  // namespace schedlab::compare
