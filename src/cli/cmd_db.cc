#include "cli/cmd_db.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>  // getpid, fsync: an export is written beside its name, synced and renamed

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "core/text.h"
#include "store/store.h"

namespace schedlab::cli {

namespace {

using store::Detail;
using store::Store;

constexpr std::size_t kLongText = 4000;  // what a person may still want to read in full
constexpr std::size_t kCasesWidth = 17;
constexpr std::array<double, 7> kQuantiles = {0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999};
constexpr std::array<std::string_view, 4> kVerbs = {"list", "show", "export", "check"};

constexpr std::string_view kHelp =
    R"(Example: schedlab db show 3

  schedlab db list               experiments, one a line
  schedlab db show [ID]          arms, cases, the line that repeats it, runs
  schedlab db show --run N       one run: figures, distributions, counters
  schedlab db export --format F  everything as jsonl, or figures as csv
  schedlab db check              whether the database is sound

Each reads schedlab.db in this directory, or that of --db. `schedlab db VERB
--help` says more.
)";

struct Flags {
  std::string database = kDefaultDatabase;
  std::int64_t experiment = 0;  // 0: the newest
  std::int64_t run = 0;         // 0: none in particular
  bool log = false;
  std::string format = "jsonl";
  std::string output;
  bool force = false;
};

/// `text` in at most `width` columns, safe for a terminal.
std::string cell(std::string_view text, std::size_t width) {
  return text.size() <= width ? printable(text, width) : printable(text, width - 3);
}

std::string long_text(std::string_view text) {
  return printable(text, kLongText);
}

std::string format_time(Nanos wall, std::string_view form) {
  const std::chrono::sys_time<Nanos> time(wall);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format(fmt::runtime(form),
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

std::string joined_arms(const Experiment& experiment) {
  std::string names;
  for (const Arm& arm : experiment.arms)
    names += (names.empty() ? "" : " ") + arm.name;
  return names;
}

/// The first case and how many more, in what is left of 80 columns.
std::string short_cases(const Experiment& experiment) {
  if (experiment.cases.empty()) return "-";
  const std::size_t more = experiment.cases.size() - 1;
  const std::string tail = more == 0 ? "" : fmt::format(" +{}", more);
  return cell(experiment.cases[0], kCasesWidth - tail.size()) + tail;
}

Status list(const Flags& flags, std::FILE* out) {
  SCHEDLAB_ASSIGN_OR_RETURN(const Store store, Store::open_read_only(flags.database));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<Experiment> experiments, store.experiments());
  if (experiments.empty()) return print(out, "no experiment yet; `schedlab ab` makes one\n");
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text),
                 "{:>4}  {:<16}  {:<9}  {:<8}  {:<16}  {}\n",
                 "id",
                 "when (UTC)",
                 "ok/failed",
                 "machine",
                 "arms",
                 "cases");
  for (const Experiment& experiment : experiments) {
    SCHEDLAB_ASSIGN_OR_RETURN(const store::RunCounts counts, store.count_runs(experiment.id));
    fmt::format_to(std::back_inserter(text),
                   "{:>4}  {:<16}  {:<9}  {:<8}  {:<16}  {}\n",
                   experiment.id.value,
                   format_time(experiment.start_wall, "{:%Y-%m-%d %H:%M}"),
                   fmt::format("{}/{}", counts.ok, counts.failed),
                   cell(experiment.machine.hostname, 8),
                   cell(joined_arms(experiment), 16),
                   short_cases(experiment));
  }
  return print(out, {text.data(), text.size()});
}

std::string describe(const Experiment& experiment) {
  const Machine& machine = experiment.machine;
  std::string text = fmt::format(
      "experiment {}, {} by schedlab {}\n"
      "started  {} UTC\n"
      "machine  {}, {}, {} CPUs online\n"
      "kernel   {}\n"
      "order    {}, {}, seed {}\n",
      experiment.id.value,
      to_string(experiment.kind),
      printable(experiment.tool_version),
      format_time(experiment.start_wall, "{:%Y-%m-%d %H:%M:%S}"),
      printable(machine.hostname),
      printable(machine.cpu_model),
      machine.online_cpus,
      printable(machine.kernel),
      printable(experiment.order),
      plan_text(experiment.stopping, experiment.blocks_planned),
      experiment.seed);
  for (const Arm& arm : experiment.arms)
    text += fmt::format("arm      {}: {}\n", printable(arm.name), long_text(arm.spec));
  for (const std::string& name : experiment.cases)
    text += fmt::format("case     {}\n", long_text(name));
  return text + fmt::format("repeat   {}\n", long_text(shell_quote(experiment.command)));
}

