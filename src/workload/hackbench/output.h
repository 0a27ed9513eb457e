// What a run gave, for each reader: lab (RunOutput), a person, the scripts that read hackbench, and
// programs (JSON).
#pragma once

#include <string>
#include <vector>

#include "core/run_record.h"
#include "workload/hackbench/engine.h"
#include "workload/hackbench/options.h"

namespace schedlab::workload::hackbench {

inline constexpr std::string_view kWorkloadName = "hackbench";
inline constexpr std::string_view kWorkloadVersion = "1";

/// The primary metric `time`, and what depends on it alone.
std::vector<Metric> time_metrics(const Options& options, double seconds, double resolution);

RunOutput to_run_output(const Options& options,
                        const Measurement& measurement,
                        std::vector<std::string> notes);

/// The two lines the original prints before a run.
std::string banner_text(const Options& options);

/// "Time: 0.340\n": whole milliseconds, cut off, as the original prints them.
std::string time_line(Nanos time);

/// The figures for a person, `Time:` line (with microseconds) last; no line over 80 columns unless
/// a note is.
std::string native_text(const Options& options,
                        const Measurement& measurement,
                        const std::vector<std::string>& notes);

/// One object; keys end in their unit. Histograms as quantiles and as [low, high, count] of the
/// buckets in use.
std::string json_text(const Options& options,
                      const Measurement& measurement,
                      const std::vector<std::string>& notes);

}  // namespace schedlab::workload::hackbench
