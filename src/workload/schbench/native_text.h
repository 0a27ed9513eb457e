// The native report: a table of every histogram, then throughput, wakes, switches and notes.
#pragma once

#include <string>

#include "core/run_record.h"

namespace schedlab::workload::schbench {

/// At most 80 columns, apart from notes.
std::string native_text(const RunOutput& output, const std::string& title);

/// Everything but the raw buckets as one JSON object with our names and units.
std::string native_json(const RunOutput& output, const std::string& title);

}  // namespace schedlab::workload::schbench
