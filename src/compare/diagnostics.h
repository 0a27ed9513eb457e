// What makes a row doubtful, in words for its `flags`: the plain counts. The tests of its values
// are in checks.h. Warns, never drops a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/pairing.h"

namespace schedlab::compare {

/// Too few replicates, no spread, a coarse instrument. The row must be complete but for its checks
/// and verdict; sets resolution_limited.
void add_row_flags(Row& row);

/// A coefficient of variation above 10 %, of either arm.
void add_spread_flags(Row& row, const PairedCase& paired);

/// Runs of a case that failed, and that were disturbed: the same for all its rows.
std::vector<std::string> run_flags(const PairedCase& paired, std::int32_t online_cpus);

/// What a case's runs note of themselves: at most 3 notes of an arm with the runs that have them,
/// and those of every run of both arms once.
std::vector<std::string> note_flags(const PairedCase& paired);

/// "2 of 24 runs failed (1 timed-out, 1 killed; first: signal 9)"; empty when none did.
std::string failures(const Runs& runs);

}  // namespace schedlab::compare
