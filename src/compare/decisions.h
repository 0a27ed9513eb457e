// From effects to verdicts, for all rows of a table at once: the more rows are looked at, the more
// of them differ by chance.
#pragma once

#include <vector>

#include "compare/comparison.h"
#include "compare/stopping.h"
#include "core/result.h"

namespace schedlab::compare {

/// Puts the plan's rule in place of plain intervals, corrects the p-values and sets every row's
/// verdict. Primary rows are one family; the others, which are descriptive, are another and cost it
/// nothing. Flags a row that only the correction keeps from a verdict. Errors: as rest_on_rule().
Status decide_rows(std::vector<Row>& rows, const Moment& moment);

}  // namespace schedlab::compare
