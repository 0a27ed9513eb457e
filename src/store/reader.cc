#include "store/reader.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "core/text.h"
#include "store/rows.h"

namespace schedlab::store {

namespace {

using SQLite::Database;
using SQLite::Statement;
using Definitions = std::unordered_map<std::int64_t, Metric>;

std::string condition(Selection selection) {
  switch (selection.by) {
    case Selection::By::Run:
      return "r.id = ?1";
    case Selection::By::Experiment:
      return "r.experiment_id = ?1";
    case Selection::By::Everything:
      break;
  }
  return "?1 = 0";
}

/// CROSS JOIN fixes the loop order: runs by index, then their parts by primary key, so that both
/// come sorted without a sort.
std::string parts_query(std::string_view columns, std::string_view table, Selection selection) {
  const std::string_view order = table == "artefact" ? "p.name" : "p.position";
  return fmt::format(
      "SELECT p.run_id, {} FROM run r CROSS JOIN {} p ON p.run_id = r.id WHERE {} "
      "ORDER BY r.id, {}",
      columns,
      table,
      condition(selection),
      order);
}

std::string runs_query(Selection selection) {
  return "SELECT r.id, r.experiment_id, r.block, r.position, r.arm, r.case_name, "
         "coalesce(b.kernel_boot_id, ''), r.kind, r.outcome, r.exit_code, r.exit_signal, "
         "r.failure, r.start_monotonic_ns, r.end_monotonic_ns, r.start_wall_ns, r.end_wall_ns, "
         "r.environment_before, r.environment_after, r.noise_foreign_cpu_ns, r.noise_steal_ns, "
         "r.noise_throttle_events, r.noise_interrupts, r.canary_ns, r.workload, "
         "r.workload_version, r.mode, r.build FROM run r LEFT JOIN boot b ON b.id = r.boot_id "
         "WHERE " +
         condition(selection) + " ORDER BY r.id";
}

Status read_run_row(Statement& row, RunRecord& run) {
  Columns column(row);
  run.id = RunId{column.integer()};
  run.experiment = ExperimentId{column.integer()};
  run.block = column.integer32();
  run.position = column.integer32();
  run.arm = column.text();
  run.case_name = column.text();
  run.boot_id = column.text();
  SCHEDLAB_ASSIGN_OR_RETURN(run.kind, parse_run_kind(column.text()));
  SCHEDLAB_ASSIGN_OR_RETURN(run.outcome, parse_outcome(column.text()));
  run.exit_code = column.integer32();
  run.exit_signal = column.integer32();
  run.failure = column.text();
  run.start_monotonic = column.nanos();
  run.end_monotonic = column.nanos();
  run.start_wall = column.nanos();
  run.end_wall = column.nanos();
  run.environment_before = column.text();
  run.environment_after = column.text();
  run.noise.foreign_cpu = column.optional_nanos();
  run.noise.steal = column.optional_nanos();
  run.noise.throttle_events = column.optional_integer();
  run.noise.interrupts = column.optional_integer();
  run.canary = column.optional_nanos();
  run.output.workload = column.text();
  run.output.workload_version = column.text();
  run.output.mode = column.text();
  run.build = column.text();
  return {};
}

/// A word of an enumeration that is not known is a usage error where a person typed it; in a
/// database it is damage.
Error unreadable_row(const Error& error, std::string_view what, std::int64_t id) {
  return failed(fmt::format("cannot read {} {}: {}", what, id, error.message));
}

Status read_definition(Columns& column, Metric& metric) {
  metric.name = column.text();
  SCHEDLAB_ASSIGN_OR_RETURN(metric.unit, parse_unit(column.text()));
  SCHEDLAB_ASSIGN_OR_RETURN(metric.direction, parse_direction(column.text()));
  SCHEDLAB_ASSIGN_OR_RETURN(metric.metric_class, parse_metric_class(column.text()));
  metric.primary = column.integer() != 0;
  return {};
}

Result<Definitions> read_definitions(Database& database) {
  Statement query(database,
                  "SELECT id, name, unit, direction, class, is_primary FROM metric_definition");
  Definitions definitions;
  while (query.executeStep()) {
    Columns column(query);
    const std::int64_t id = column.integer();
    const Status read = read_definition(column, definitions[id]);
    if (!read) return unreadable_row(read.error(), "metric_definition", id);
  }
  return definitions;
}

Status read_metric(Statement& row, const Definitions& definitions, std::vector<Metric>& metrics) {
  Columns column(row, 1);
  const auto definition = definitions.find(column.integer());
  if (definition == definitions.end()) return failed("a metric has no definition");
  Metric& metric = metrics.emplace_back(definition->second);
  metric.value = column.real();
  metric.resolution = column.real();
  return {};
}

Status read_histogram(Statement& row, std::vector<NamedHistogram>& histograms) {
  Columns column(row, 1);
  std::string name = column.text();
  const std::string unit_word = column.text();
  const std::string label = "histogram '" + printable(name) + "'";
  const auto data = column.blob(kMaxHistogramBytes);
  if (!data) return data.error().within(label);
  auto histogram = Histogram::deserialise(*data);
  if (!histogram) return histogram.error().within(label);
  SCHEDLAB_ASSIGN_OR_RETURN(const Unit unit, parse_unit(unit_word));
  histograms.push_back({std::move(name), unit, std::move(*histogram)});
  return {};
}

Status read_series(Statement& row, std::vector<Series>& series) {
  Columns column(row, 1);
  Series item;
  item.name = column.text();
  const std::string unit = column.text();
  item.interval = column.nanos();
  const std::string label = "series '" + printable(item.name) + "'";
  const auto data = column.blob(kMaxBulkBytes);
  if (!data) return data.error().within(label);
  auto values = unpack_doubles(*data);
  if (!values) return values.error().within(label);
  item.values = std::move(*values);
  SCHEDLAB_ASSIGN_OR_RETURN(item.unit, parse_unit(unit));
  series.push_back(std::move(item));
  return {};
}

Status read_raw_log(Statement& row, std::string& log) {
  Columns column(row, 1);
  if (column.text() != "raw_log") return {};
  auto data = column.blob(kMaxBulkBytes);
  if (!data) return data.error().within("raw log");
  log = std::move(*data);
  return {};
}

void read_text(Statement& row, std::vector<std::string>& texts) {
  texts.push_back(Columns(row, 1).text());
}

/// The tables that a reader of figures needs.
struct FigureParts {
  FigureParts(Database& database, Selection selection)
      : arguments(database, parts_query("p.argument", "run_argument", selection), selection.id),
        notes(database, parts_query("p.note", "run_note", selection), selection.id),
        metrics(database,
                parts_query("p.definition_id, p.value, p.resolution", "metric", selection),
                selection.id),
        counters(database, parts_query("p.name, p.value", "counter", selection), selection.id) {}

