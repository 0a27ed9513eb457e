// Reads what the original schbench printed (the format of 2023 and later).
#pragma once

#include <string_view>

#include "core/result.h"
#include "workload/schbench/classic_report.h"

namespace schedlab::workload::schbench {

/// The last block of each kind: interval blocks before it are ignored. Errors: no block at all, a
/// garbled or cut off block, a block that `options`' mode must have missing.
Result<ClassicReport> parse_classic_text(const Options& options, std::string_view text);

}  // namespace schedlab::workload::schbench
