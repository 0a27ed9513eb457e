// Workload: what every benchmark of schedlab looks like from outside, and the registry of all of
// them.
//
// A workload is used in three ways: `lab` runs it in a fresh process and takes the RunOutput (run);
// a person calls it and reads text (tool_main, native style); or schedlab is called by the
// original's name and then behaves as that tool, flags, text and exit status (tool_main, drop-in
// style).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/duration.h"
#include "core/result.h"
#include "core/run_record.h"

namespace schedlab::workload {

using Arguments = std::span<const std::string>;  // without argv[0]

enum class ToolStyle { Native, DropIn };

/// What can be said of a run before it starts.
struct Forecast {
  Nanos duration{0};  // expected, for progress; 0 = not known
};

class Workload {
 public:
  Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  Workload(Workload&&) = delete;
  Workload& operator=(Workload&&) = delete;
  virtual ~Workload() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Raised whenever a change moves its figures.
  [[nodiscard]] virtual std::string_view version() const = 0;

  /// Checks the arguments and what they need of this machine (CPUs, descriptors, memory) without
  /// running. Errors (Usage) name flag, value and remedy; an unknown flag gets the nearest known
  /// one.
  [[nodiscard]] virtual Result<Forecast> check(Arguments arguments) const = 0;

  /// Runs once, in this process, silently; returns the figures. The process is the run's own.
  [[nodiscard]] virtual Result<RunOutput> run(Arguments arguments) const = 0;

  /// The arguments for the original program: ours without the flags that only we have (--classic).
  /// Errors: a flag of ours that has no counterpart there.
  [[nodiscard]] virtual Result<std::vector<std::string>> external_arguments(
      Arguments arguments) const = 0;

  /// Whether a run of ours with these arguments measures what the original does, so that the two
  /// may stand in one comparison. Errors (Usage) name the flag that makes it so.
  [[nodiscard]] virtual Status check_beside_external(Arguments /*arguments*/) const { return {}; }

  /// Reads what the original program printed for `arguments`. Errors: text that is not its output,
  /// or that lacks the primary metric.
  [[nodiscard]] virtual Result<RunOutput> read_external(Arguments arguments,
                                                        std::string_view standard_output,
                                                        std::string_view standard_error) const = 0;

  /// Is the tool: parses, runs, prints on stdout/stderr; the exit status. argv[0] is in `argv`.
  [[nodiscard]] virtual int tool_main(std::span<const std::string> argv, ToolStyle style) const = 0;
};

/// nullptr when there is none of that name.
const Workload* find_workload(std::string_view name);

/// All workloads in the order help lists them.
std::vector<const Workload*> all_workloads();

}  // namespace schedlab::workload
