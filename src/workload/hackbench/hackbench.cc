#include "workload/hackbench/hackbench.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "os/procfs.h"
#include "workload/hackbench/engine.h"
#include "workload/hackbench/external.h"
#include "workload/hackbench/json_file.h"
#include "workload/hackbench/limits.h"
#include "workload/hackbench/options.h"
#include "workload/hackbench/output.h"
#include "workload/hackbench/signals.h"

namespace schedlab::workload {

namespace {

using hackbench::Measurement;
using hackbench::Options;
using hackbench::Preflight;

Result<Preflight> check_machine(const Options& options) {
  const os::RealProcFs files;
  return hackbench::preflight(options,
                              hackbench::read_limits(files, hackbench::current_resource_limits()));
}

/// Makes room for descriptors where the pre-flight check says so; its notes.
Result<std::vector<std::string>> prepare(const Options& options) {
  SCHEDLAB_ASSIGN_OR_RETURN(Preflight preflight, check_machine(options));
  if (preflight.raise_descriptor_limit) {
    SCHEDLAB_RETURN_IF_ERROR(hackbench::raise_descriptor_limit());
  }
  return std::move(preflight.notes);
}

/// For a run whose figures go to a record: --json and --help have no place there.
Result<Options> parse_for_record(Arguments arguments) {
  SCHEDLAB_ASSIGN_OR_RETURN(Options options,
                            hackbench::parse_options(arguments, ToolStyle::Native));
  if (options.help) return usage_error("--help is not a run");
  if (!options.json_path.empty()) {
    return usage_error("--json: a recorded run keeps its figures in the store; export them there");
  }
  return options;
}

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitSignal = 128;

int exit_status(const Error& error, ToolStyle style) {
  switch (error.kind) {
    case Error::Kind::Usage:
      return style == ToolStyle::Native ? kExitUsage : kExitFailed;
    case Error::Kind::Interrupted: {
      const int signal = hackbench::SignalWatch::interrupted_by();
      return kExitSignal + (signal != 0 ? signal : SIGINT);
    }
    case Error::Kind::Failed:
      break;
  }
  return kExitFailed;
}

void print(std::FILE* stream, const std::string& text) {
  std::fputs(text.c_str(), stream);
}

int report_error(const Error& error, ToolStyle style) {
  print(stderr, "hackbench: " + error.message + "\n");
  return exit_status(error, style);
}

/// The original prints its usage on standard output whenever it refuses its arguments.
int report_usage_error(const Error& error, ToolStyle style) {
  const int status = report_error(error, style);
  if (style == ToolStyle::DropIn) print(stdout, hackbench::help_text(style));
  return status;
}

/// Standard output may be a full disk or a closed pipe.
int finish(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  print(stderr, "hackbench: cannot write to standard output\n");
  return kExitFailed;
}

int run_drop_in(Options options) {
  options.classic = true;
  if (!options.positional.empty()) {
    print(stderr,
          "hackbench: ignoring '" + options.positional.front() +
              "' and what follows: this is not the hackbench of 2008; use -g, -P or -T, and -l\n");
  }
  const auto notes = prepare(options);
  if (!notes) return report_error(notes.error(), ToolStyle::DropIn);
  for (const std::string& note : *notes)
    print(stderr, "hackbench: note: " + note + "\n");
  print(stdout, hackbench::banner_text(options));
  std::fflush(stdout);
  const auto measurement = hackbench::measure(options);
  if (!measurement) return report_error(measurement.error(), ToolStyle::DropIn);
  print(stdout, hackbench::time_line(measurement->time));
  return finish(0);
}

Result<Measurement> run_native_and_write(const Options& options,
                                         const std::vector<std::string>& notes,
                                         std::optional<hackbench::JsonFile>& json) {
  SCHEDLAB_ASSIGN_OR_RETURN(Measurement measurement, hackbench::measure(options));
  if (json) {
    SCHEDLAB_RETURN_IF_ERROR(json->write(hackbench::json_text(options, measurement, notes)));
  }
  return measurement;
}

int run_native(const Options& options) {
  std::optional<hackbench::JsonFile> json;
  if (!options.json_path.empty()) {
    auto opened = hackbench::JsonFile::open(options.json_path);
    if (!opened) return report_error(opened.error(), ToolStyle::Native);
    json = std::move(*opened);
  }
  const auto notes = prepare(options);
  if (!notes) return report_error(notes.error(), ToolStyle::Native);
  // With JSON on standard output nothing else belongs there.
  std::FILE* const stream = options.json_path == "-" ? stderr : stdout;
  print(stream, hackbench::banner_text(options));
  std::fflush(stream);
  const auto measurement = run_native_and_write(options, *notes, json);
  if (!measurement) return report_error(measurement.error(), ToolStyle::Native);
  print(stream, hackbench::native_text(options, *measurement, *notes));
  return finish(0);
}

/// How long a message takes is what is to be found out, so this is an order of magnitude on the
/// high side: the figures below are a few times what one CPU needs. It is there for the time limit
/// of a run, so that one that hangs is ended after minutes and a slow one is not.
Nanos generous_forecast(const Options& options) {
  constexpr double kNanosPerMessage = 2e3;
  constexpr double kNanosPerByte = 1;  // copied in and out
  constexpr double kNanosPerTask = 2e5;
  constexpr double kMost = 30 * 24 * 3600 * 1e9;  // so that multiples of it can be counted
  const double nanos =
      static_cast<double>(options.message_count()) *
          (kNanosPerMessage + kNanosPerByte * static_cast<double>(options.datasize)) +
      static_cast<double>(options.task_count()) * kNanosPerTask;
  return Nanos(static_cast<std::int64_t>(std::min(nanos, kMost)));
}

class Hackbench final : public Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return hackbench::kWorkloadName; }

