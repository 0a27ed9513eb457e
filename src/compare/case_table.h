// The table before its verdicts: the cases of two arms in plan order, paired block by block, each
// with its rows, and what a reader must know about them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/pairing.h"
#include "core/result.h"

namespace schedlab::compare {

struct Table {
  std::vector<Row> rows;  // with effects, not yet verdicts
  std::vector<std::string> notes;
  std::vector<PairedCase> cases;  // also those without a row
};

/// `base` and `contender` are all runs of two arms, failed ones too. A case that cannot have rows
/// is a note. Errors: what check_case says (admission.h).
Result<Table> build_table(const Experiment& experiment,
                          const Runs& base,
                          const Runs& contender,
                          const Options& options,
                          const SampleLookup& samples);

/// Numbers of the blocks complete in every case that has runs of both arms.
std::set<std::int32_t> complete_blocks(const std::vector<PairedCase>& cases);

}  // namespace schedlab::compare
