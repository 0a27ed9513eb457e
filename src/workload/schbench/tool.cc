#include "workload/schbench/tool.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "core/text.h"
#include "workload/schbench/classic_text.h"
#include "workload/schbench/engine.h"
#include "workload/schbench/metrics.h"
#include "workload/schbench/native_text.h"

namespace schedlab::workload::schbench {

namespace {

constexpr int kInterruptedStatus = 130;

/// The original prints each report at once; a log that is followed must show it.
void print(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

class IntervalPrinter final : public Observer {
 public:
  void on_warmup_done() override { print(stderr, "warmup done, zeroing stats\n"); }

  void on_interval(const Snapshot& snapshot) override { print(stderr, interval_text(snapshot)); }
};

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdout) std::fclose(file);
  }
};

using JsonFile = std::unique_ptr<std::FILE, CloseFile>;

/// Opened before the run: a path that cannot be written is told before the time is spent. Null
/// without -j.
Result<JsonFile> open_json(const Options& options) {
  if (!options.json_path) return JsonFile();
  if (*options.json_path == "-") return JsonFile(stdout);
  JsonFile file(std::fopen(options.json_path->c_str(), "w"));
  if (!file) {
    return failed(fmt::format("unable to open json file {}: no such directory or not writable",
                              printable(*options.json_path)));
  }
  return file;
}

Status write_json(const JsonFile& file, std::string_view text) {
  if (!file) return {};
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  if (!written || std::fflush(file.get()) != 0) {
    return failed("cannot write the JSON file: disk full or pipe closed");
  }
  return {};
}

std::string title_of(std::span<const std::string> argv) {
  return join(argv, " ");
}

int report_error(const Error& error, int status) {
  print(stderr, fmt::format("schbench: {}\n", error.message));
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
  const bool whole = plan.options.runtime > Nanos{0} && !measured.stopped_by_signal;
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
  SCHEDLAB_ASSIGN_OR_RETURN(const JsonFile json, open_json(options));
  if (classic_text) print(stderr, preamble_text(plan));
  Observer silent;
  IntervalPrinter printer;
  const bool intervals = classic_text && options.semantics == Semantics::Classic;
  SCHEDLAB_ASSIGN_OR_RETURN(const Measurement measured,
                            measure(plan, intervals ? printer : silent));
  // The text goes where it does not mix with JSON on stdout.
  const bool json_on_stdout = json.get() == stdout;
  if (classic_text) {
    print(stderr, final_classic_text(plan, measured, reported_runtime(plan, measured)));
  } else {
    print(json_on_stdout ? stderr : stdout, native_text(output_of(plan, measured), title_of(argv)));
  }
  SCHEDLAB_RETURN_IF_ERROR(write_json(json, json_of(plan, measured, argv)));
  const bool cut_short = measured.stopped_by_signal && options.runtime > Nanos{0};
  return cut_short ? kInterruptedStatus : 0;
}

}  // namespace

int native_main(std::span<const std::string> argv) {
  const auto options = parse_native(argv.subspan(argv.empty() ? 0 : 1));
  if (!options) return report_error(options.error(), status_of(options.error()));
  if (options->help) {
    print(stdout, native_help());
    return 0;
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
      print(stderr, line + "\n");
    if (refusal.usage) print(stderr, drop_in_usage());
    return 1;
  }
  if (options->help) {
    print(stderr, drop_in_usage());
    return 1;
  }
  const bool classic_text = options->semantics != Semantics::Native;
  const auto status = run_tool(*options, argv, classic_text);
  return status ? *status : report_error(status.error(), 1);
}

}  // namespace schedlab::workload::schbench
