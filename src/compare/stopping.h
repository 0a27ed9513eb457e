// Stopping: what a plan's rule makes of the blocks so far, in figures and in "go on" or "stop".
//
// One path for both uses: `ab` makes the comparison after a block and stops when `ending` says so,
// and `compare` makes the same table from the stored records later. Nothing here remembers
// anything. The rules and why they hold: docs/methodology.md, Stopping.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compare/comparison.h"
#include "compare/effect.h"
#include "compare/stopping_looks.h"
#include "core/experiment.h"
#include "core/result.h"

namespace schedlab::compare {

/// A plan at one moment.
struct Moment {
  StoppingRule rule;
  std::int32_t blocks_planned = 0;
  std::int32_t blocks_done = 0;
  double alpha = 0.05;
};

/// Holm wherever the moment of stopping may depend on the rows.
[[nodiscard]] Correction correction_of(const StoppingRule& rule);

/// Puts what the rule allows in place of the plain intervals and p-values of each row with an
/// effect, as estimate_effect() left them: repeated ones after planned looks, anytime ones of
/// plans that run until precise or clear; there a mean that its anytime interval excludes gives way
/// to Hodges-Lehmann's estimate, with a flag. Leaves a fixed plan's alone. `rows`: of one family.
/// Errors: looks that do not fit the plan.
Status rest_on_rule(std::span<Row* const> rows, const Moment& moment);

/// For the rows that decide() left inconclusive: about how many further blocks would decide, under
/// the rule.
void predict_blocks(std::span<Row* const> rows, const Moment& moment);

/// Where the plan stands. `rows` have their verdicts; only primary ones matter. Without a row that
/// has ratios nothing can be decided, which is futile. `elapsed` as in Ending.
[[nodiscard]] Ending ending_of(std::span<const Row> rows, const Moment& moment, Nanos elapsed);

/// Whether the rule wants to look after this many blocks: after every one up to 127, then after
/// each 64th part more, so that the looks of a long plan do not cost more than its runs; after the
/// planned ones of --looks; never for a fixed plan. `last_look`: blocks at the look before, 0 for
/// none.
[[nodiscard]] bool is_time_to_look(const StoppingRule& rule,
                                   std::int32_t blocks_planned,
                                   std::int32_t blocks_done,
                                   std::int32_t last_look);

}  // namespace schedlab::compare