/// What the run gave, or why it gave nothing, and what makes it doubtful.
std::string run_remark(const RunRecord& run, std::int32_t online_cpus) {
  std::string text;
  for (const Metric& metric : run.output.metrics) {
    if (!metric.primary) continue;
    text += fmt::format("  {} {}", printable(metric.name), format_value(metric.value, metric.unit));
  }
  if (!run.failure.empty()) text += "  " + printable(run.failure);
  if (is_disturbed(run, online_cpus)) text += "  disturbed";
  return text;
}

std::string run_table(const std::vector<RunRecord>& runs, const Experiment& experiment) {
  std::string text;
  for (const std::string& name : experiment.cases) {
    text += fmt::format("\nruns of {}\n{:>6} {:>5} {:>3}  {:<10} {:<11} {:>8}\n",
                        long_text(name),
                        "run",
                        "block",
                        "pos",
                        "arm",
                        "outcome",
                        "took");
    for (const RunRecord& run : runs) {
      if (run.case_name != name) continue;
      text += fmt::format("{:>6} {:>5} {:>3}  {:<10} {:<11} {:>8}{}\n",
                          run.id.value,
                          run.block,
                          run.position,
                          cell(run.arm, 10),
                          to_string(run.outcome),
                          format_duration(run.end_monotonic - run.start_monotonic),
                          run_remark(run, experiment.machine.online_cpus));
    }
  }
  return text;
}

Status show_experiment(const Store& store, const Flags& flags, std::FILE* out) {
  auto experiment = flags.experiment == 0 ? store.latest_experiment()
                                          : store.experiment(ExperimentId{flags.experiment});
  if (!experiment) return std::move(experiment).error();
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<RunRecord> runs,
                            store.runs(experiment->id, Detail::Figures));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<store::RunMark> marks, store.marks(experiment->id));
  std::string text = describe(*experiment) + run_table(runs, *experiment);
  for (const store::RunMark& mark : marks)
    text += fmt::format("run {} is marked: {}\n", mark.run.value, long_text(mark.reason));
  return print(out, text);
}

std::string or_unknown(const std::optional<Nanos>& duration) {
  return duration ? format_duration(*duration) : "not known";
}

std::string or_unknown(const std::optional<std::int64_t>& count) {
  return count ? fmt::format("{}", *count) : "not known";
}

std::string describe_run(const RunRecord& run) {
  const NoiseDeltas& noise = run.noise;
  std::string text = fmt::format("run {} of experiment {}: arm {}, block {}, position {}, {}\n",
                                 run.id.value,
                                 run.experiment.value,
                                 printable(run.arm),
                                 run.block,
                                 run.position,
                                 to_string(run.kind));
  text += fmt::format("case      {}\n", long_text(run.case_name));
  text += fmt::format("command   {}\n", long_text(shell_quote(run.arguments)));
  text += fmt::format("workload  {} version {}, mode {}\n",
                      printable(run.output.workload),
                      printable(run.output.workload_version),
                      printable(run.output.mode));
  text += fmt::format("outcome   {}, exit code {}, signal {}\n",
                      to_string(run.outcome),
                      run.exit_code,
                      run.exit_signal);
  if (!run.failure.empty()) text += fmt::format("failure   {}\n", long_text(run.failure));
  text += fmt::format("started   {} UTC, took {}\n",
                      format_time(run.start_wall, "{:%Y-%m-%d %H:%M:%S}"),
                      format_duration(run.end_monotonic - run.start_monotonic));
  text += fmt::format("boot      {}\n", run.boot_id.empty() ? "not known" : printable(run.boot_id));
  text +=
      fmt::format("noise     foreign CPU time {}, steal {}, throttle events {}, interrupts {}\n",
                  or_unknown(noise.foreign_cpu),
                  or_unknown(noise.steal),
                  or_unknown(noise.throttle_events),
                  or_unknown(noise.interrupts));
  return text + fmt::format("canary    {}\n", or_unknown(run.canary));
}

std::string describe_metrics(const std::vector<Metric>& metrics) {
  std::string text = metrics.empty() ? "" : "\nmetrics\n";
  for (const Metric& metric : metrics) {
    text += fmt::format("  {:<28} {:>12}  {}{}\n",
                        cell(metric.name, 28),
                        format_value(metric.value, metric.unit),
                        metric.direction == Direction::Descriptive
                            ? "descriptive"
                            : fmt::format("{} is better", to_string(metric.direction)),
                        metric.primary ? ", primary" : "");
  }
  return text;
}

