// Which items of the captured environment differ between the arms' runs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/pairing.h"

namespace schedlab::compare {

struct EnvironmentReport {
  std::vector<EnvironmentDifference> differences;  // items in order of their name
  std::vector<std::string> notes;                  // not captured, unreadable, changed on the way
};

/// An item differs when the sets of values seen by the two arms differ; several values are joined
/// by " | ", an item an arm never had is "(absent)". Captures are "item<TAB>value" lines. What
/// cannot be looked up is a note, not an error: the figures stand without it.
EnvironmentReport environment_differences(const Runs& base,
                                          const Runs& contender,
                                          const EnvironmentLookup& lookup);

}  // namespace schedlab::compare
