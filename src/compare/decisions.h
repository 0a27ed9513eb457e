// From effects to verdicts, for all rows of a table at once: the more rows are looked at, the more
// of them differ by chance.
#pragma once

#include <string_view>
#include <vector>

#include "compare/comparison.h"
#include "compare/stopping.h"
#include "core/result.h"

namespace schedlab::compare {

/// "bh", "by", "two-stage", "holm", "none". Errors name the known ones.
Result<Correction> parse_correction(std::string_view text);

/// Puts the plan's rule in place of plain intervals, corrects the p-values and sets every row's
/// verdict. Primary rows are one family; the others, which are descriptive, are another and cost it
/// nothing. For two stages the primary rows are grouped by workload. Flags a row that only the
/// correction keeps from a verdict. Errors: as rest_on_rule().
Status decide_rows(std::vector<Row>& rows, Correction correction, const Moment& moment);

/// Holm of a plan that was watched, whose moment of stopping depends on the rows: no other
/// correction holds there, and asking for one but the default is an error. Otherwise what was asked
/// for.
Result<Correction> correction_for(const StoppingRule& rule, Correction asked);

}  // namespace schedlab::compare
