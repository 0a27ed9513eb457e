// Options: what one schbench run was asked for, and the two ways of reading it.
//
// Native style is strict: whole numbers or durations with a unit, ranges checked, unknown flags
// answered with the nearest known one. Drop-in style keeps what scripts for the original rely on:
// atoi numbers (garbage is 0), its messages and its defaults. Flags are those of schbench's main of
// 2025-12; --classic, --native, --era, --arrivals, --seed and --threads auto are ours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cpu_list.h"
#include "core/duration.h"
#include "core/result.h"
#include "workload/workload.h"

namespace schedlab::workload::schbench {

enum class Semantics {
  Native,   // nanoseconds, zeros kept, start barrier, open-loop arrivals
  Classic,  // the quirks of the original that move numbers
  Era2016,  // the first generation: herd wakeups after a sleep, workers spin wall time
};

enum class Arrivals { Uniform, Poisson, Burst };

/// Where threads may run: nowhere in particular, by the tool's own choice, or on a list.
struct CpuChoice {
  enum class Kind { Unpinned, Auto, List };

  Kind kind = Kind::Unpinned;
  CpuList cpus;

  friend bool operator==(const CpuChoice&, const CpuChoice&) = default;
};

struct Options {
  Semantics semantics = Semantics::Native;
  std::int32_t message_threads = 1;
  std::int32_t threads = 0;                  // workers per message thread; 0 = from the CPUs
  Nanos runtime = std::chrono::seconds(30);  // 0 = until SIGINT or SIGTERM
  Nanos warmup{0};
  Nanos interval = std::chrono::seconds(10);
  Nanos zero_time{0};                 // 0 = never
  std::uint64_t footprint_kib = 256;  // of one worker's matrices
  std::int64_t operations = 5;        // matrix multiplications per request
  Nanos sleep = std::chrono::microseconds(100);
  bool locking = true;
  bool calibrate = false;
  std::uint64_t pipe_bytes = 0;  // 0 = not in pipe mode
  bool pipe_bytes_capped = false;
  std::int64_t rps = 0;       // total; 0 = closed loop
  std::int32_t auto_rps = 0;  // percent busy; 0 = off
  Arrivals arrivals = Arrivals::Uniform;
  std::uint64_t seed = 1;  // of the Poisson arrivals and of era 2016's random sleep
  CpuChoice message_cpus;
  CpuChoice worker_cpus;
  std::optional<std::int32_t> split_percent;
  std::optional<std::string> json_path;  // "-" = stdout
  std::optional<std::string> job_name;
  Nanos spin = std::chrono::milliseconds(30);  // era 2016: a worker's wall time per message
  bool help = false;

  [[nodiscard]] bool open_loop() const { return rps > 0; }

  friend bool operator==(const Options&, const Options&) = default;
};

/// The most threads of one kind that any style accepts; the machine's own limits come later.
inline constexpr std::int32_t kMaxThreads = 1 << 22;
inline constexpr std::uint64_t kMaxPipeBytes = std::uint64_t{1} << 20;

/// Why a drop-in command line was refused: the lines the original prints, and whether its usage
/// text follows. The error is always of kind Usage.
struct Refusal {
  std::vector<std::string> lines;
  bool usage = false;
};

/// Strict. Errors (Usage): unknown flag with the nearest one, value out of range, flags that
/// contradict each other.
Result<Options> parse_native(Arguments arguments);

/// As the original reads it; `program` is argv[0], which stands in its messages. On refusal the
/// Result's message is the lines joined by a newline and `refusal`, when given, is filled.
Result<Options> parse_drop_in(std::string_view program, Arguments arguments, Refusal* refusal);

/// `arguments` (native style) without the flags that only we have. Errors: a flag of ours without a
/// counterpart in the original (--era, --arrivals poisson), a value it cannot read ("30s" is
/// rewritten to whole seconds; "250ms" is refused).
Result<std::vector<std::string>> arguments_for_original(Arguments arguments);

/// Usage text, native (an example first) and in the shape of the original's.
std::string native_help();
std::string drop_in_usage();

}  // namespace schedlab::workload::schbench
