// Styles of the comparison table: values in, a string out. Layouts are those the mailing list
// reads.
#pragma once

#include <string>
#include <string_view>

#include "compare/comparison.h"
#include "core/result.h"

namespace schedlab::report {

enum class Style { Native, Amd, AmdCv, Mmtests, MmtestsOld, Json, Csv };

/// "native", "amd", "amd-cv", "mmtests", "mmtests-old", "json", "csv". Errors name the nearest
/// known style.
Result<Style> parse_style(std::string_view name);

/// The table with its footer, ending in a newline. Native is at most 80 columns wide.
std::string render(const compare::Comparison& comparison, Style style);

}  // namespace schedlab::report
