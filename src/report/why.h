// --why: each row's verdict in plain sentences with its numbers, so that nobody has to take it on
// trust: what stood against what, the effect and its tests, what is doubtful, what would decide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compare/comparison.h"

namespace schedlab::report {

struct WhySentence {
  std::string topic;   // "verdict", "runs", "effect", ...: a word or two
  std::string text;    // safe to print
  bool warns = false;  // a check that found something
};

/// In the order a reader asks. Of the comparison the arms' names, the correction and the control
/// are used.
std::vector<WhySentence> why_row(const compare::Comparison& comparison, const compare::Row& row);

/// Whether the row's case or metric contains `filter`.
bool why_applies(const compare::Row& row, std::string_view filter);

/// Every row to which `filter` applies, at most 80 columns wide; or a line that none does.
std::string why_text(const compare::Comparison& comparison, std::string_view filter);

}  // namespace schedlab::report
