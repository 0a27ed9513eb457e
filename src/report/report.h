// Styles of the comparison table: values in, a string out. Layouts are those the mailing list
// reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compare/comparison.h"
#include "core/result.h"

namespace schedlab::report {

enum class Style { Native, Amd, AmdCv, Mmtests, MmtestsOld, Lkp, Json, Csv };

/// "native", "amd", "amd-cv", "mmtests", "mmtests-old", "lkp", "json", "csv". Errors name the
/// nearest known style.
Result<Style> parse_style(std::string_view name);

/// Which rows are to be explained.
struct Why {
  std::string filter;  // rows whose case or metric contains it; empty = every row
};

/// The table with its footer, ending in a newline. Native is at most 80 columns wide. With `why`
/// the rows' verdicts are explained below the table, in json within each row; csv has no place for
/// it.
std::string render(const compare::Comparison& comparison,
                   Style style,
                   const std::optional<Why>& why = std::nullopt);

}  // namespace schedlab::report
