// Which runs may stand against which: the checks that come before any figure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/pairing.h"
#include "core/result.h"

namespace schedlab::compare {

/// Errors when the runs are of different kinds (measured, imported, ...).
Status check_kinds(std::span<const RunRecord* const> runs);

/// The usable runs of one case must be of one workload; within an arm of one version and mode;
/// between arms as well, unless exactly one arm ran another program ("external:NAME") or both did:
/// that is what a fidelity check does, and a line for the notes comes back, without the case's
/// name. Empty line: alike. An external schbench against a native one is refused even so: they
/// measure in different ways, and only its classic modes do as the original does.
Result<std::string> check_case(const PairedCase& paired);

}  // namespace schedlab::compare