  [[nodiscard]] std::string_view version() const override { return hackbench::kWorkloadVersion; }

  [[nodiscard]] Result<Forecast> check(Arguments arguments) const override {
    SCHEDLAB_ASSIGN_OR_RETURN(const Options options, parse_for_record(arguments));
    SCHEDLAB_ASSIGN_OR_RETURN([[maybe_unused]] const Preflight preflight, check_machine(options));
    return Forecast{.duration = generous_forecast(options)};
  }

  [[nodiscard]] Result<RunOutput> run(Arguments arguments) const override {
    SCHEDLAB_ASSIGN_OR_RETURN(const Options options, parse_for_record(arguments));
    SCHEDLAB_ASSIGN_OR_RETURN(std::vector<std::string> notes, prepare(options));
    SCHEDLAB_ASSIGN_OR_RETURN(const Measurement measurement, hackbench::measure(options));
    return hackbench::to_run_output(options, measurement, std::move(notes));
  }

  [[nodiscard]] Result<std::vector<std::string>> external_arguments(
      Arguments arguments) const override {
    SCHEDLAB_ASSIGN_OR_RETURN(const Options options, parse_for_record(arguments));
    return hackbench::original_arguments(options);
  }

  [[nodiscard]] Result<RunOutput> read_external(Arguments arguments,
                                                std::string_view standard_output,
                                                std::string_view standard_error) const override {
    SCHEDLAB_ASSIGN_OR_RETURN(const Options options, parse_for_record(arguments));
    return hackbench::read_original_output(options, standard_output, standard_error);
  }

  [[nodiscard]] int tool_main(std::span<const std::string> argv, ToolStyle style) const override {
    const auto options = hackbench::parse_options(argv.empty() ? argv : argv.subspan(1), style);
    if (!options) return finish(report_usage_error(options.error(), style));
    if (options->help) {
      print(stdout, hackbench::help_text(style));
      return finish(0);
    }
    return style == ToolStyle::DropIn ? run_drop_in(*options) : run_native(*options);
  }
};

}  // namespace

const Workload& hackbench_workload() {
  static const Hackbench workload;
  return workload;
}

}  // namespace schedlab::workload
