// The history of a metric over many arms as text, JSON and CSV: values in, a string out.
#pragma once

#include <string>

#include "compare/history_types.h"
#include "core/result.h"
#include "report/report.h"

namespace schedlab::report {

/// Whether a history has that style. Errors name those that it has: native, json, csv.
Status check_history_style(Style style);

/// Ends in a newline; native is at most 80 columns wide. `style` is one that a history has.
std::string render_history(const compare::History& history, Style style);

}  // namespace schedlab::report
