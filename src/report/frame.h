// What stands above and below every table for people: what was compared, where, how, and the line
// that repeats it.
#pragma once

#include <string>
#include <string_view>

#include "compare/comparison.h"

namespace schedlab::report {

/// Machine, kernel, arms with their specs, and what is not the same between them.
std::string header_text(const compare::Comparison& comparison);

/// What + means and what the figures are (`figures`, one or more sentences), then order, test,
/// margins, correction, runs left out or disturbed, version and command.
std::string footer_text(const compare::Comparison& comparison, std::string_view figures);

/// The second table of the list styles: each row's effect, interval and verdict, which their own
/// columns have no place for.
std::string verdicts_text(const compare::Comparison& comparison);

/// What the intervals of the table are: "95% interval", "95% repeated interval", "95% anytime
/// interval".
std::string interval_name(const compare::Comparison& comparison);

/// "Benjamini-Hochberg": for people.
std::string_view correction_name(compare::Correction correction);

/// "schedlab 0.1.0".
std::string version_text(const compare::Comparison& comparison);

}  // namespace schedlab::report
