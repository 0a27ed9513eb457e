// Pairing: the runs of one case laid out as blocks, each with both arms complete or not used.
//
// How many runs an arm has in a block is not recorded, so the plan is read off the runs: an arm
// owes every block as many positions as its fullest block has. A position is filled by at least one
// run that ended well; a run repeated at its position is used beside the first, since a re-run must
// add, never replace.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/run_record.h"

namespace schedlab::compare {

using Runs = std::vector<const RunRecord*>;

struct PairedBlock {
  std::int32_t number = 0;
  Runs base;  // by position
  Runs contender;
  std::size_t replicate = 0;  // blocks of one replicate are averaged: see pair_case
};

struct PairedCase {
  std::string name;
  Runs base;  // every run of the arm, failed ones too, by block and position
  Runs contender;
  std::vector<PairedBlock> blocks;      // complete ones, ascending
  std::size_t replicates = 0;           // numbered from 0, in order of their first block
  std::vector<std::string> incomplete;  // "block 7: new has 1 of 2 runs", from 1
};

/// Each block is a replicate of its own, but for arms that never share a boot (one kernel each):
/// then blocks that share a boot of either arm are one replicate, since they repeat that boot's
/// luck. Where that leaves a single one, blocks count again and the table says "conditional on one
/// boot".
PairedCase pair_case(std::string name, Runs base, Runs contender);

/// Runs that ended well.
Runs usable(std::span<const RunRecord* const> runs);

}  // namespace schedlab::compare
