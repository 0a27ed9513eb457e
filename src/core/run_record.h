// RunRecord: what one run was and what it gave. Every kind of run (measured here, read from another
// tool, emulated, simulated) becomes one of these, so that all are stored, compared and reported
// alike.
//
//   experiment > build > boot > block > run (one fresh process, one case, one arm) > samples
//   (histograms, series)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/duration.h"
#include "core/histogram.h"
#include "core/metric.h"
#include "core/result.h"
#include "core/strong.h"

namespace schedlab {

struct NamedHistogram {
  std::string name;  // "wakeup", "request", "lock_wait"
  Unit unit = Unit::Nanoseconds;
  Histogram histogram;

  friend bool operator==(const NamedHistogram&, const NamedHistogram&) = default;
};

struct Series {
  std::string name;  // "rps"
  Unit unit = Unit::Count;
  Nanos interval{0};  // between values
  std::vector<double> values;

  friend bool operator==(const Series&, const Series&) = default;
};

struct Counter {
  std::string name;  // "voluntary_switches", "wake_same_cpu"
  std::int64_t value = 0;

  friend bool operator==(const Counter&, const Counter&) = default;
};

/// What a workload hands back from one run: figures first, samples after.
struct RunOutput {
  std::string workload;  // "schbench"
  std::string
      workload_version;  // raised whenever its figures move; compare refuses to mix versions
  std::string mode;      // "native", "classic", "era-2016", or "external:NAME" for cmd:
  std::vector<Metric> metrics;
  std::vector<NamedHistogram> histograms;
  std::vector<Series> series;
  std::vector<Counter> counters;
  std::vector<std::string> notes;  // facts for a reader: true footprint, placement, limits met

  [[nodiscard]] const Metric* find_metric(std::string_view name) const;
  friend bool operator==(const RunOutput&, const RunOutput&) = default;
};

/// One self-checking frame (magic, length, CBOR, checksum): how a run's output crosses the pipe
/// from the run process, so that a truncated or foreign byte stream is never taken for a result.
std::string encode(const RunOutput& output);
/// Errors: no frame, truncated, checksum, fields missing or of the wrong type.
Result<RunOutput> decode_run_output(std::string_view frame);

/// Where a record's figures come from. compare refuses to mix kinds.
enum class RunKind { Measured, Imported, Emulated, Simulated };

enum class Outcome {
  Ok,
  Failed,       // non-zero exit, unreadable output
  TimedOut,     // killed at its time limit
  Killed,       // died by a signal that was not ours
  Interrupted,  // we were asked to stop
};

/// What else the machine did while the run went on; marks a run as disturbed, never drops it.
struct NoiseDeltas {
  std::optional<Nanos> foreign_cpu;             // CPU time of everything but the run, all CPUs
  std::optional<Nanos> steal;                   // taken by the hypervisor, all CPUs
  std::optional<std::int64_t> throttle_events;  // thermal throttle counts, all CPUs
  std::optional<std::int64_t> interrupts;

  friend bool operator==(const NoiseDeltas&, const NoiseDeltas&) = default;
};

struct RunRecord {
  RunId id;  // 0 until stored
  ExperimentId experiment;
  std::int32_t block = 0;     // from 0
  std::int32_t position = 0;  // within the block, from 0
  std::string arm;            // "base", "new", "control"
  std::string case_name;      // "hackbench -p -g 1", arguments as asked, before the arm's own
  std::vector<std::string> arguments;  // as run, argv[0] first
  std::string boot_id;
  std::string build;  // which build or layout of its arm ran: "align64"; empty = the only one
  RunKind kind = RunKind::Measured;
  Outcome outcome = Outcome::Ok;
  std::int32_t exit_code = 0;    // when it exited
  std::int32_t exit_signal = 0;  // when a signal ended it
  std::string failure;           // one line, empty when Ok
  Nanos start_monotonic{0};
  Nanos end_monotonic{0};
  Nanos start_wall{0};  // since 1970, UTC
  Nanos end_wall{0};
  std::string environment_before;  // hashes of captured environments, empty when not captured
  std::string environment_after;
  NoiseDeltas noise;
  std::optional<Nanos> canary;  // a fixed work unit just before the run: the CPU's own speed
  RunOutput output;
  std::string raw_log;  // what the process printed, kept as an artefact

  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

/// Whether foreign CPU time or steal exceed both 5 % of the run's CPU capacity (duration x cpus)
/// and 50 ms, or the CPUs throttled. The floor: /proc/stat counts ticks of 10 ms, and 5 % of a
/// short run is one or two of them, which come by chance. The limit of this: capacity is that of
/// all CPUs, so that a neighbour on the one CPU that a pinned run had may go unmarked on a large
/// machine.
[[nodiscard]] bool is_disturbed(const RunRecord& run, std::int32_t online_cpus);

[[nodiscard]] std::string_view to_string(RunKind kind);
[[nodiscard]] std::string_view to_string(Outcome outcome);
Result<RunKind> parse_run_kind(std::string_view text);
Result<Outcome> parse_outcome(std::string_view text);

}  // namespace schedlab
