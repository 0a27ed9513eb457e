// Replicates: which blocks of a case were drawn anew, and which only repeat one boot's luck.
//
//   build or layout > boot > run > sample
//
// Two boots of one kernel differ by more than chance within a boot explains, and so do two builds
// of one source. What an effect generalises to is what was drawn anew, so that is what is counted:
//
//   both arms run in the same boots (a toggle: a sysctl, a placement)   the block
//   each arm boots by itself                                            the boot
//   an arm has several builds, wherever they run                        the build
//
// Arms booted by themselves are paired where each boot (build) of one arm shares blocks with
// exactly one of the other's; otherwise the arms are compared as two samples of boots (unpaired.h).
// Where an arm has a single boot, the other's boots are the replicates, and with one boot in each
// arm the blocks are; the effect is then conditional on that boot, which Replication says.
//
// A replicate's value is the mean over its boots of the mean over their blocks, so that a boot with
// more blocks weighs no more than another. Boots that were not recorded are taken as one.
#pragma once

#include <span>
#include <vector>

#include "compare/pairing.h"

namespace schedlab::compare {

/// Sets the replication and every block's places in it, from the complete blocks.
void find_replicates(PairedCase& paired);

enum class Side { Base, Contender };

/// One value per paired replicate of `side`, in their order, from one value per block. A replicate
/// none of whose blocks is in `blocks` is left out.
std::vector<double> paired_levels(const Replication& replication,
                                  std::span<const PairedBlock* const> blocks,
                                  std::span<const double> values,
                                  Side side);

/// One value per replicate of that arm by itself.
std::vector<double> unit_levels(std::span<const PairedBlock* const> blocks,
                                std::span<const double> values,
                                Side side);

}  // namespace schedlab::compare
