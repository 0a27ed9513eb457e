// The A/A' control: base against itself. Its own effect is the floor, and a smaller one is not told
// apart from it.
#pragma once

#include "compare/comparison.h"

namespace schedlab::compare {

/// Flags the better and worse rows whose effect is no larger than their control's.
void compare_with_control(Comparison& comparison);

/// Notes every primary control row that is better or worse: then the table is to be distrusted.
void note_control(Comparison& comparison);

}  // namespace schedlab::compare