std::string describe_histogram(const NamedHistogram& item) {
  const Histogram& histogram = item.histogram;
  const auto value = [&](double number) { return format_value(number, item.unit); };
  std::string text =
      fmt::format("\ndistribution of {}: {} samples\n", printable(item.name), histogram.count());
  if (histogram.empty()) return text;
  text += fmt::format("  {:<8} {:>12}\n", "min", value(static_cast<double>(histogram.min())));
  for (const double q : kQuantiles) {
    text += fmt::format("  {:<8} {:>12}\n",
                        fmt::format("p{:g}", q * 100),
                        value(static_cast<double>(histogram.quantile(q))));
  }
  text += fmt::format("  {:<8} {:>12}\n", "max", value(static_cast<double>(histogram.max())));
  return text + fmt::format("  {:<8} {:>12}\n", "mean", value(histogram.mean()));
}

std::string describe_rest(const RunOutput& output) {
  std::string text = output.counters.empty() ? "" : "\ncounters\n";
  for (const Counter& counter : output.counters)
    text += fmt::format("  {:<28} {:>12}\n", cell(counter.name, 28), counter.value);
  for (const Series& series : output.series) {
    text += fmt::format("\nseries {}: {} values, one each {}\n",
                        printable(series.name),
                        series.values.size(),
                        format_duration(series.interval));
  }
  if (!output.notes.empty()) text += "\nnotes\n";
  for (const std::string& note : output.notes)
    text += fmt::format("  {}\n", long_text(note));
  return text;
}

/// The log line by line, each made safe for a terminal.
std::string describe_log(const RunRecord& run, bool whole) {
  if (run.raw_log.empty()) return "\nthe run printed nothing\n";
  if (!whole) {
    return fmt::format("\nthe run printed {} bytes; --log shows them\n", run.raw_log.size());
  }
  std::string text = "\nprinted by the run\n";
  std::string_view log = run.raw_log;
  if (log.back() == '\n') log.remove_suffix(1);
  for (const std::string_view line : split(log, '\n'))
    text += printable(line, line.size()) + "\n";
  return text;
}

Status show_run(const Store& store, const Flags& flags, std::FILE* out) {
  SCHEDLAB_ASSIGN_OR_RETURN(const RunRecord run, store.run(RunId{flags.run}));
  if (flags.experiment != 0 && run.experiment.value != flags.experiment) {
    return usage_error(fmt::format("run {} belongs to experiment {}, not {}",
                                   flags.run,
                                   run.experiment.value,
                                   flags.experiment));
  }
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<store::RunMark> marks, store.marks(run.experiment));
  std::string text = describe_run(run);
  for (const store::RunMark& mark : marks) {
    if (mark.run == run.id) text += fmt::format("marked    {}\n", long_text(mark.reason));
  }
  text += describe_metrics(run.output.metrics);
  for (const NamedHistogram& histogram : run.output.histograms)
    text += describe_histogram(histogram);
  return print(out, text + describe_rest(run.output) + describe_log(run, flags.log));
}

Status show(const Flags& flags, std::FILE* out) {
  if (flags.log && flags.run == 0) return usage_error("--log needs --run N");
  SCHEDLAB_ASSIGN_OR_RETURN(const Store store, Store::open_read_only(flags.database));
  return flags.run == 0 ? show_experiment(store, flags, out) : show_run(store, flags, out);
}

Error cannot_write(const std::string& path) {
  return failed(fmt::format("cannot write '{}': {}; nothing was kept of it",
                            printable(path),
                            std::system_category().message(errno)));
}

/// All lines into `file`, flushed. `path` is for the error.
Status export_to(const Store& store, const Flags& flags, std::FILE* file, const std::string& path) {
  const auto line = [&](const std::string& text) -> Status {
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
        std::fputc('\n', file) == EOF) {
      return cannot_write(path);
    }
    return {};
  };
  SCHEDLAB_RETURN_IF_ERROR(flags.format == "csv" ? store.export_csv(line)
                                                 : store.export_json_lines(line));
  if (std::fflush(file) != 0) return cannot_write(path);
  return {};
}

/// Whether `-o` may take this name: never over what is not a plain file, over one only when told.
Status may_replace(const std::string& path, bool force) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return {};
  if (!std::filesystem::is_regular_file(status)) {
    return failed(
        fmt::format("cannot write '{}': it is there and is not a regular file; leave -o "
                    "out to write to standard output",
                    printable(path)));
  }
  if (force) return {};
  return failed(fmt::format("cannot write '{}': it exists; --force replaces it", printable(path)));
}

/// Writes beside the file and renames, so that the name only ever holds a whole export.
Status export_to_file(const Store& store, const Flags& flags) {
  SCHEDLAB_RETURN_IF_ERROR(may_replace(flags.output, flags.force));
  const std::string part = fmt::format("{}.{}.part", flags.output, ::getpid());
  std::FILE* file = std::fopen(part.c_str(), "wxe");
  if (file == nullptr) return cannot_write(flags.output);
  Status done = export_to(store, flags, file, flags.output);
  if (done && ::fsync(::fileno(file)) != 0) done = cannot_write(flags.output);
  if (std::fclose(file) != 0 && done) done = cannot_write(flags.output);
  if (done && std::rename(part.c_str(), flags.output.c_str()) != 0) {
    done = cannot_write(flags.output);
  }
  if (!done) static_cast<void>(std::remove(part.c_str()));
  return done;
}

