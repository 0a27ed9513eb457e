// schbench as a program: what a person calls, and what scripts written for the original call.
#pragma once

#include <span>
#include <string>

namespace schedlab::workload::schbench {

/// `schedlab schbench ...`: native text on stdout, errors on stderr; 0, 1, 2, or 130 after Ctrl-C.
int native_main(std::span<const std::string> argv);

/// Called as `schbench`: the original's text on stderr; 0 or 1, 130 when a signal cut a run short.
int drop_in_main(std::span<const std::string> argv);

}  // namespace schedlab::workload::schbench
