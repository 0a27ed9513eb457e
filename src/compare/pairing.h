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

#include "compare/comparison.h"
#include "core/run_record.h"

namespace schedlab::compare {

using Runs = std::vector<const RunRecord*>;

struct PairedBlock {
  std::int32_t number = 0;
  Runs base;  // by position
  Runs contender;
  // What replicates.h makes of the records; each is numbered from 0 in order of its first block.
  std::size_t replicate = 0;  // paired: blocks of one replicate are averaged
  std::size_t base_unit = 0;  // each arm's replicate by itself
  std::size_t contender_unit = 0;
  std::size_t base_boot = 0;
  std::size_t contender_boot = 0;
};

struct PairedCase {
  std::string name;
  Runs base;  // every run of the arm, failed ones too, by block and position
  Runs contender;
  std::vector<PairedBlock> blocks;  // complete ones, ascending
  Replication replication;
  std::vector<std::string> incomplete;  // "block 7: new has 1 of 2 runs", from 1
};

/// With its replicates found: replicates.h.
PairedCase pair_case(std::string name, Runs base, Runs contender);

/// Runs that ended well.
Runs usable(std::span<const RunRecord* const> runs);

}  // namespace schedlab::compare