Status export_all(const Flags& flags, std::FILE* out) {
  SCHEDLAB_ASSIGN_OR_RETURN(const Store store, Store::open_read_only(flags.database));
  if (flags.output.empty()) return export_to(store, flags, out, "standard output");
  return export_to_file(store, flags);
}

/// Findings are the answer, not an error: they go to `out`, and `found` makes the exit status.
Status check(const Flags& flags, std::FILE* out, bool& found) {
  SCHEDLAB_ASSIGN_OR_RETURN(const bool blank, Store::is_blank(flags.database));
  if (blank) {
    return print(
        out,
        fmt::format("{}: empty and sound; nothing was stored yet\n", printable(flags.database)));
  }
  SCHEDLAB_ASSIGN_OR_RETURN(const Store store, Store::open_read_only(flags.database));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<store::Finding> findings, store.check());
  found = !findings.empty();
  if (!found) return print(out, fmt::format("{}: sound\n", printable(flags.database)));
  std::string text;
  for (const store::Finding& finding : findings)
    text += long_text(finding) + "\n";
  text += fmt::format("{}: {} finding{}\n",
                      printable(flags.database),
                      findings.size(),
                      findings.size() == 1 ? "" : "s");
  return print(out, text);
}

void add_verb_flags(CLI::App& app, std::string_view verb, Flags& flags) {
  app.add_option("--db", flags.database, "Database file")->capture_default_str();
  if (verb == "show") {
    app.add_option("experiment", flags.experiment, "Experiment number (default: the newest)")
        ->check(CLI::PositiveNumber);
    app.add_option("--run", flags.run, "Show this run instead")->check(CLI::PositiveNumber);
    app.add_flag("--log", flags.log, "With --run: also what the run printed");
  } else if (verb == "export") {
    app.add_option("--format", flags.format, "jsonl: everything; csv: a row per figure")
        ->check(CLI::IsMember({"jsonl", "csv"}))
        ->required();
    app.add_option("-o,--output", flags.output, "File (default: standard output)");
    app.add_flag("--force", flags.force, "Replace the file when it exists");
  }
}

std::string_view example_of(std::string_view verb) {
  if (verb == "list") return "schedlab db list --db night.db";
  if (verb == "show") return "schedlab db show 3 --run 41";
  if (verb == "export") return "schedlab db export --format csv -o runs.csv";
  return "schedlab db check";
}

std::string_view purpose_of(std::string_view verb) {
  if (verb == "list") return "Lists the experiments of a database, one a line";
  if (verb == "show") return "Shows an experiment and its runs, or one run";
  if (verb == "export") return "Writes the database as JSON Lines or CSV";
  return "Checks whether a database is sound; exit status 1 when it is not";
}

int run_verb(std::string_view verb, Arguments arguments, std::FILE* out, std::FILE* err) {
  Flags flags;
  CLI::App app{std::string(purpose_of(verb)), "schedlab db " + std::string(verb)};
  add_verb_flags(app, verb, flags);
  const Parsed parsed = parse(app, arguments, example_of(verb), out, err);
  if (!parsed.go_on) return parsed.exit_status;
  bool found = false;
  const Status done = verb == "list"     ? list(flags, out)
                      : verb == "show"   ? show(flags, out)
                      : verb == "export" ? export_all(flags, out)
                                         : check(flags, out, found);
  if (!done) return complain(err, done.error());
  return found ? kExitFailed : kExitDone;
}

}  // namespace

int db_main(std::span<const std::string> arguments, std::FILE* out, std::FILE* err) {
  if (arguments.empty()) {
    return complain(err, usage_error("db needs a verb: list, show, export or check"));
  }
  const std::string& verb = arguments.front();
  if (verb == "--help" || verb == "-h" || verb == "help") {
    const Status printed = print(out, kHelp);
    return printed ? kExitDone : complain(err, printed.error());
  }
  if (std::find(kVerbs.begin(), kVerbs.end(), verb) == kVerbs.end()) {
    const auto nearest = nearest_word(verb, kVerbs);
    return complain(
        err,
        usage_error(fmt::format("unknown verb 'db {}'{}; there are list, show, export and check",
                                printable(verb),
                                nearest ? fmt::format(", did you mean {}?", *nearest) : "")));
  }
  return run_verb(verb, arguments.subspan(1), out, err);
}

}  // namespace schedlab::cli
