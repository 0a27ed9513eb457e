#include "workload/schbench/tool.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "core/text.h"
#include "os/errno_text.h"
#include "workload/schbench/classic_text.h"
#include "workload/schbench/engine.h"
#include "workload/schbench/json_file.h"
#include "workload/schbench/metrics.h"
#include "workload/schbench/native_text.h"

namespace schedlab::workload::schbench {

namespace {

/// A shell's status for a command that a signal ended is this plus the signal.
constexpr int kSignalStatus = 128;

/// Reports and messages on stderr, each at once as the original does: a log that is followed must
/// show it. Where stderr is gone there is nobody left to tell.
void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

/// Results on stdout. Errors: the disk is full, the reader is gone.
Status print_result(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return {};
  return failed("cannot write to standard output: " + os::errno_text(errno));
}

class IntervalPrinter final : public Observer {
 public:
  void on_warmup_done() override { print("warmup done, zeroing stats\n"); }

  void on_interval(const Snapshot& snapshot) override { print(interval_text(snapshot)); }
};

std::string title_of(std::span<const std::string> argv) {
  return join(argv, " ");
}

int report_error(const Error& error, int status) {
  print(fmt::format("schbench: {}\n", error.message));
  return status;
}

int status_of(const Error& error) {
  return error.kind == Error::Kind::Usage ? 2 : 1;
}

std::string final_classic_text(const Plan& plan, const Measurement& measured, Nanos runtime) {
  return plan.options.semantics == Semantics::Era2016
             ? text_of_2016(plan, measured)
             : final_text(classic_report(plan, measured), runtime);
}

/// The seconds that stand in the final report.
Nanos reported_runtime(const Plan& plan, const Measurement& measured) {
  const bool whole = plan.options.runtime > Nanos{0} && !measured.stopped_by_signal();
  return whole ? plan.options.runtime : measured.elapsed;
}

std::string json_of(const Plan& plan,
                    const Measurement& measured,
                    std::span<const std::string> argv) {
  if (plan.options.semantics == Semantics::Native) {
    return native_json(output_of(plan, measured), title_of(argv));
  }
  JsonContext context = json_context_here();
  context.job_name = plan.options.job_name;
  context.command_line = title_of(argv);
  ClassicReport report = classic_report(plan, measured);
  if (plan.options.semantics == Semantics::Era2016) report.request = report.rps = std::nullopt;
  return report_json(report, context, reported_runtime(plan, measured));
}

Result<int> run_tool(const Options& options, std::span<const std::string> argv, bool classic_text) {
  SCHEDLAB_ASSIGN_OR_RETURN(const Plan plan, make_plan_here(options));
  // Opened before the run: a path that cannot be written is told before the time is spent.
  std::optional<JsonFile> json;
  if (options.json_path) {
    SCHEDLAB_ASSIGN_OR_RETURN(JsonFile file, JsonFile::open(*options.json_path));
    json.emplace(std::move(file));
  }
  if (classic_text) print(preamble_text(plan));
  Observer silent;
  IntervalPrinter printer;
  const bool intervals = classic_text && options.semantics == Semantics::Classic;
  SCHEDLAB_ASSIGN_OR_RETURN(const Measurement measured,
                            measure(plan, intervals ? printer : silent));
  if (classic_text) {
    print(final_classic_text(plan, measured, reported_runtime(plan, measured)));
  } else {
    const std::string text = native_text(output_of(plan, measured), title_of(argv));
    // The text goes where it does not mix with JSON on stdout.
    if (options.json_path == "-") {
      print(text);
    } else {
      SCHEDLAB_RETURN_IF_ERROR(print_result(text));
    }
  }
  if (json) {
    SCHEDLAB_RETURN_IF_ERROR(json->write(json_of(plan, measured, argv)));
  }
  const bool cut_short = measured.stopped_by_signal() && options.runtime > Nanos{0};
  return cut_short ? kSignalStatus + measured.stop_signal : 0;
}

}  // namespace

int native_main(std::span<const std::string> argv) {
  const auto options = parse_native(argv.subspan(argv.empty() ? 0 : 1));
  if (!options) return report_error(options.error(), status_of(options.error()));
  if (options->help) {
    const Status printed = print_result(native_help());
    return printed ? 0 : report_error(printed.error(), status_of(printed.error()));
  }
  const bool era_text = options->semantics == Semantics::Era2016;
  const auto status = run_tool(*options, argv, era_text);
  return status ? *status : report_error(status.error(), status_of(status.error()));
}

int drop_in_main(std::span<const std::string> argv) {
  const std::string program = argv.empty() ? "schbench" : argv[0];
  Refusal refusal;
  const auto options = parse_drop_in(program, argv.subspan(argv.empty() ? 0 : 1), &refusal);
  if (!options) {
    for (const std::string& line : refusal.lines)
      print(line + "\n");
    if (refusal.usage) print(drop_in_usage());
    return 1;
  }
  if (options->help) {
    print(drop_in_usage());
    return 1;
  }
  const bool classic_text = options->semantics != Semantics::Native;
  const auto status = run_tool(*options, argv, classic_text);
  return status ? *status : report_error(status.error(), 1);
}

}  // namespace schedlab::workload::schbench
