// What makes a row doubtful, in words for its `flags`. Warns, never drops a run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/pairing.h"

namespace schedlab::compare {

/// Flags from the row's figures: two modes in an arm (largest gap, >= 8 values) and whether the
/// arms' shares differ (Fisher), spread (CV > 10 %), a coarse instrument, drift over the blocks
/// (Mann-Kendall p < 0.05) of both arms together or of the effect, too few blocks, no spread.
/// The row must be complete but for its verdict; sets resolution_limited and two_modes.
/// `block_levels`: mean log of each block, where both arms weigh the same, so that an effect leaves
/// no trend in them.
void add_row_flags(Row& row, const PairedCase& paired, std::span<const double> block_levels);

/// Flags of a case, the same for all its rows: runs that failed, runs disturbed, the canary apart
/// between arms or restless within (> 5 %), and what the runs note of themselves: at most 3 notes
/// of an arm with the runs that have them, and those of every run of both arms once.
std::vector<std::string> case_flags(const PairedCase& paired, std::int32_t online_cpus);

/// "2 of 24 runs failed (1 timed-out, 1 killed; first: signal 9)"; empty when none did.
std::string failures(const Runs& runs);

}  // namespace schedlab::compare