  Status fill(RunRecord& run, const Definitions& definitions) {
    const std::int64_t id = run.id.value;
    RunOutput& output = run.output;
    SCHEDLAB_RETURN_IF_ERROR(arguments.take(id, [&](Statement& row) -> Status {
      read_text(row, run.arguments);
      return {};
    }));
    SCHEDLAB_RETURN_IF_ERROR(notes.take(id, [&](Statement& row) -> Status {
      read_text(row, output.notes);
      return {};
    }));
    SCHEDLAB_RETURN_IF_ERROR(metrics.take(
        id, [&](Statement& row) { return read_metric(row, definitions, output.metrics); }));
    return counters.take(id, [&](Statement& row) -> Status {
      Columns column(row, 1);
      Counter& counter = output.counters.emplace_back();
      counter.name = column.text();
      counter.value = column.integer();
      return {};
    });
  }

  Parts arguments;
  Parts notes;
  Parts metrics;
  Parts counters;
};

/// The tables of samples and logs: most of the bytes.
struct BulkParts {
  BulkParts(Database& database, Selection selection)
      : histograms(database,
                   parts_query("p.name, p.unit, p.data_bytes, p.data_zstd", "histogram", selection),
                   selection.id),
        series(database,
               parts_query(
                   "p.name, p.unit, p.interval_ns, p.data_bytes, p.data_zstd", "series", selection),
               selection.id),
        artefacts(database,
                  parts_query("p.name, p.data_bytes, p.data_zstd", "artefact", selection),
                  selection.id) {}

  Status fill(RunRecord& run) {
    const std::int64_t id = run.id.value;
    SCHEDLAB_RETURN_IF_ERROR(histograms.take(
        id, [&](Statement& row) { return read_histogram(row, run.output.histograms); }));
    SCHEDLAB_RETURN_IF_ERROR(
        series.take(id, [&](Statement& row) { return read_series(row, run.output.series); }));
    return artefacts.take(id, [&](Statement& row) { return read_raw_log(row, run.raw_log); });
  }

  Parts histograms;
  Parts series;
  Parts artefacts;
};

struct ExperimentParts {
  ExperimentParts(Database& database, std::int64_t id)
      : arguments(database, query("argument", "experiment_argument"), id),
        cases(database, query("case_name", "experiment_case"), id),
        arms(database, query("name, spec", "arm"), id) {}

  static std::string query(std::string_view columns, std::string_view table) {
    return fmt::format(
        "SELECT experiment_id, {} FROM {} WHERE ?1 = 0 OR experiment_id = ?1 "
        "ORDER BY experiment_id, position",
        columns,
        table);
  }

  Status fill(Experiment& experiment) {
    const std::int64_t id = experiment.id.value;
    SCHEDLAB_RETURN_IF_ERROR(arguments.take(id, [&](Statement& row) -> Status {
      read_text(row, experiment.command);
      return {};
    }));
    SCHEDLAB_RETURN_IF_ERROR(cases.take(id, [&](Statement& row) -> Status {
      read_text(row, experiment.cases);
      return {};
    }));
    return arms.take(id, [&](Statement& row) -> Status {
      Columns column(row, 1);
      Arm& arm = experiment.arms.emplace_back();
      arm.name = column.text();
      arm.spec = column.text();
      return {};
    });
  }

