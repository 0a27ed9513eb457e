// The original's text and JSON, byte for byte in shape, so that its parsers keep working.
#pragma once

#include <string>
#include <string_view>

#include "workload/schbench/classic_report.h"

namespace schedlab::workload::schbench {

/// The final report: percentiles, then average and sched delay (or the transfer line of pipe mode).
std::string final_text(const ClassicReport& report, Nanos runtime);

/// What an interval prints.
std::string interval_text(const Snapshot& snapshot);

/// Lines before the run: chosen worker count, pinning, split sizes.
std::string preamble_text(const Plan& plan);

/// "914.79MB" in powers of 1024.
std::string transfer_size(double bytes);

/// The 2016 text: seven rows, and a summary of p95 and p99 against the spin with -R.
std::string text_of_2016(const Plan& plan, const Measurement& measured);

struct JsonContext {
  std::string kernel;
  std::optional<std::string> job_name;
  std::string hostname;
  std::string sched_ext;
  std::string command_line;
  std::int64_t time = 0;  // seconds since 1970
};

/// The original's keys in its order; strings escaped.
std::string report_json(const ClassicReport& report, const JsonContext& context, Nanos runtime);

/// The machine's part of the context.
JsonContext json_context_here();

}  // namespace schedlab::workload::schbench
