// From what was measured (or read) to a RunOutput: metric names are the same for every mode and for
// the original's output.
//
//   primary: wakeup_p99; request_p99 and rps_p50, or in pipe mode ops_per_sec; rps_average with -n
//   0.
#pragma once

#include "core/run_record.h"
#include "workload/schbench/classic_report.h"

namespace schedlab::workload::schbench {

inline constexpr std::string_view kName = "schbench";
inline constexpr std::string_view kVersion = "1";

/// Of a run of ours.
RunOutput output_of(const Plan& plan, const Measurement& measured);

/// Metrics in the original's resolution: microseconds times 1000, bucket midpoints.
std::vector<Metric> classic_metrics(const Options& options, const ClassicReport& report);

}  // namespace schedlab::workload::schbench
