// The A/A' control: base against itself. Its own effect is the floor, and a smaller one is not told
// apart from it.
#pragma once

#include <optional>
#include <vector>

#include "compare/comparison.h"

namespace schedlab::compare {

/// Flags the better and worse rows whose effect is no larger than their control's.
void compare_with_control(Comparison& comparison);

/// How far the primary control rows moved; none without one that has an effect.
std::optional<ControlFloor> control_floor(const std::vector<Row>& control_rows);

/// Notes every primary control row that is better or worse: then the table is to be distrusted.
void note_control(Comparison& comparison);

}  // namespace schedlab::compare
