// Reads what the original hackbench printed.
#pragma once

#include <string_view>

#include "core/result.h"
#include "core/run_record.h"
#include "workload/hackbench/options.h"

namespace schedlab::workload::hackbench {

/// `time` with a resolution of 1 ms, and the figures that follow from it. Errors: no banner, or one
/// that tells of another run than `options`; no Time, two, or one that is no number; the words that
/// tell of an interrupted run, after which the original prints a Time all the same.
Result<RunOutput> read_original_output(const Options& options,
                                       std::string_view standard_output,
                                       std::string_view standard_error);

}  // namespace schedlab::workload::hackbench