  Parts arguments;
  Parts cases;
  Parts arms;
};

Status read_stopping(Columns& column, StoppingRule& stopping) {
  SCHEDLAB_ASSIGN_OR_RETURN(stopping.when, parse_stop_when(column.text()));
  stopping.half_width = column.real();
  stopping.looks = column.integer32();
  SCHEDLAB_ASSIGN_OR_RETURN(stopping.spending, parse_spending(column.text()));
  stopping.delta = column.optional_real();
  stopping.futility = column.integer() != 0;
  stopping.max_time = column.nanos();
  return {};
}

Status read_experiment_row(Statement& row, Experiment& experiment) {
  Columns column(row);
  experiment.id = ExperimentId{column.integer()};
  SCHEDLAB_ASSIGN_OR_RETURN(experiment.kind, parse_run_kind(column.text()));
  experiment.tool_version = column.text();
  experiment.seed = static_cast<std::uint64_t>(column.integer());
  experiment.order = column.text();
  experiment.blocks_planned = column.integer32();
  experiment.start_wall = column.nanos();
  SCHEDLAB_RETURN_IF_ERROR(read_stopping(column, experiment.stopping));
  experiment.machine.hostname = column.text();
  experiment.machine.cpu_model = column.text();
  experiment.machine.online_cpus = column.integer32();
  experiment.machine.kernel = column.text();
  return {};
}

}  // namespace

Parts::Parts(Database& database, const std::string& query, std::int64_t key)
    : statement_(database, query) {
  statement_.bind(1, key);
  step();
}

void Parts::step() {
  live_ = statement_.executeStep();
  if (live_) owner_ = statement_.getColumn(0).getInt64();
}

Status for_each_run(Database& database,
                    Selection selection,
                    Detail detail,
                    const UseRun& use,
                    const UseError& unreadable) {
  const Snapshot snapshot(database);
  SCHEDLAB_ASSIGN_OR_RETURN(const Definitions definitions, read_definitions(database));
  FigureParts figures(database, selection);
  std::optional<BulkParts> bulk;
  if (detail == Detail::Everything) bulk.emplace(database, selection);
  Statement runs(database, runs_query(selection));
  runs.bind(1, selection.id);
  while (runs.executeStep()) {
    RunRecord run;
    Status read = read_run_row(runs, run);
    if (read) read = figures.fill(run, definitions);
    if (read && bulk) read = bulk->fill(run);
    SCHEDLAB_RETURN_IF_ERROR(read ? use(std::move(run))
                                  : unreadable(unreadable_row(read.error(), "run", run.id.value)));
  }
  return {};
}

Result<std::vector<Experiment>> read_experiments(Database& database,
                                                 std::optional<std::int64_t> id) {
  const Snapshot snapshot(database);
  const std::int64_t key = id.value_or(0);
  Statement query(database,
                  "SELECT e.id, e.kind, e.tool_version, e.seed, e.run_order, e.blocks_planned, "
                  "e.start_wall_ns, e.stop_when, e.stop_half_width, e.stop_looks, "
                  "e.stop_spending, e.stop_delta, e.stop_futility, e.max_time_ns, m.hostname, "
                  "m.cpu_model, m.online_cpus, m.kernel "
                  "FROM experiment e JOIN machine m ON m.id = e.machine_id "
                  "WHERE ?1 = 0 OR e.id = ?1 ORDER BY e.id");
  query.bind(1, key);
  ExperimentParts parts(database, key);
  std::vector<Experiment> experiments;
  while (query.executeStep()) {
    Experiment& experiment = experiments.emplace_back();
    Status read = read_experiment_row(query, experiment);
    if (read) read = parts.fill(experiment);
    if (!read) return unreadable_row(read.error(), "experiment", experiment.id.value);
  }
  return experiments;
}

std::vector<RunMark> read_marks(Database& database, std::int64_t experiment) {
  Statement query(database,
                  "SELECT m.run_id, m.reason, m.wall_ns FROM run_mark m "
                  "JOIN run r ON r.id = m.run_id WHERE r.experiment_id = ?1 ORDER BY m.id");
  query.bind(1, experiment);
  std::vector<RunMark> marks;
  while (query.executeStep()) {
    Columns column(query);
    RunMark& mark = marks.emplace_back();
    mark.run = RunId{column.integer()};
    mark.reason = column.text();
    mark.wall = column.nanos();
  }
  return marks;
}

Status for_each_environment(
    Database& database,
    const std::optional<std::string>& hash,
    const std::function<Status(const std::string& hash, Result<std::string> text)>& use) {
  Statement query(database,
                  "SELECT hash, text_bytes, text_zstd FROM environment "
                  "WHERE ?1 IS NULL OR hash = ?1 ORDER BY hash");
  bind_all(query, hash);
  while (query.executeStep()) {
    Columns column(query);
    const std::string name = column.text();
    SCHEDLAB_RETURN_IF_ERROR(use(name, column.blob(kMaxBulkBytes)));
  }
  return {};
}

}  // namespace schedlab::store
