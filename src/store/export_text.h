// Export text: records as lines of JSON and CSV for R, pandas and jq. Pure; keys and columns are
// documented in docs/store-schema.md and only ever grow.
#pragma once

#include <string>
#include <vector>

#include "core/experiment.h"
#include "core/result.h"
#include "core/run_record.h"
#include "store/store.h"

namespace schedlab::store {

/// One JSON object without newline. Text that is not UTF-8 has U+FFFD for what is not, but for the
/// raw log, which then is base64 under another key; NaN and infinities become null.
std::string json_line(const Experiment& experiment);
std::string json_line(const RunRecord& run);
std::string json_line(const RunMark& mark);
std::string json_environment_line(const std::string& hash, const std::string& text);

std::string csv_head();
/// One line per metric and counter; one for a run that has neither.
std::vector<std::string> csv_lines(const RunRecord& run);

/// RFC 4648 with padding.
std::string base64(std::string_view bytes);

}  // namespace schedlab::store
