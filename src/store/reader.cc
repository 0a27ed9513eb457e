#include "store/reader.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/text.h"
#include "store/rows.h"
#include "store/run_rows.h"

namespace schedlab::store {

namespace {

using SQLite::Database;
using Definitions = std::unordered_map<std::int64_t, Metric>;

/// A word of an enumeration that is not known is a usage error where a person typed it; in a
/// database it is damage.
Error unreadable_row(const Error& error, std::string_view what, std::int64_t id) {
  return failed(fmt::format("cannot read {} {}: {}", what, id, error.message));
}

Status read_definition(Columns& column, Metric& metric) {
  metric.name = column.text();
  SCHEDLAB_ASSIGN_OR_RETURN(metric.unit, parse_unit(column.view()));
  SCHEDLAB_ASSIGN_OR_RETURN(metric.direction, parse_direction(column.view()));
  SCHEDLAB_ASSIGN_OR_RETURN(metric.metric_class, parse_metric_class(column.view()));
  metric.primary = column.integer() != 0;
  return {};
}

Result<Definitions> read_definitions(Database& database) {
  Cursor query(database,
               "SELECT id, name, unit, direction, class, is_primary FROM metric_definition");
  Definitions definitions;
  while (query.step()) {
    Columns column(query);
    const std::int64_t id = column.integer();
    const Status read = read_definition(column, definitions[id]);
    if (!read) return unreadable_row(read.error(), "metric_definition", id);
  }
  return definitions;
}

Status read_metric(const Cursor& row,
                   const Definitions& definitions,
                   std::vector<Metric>& metrics) {
  Columns column(row, 1);
  const auto definition = definitions.find(column.integer());
  if (definition == definitions.end()) return failed("a metric has no definition");
  Metric& metric = metrics.emplace_back(definition->second);
  metric.value = column.real();
  metric.resolution = column.real();
  return {};
}

Status read_histogram(const Cursor& row, std::vector<NamedHistogram>& histograms) {
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

Status read_series(const Cursor& row, std::vector<Series>& series) {
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

Status read_raw_log(const Cursor& row, std::string& log) {
  Columns column(row, 1);
  if (column.view() != "raw_log") return {};
  auto data = column.blob(kMaxBulkBytes);
  if (!data) return data.error().within("raw log");
  log = std::move(*data);
  return {};
}

void read_text(const Cursor& row, std::vector<std::string>& texts) {
  texts.push_back(Columns(row, 1).text());
}

/// "AND p.definition_id IN (1,4)": of the metrics that are primary in some run.
std::string primary_condition(const Definitions& definitions) {
  std::set<std::string_view> names;
  for (const auto& [id, metric] : definitions) {
    if (metric.primary) names.insert(metric.name);
  }
  std::string ids;
  for (const auto& [id, metric] : definitions) {
    if (names.contains(metric.name)) ids += fmt::format("{}{}", ids.empty() ? "" : ",", id);
  }
  return fmt::format("AND p.definition_id IN ({})", ids);
}

/// What a verdict rests on besides the run's own row.
struct VerdictParts {
  VerdictParts(Database& database, const Walk& walk, std::string_view which_metrics)
      : notes(database,
              parts_query("p.note", "run_note", walk),
              {walk.low, walk.high, walk.experiment}),
        metrics(
            database,
            parts_query("p.definition_id, p.value, p.resolution", "metric", walk, which_metrics),
            {walk.low, walk.high, walk.experiment}) {}

  Status fill(RunRecord& run, const Definitions& definitions) {
    const std::int64_t id = run.id.value;
    SCHEDLAB_RETURN_IF_ERROR(notes.take(id, [&](const Cursor& row) -> Status {
      read_text(row, run.output.notes);
      return {};
    }));
    return metrics.take(
        id, [&](const Cursor& row) { return read_metric(row, definitions, run.output.metrics); });
  }

  Parts notes;
  Parts metrics;
};

/// The rest of the figures.
struct FigureParts {
  FigureParts(Database& database, const Walk& walk)
      : arguments(database,
                  parts_query("p.argument", "run_argument", walk),
                  {walk.low, walk.high, walk.experiment}),
        counters(database,
                 parts_query("p.name, p.value", "counter", walk),
                 {walk.low, walk.high, walk.experiment}) {}

  Status fill(RunRecord& run) {
    const std::int64_t id = run.id.value;
    SCHEDLAB_RETURN_IF_ERROR(arguments.take(id, [&](const Cursor& row) -> Status {
      read_text(row, run.arguments);
      return {};
    }));
    return counters.take(id, [&](const Cursor& row) -> Status {
      Columns column(row, 1);
      Counter& counter = run.output.counters.emplace_back();
      counter.name = column.view();
      counter.value = column.integer();
      return {};
    });
  }

  Parts arguments;
  Parts counters;
};

/// The tables of samples and logs: most of the bytes.
struct BulkParts {
  BulkParts(Database& database, const Walk& walk)
      : histograms(database,
                   parts_query("p.name, p.unit, p.data_bytes, p.data_zstd", "histogram", walk),
                   {walk.low, walk.high, walk.experiment}),
        series(
            database,
            parts_query("p.name, p.unit, p.interval_ns, p.data_bytes, p.data_zstd", "series", walk),
            {walk.low, walk.high, walk.experiment}),
        artefacts(database,
                  parts_query("p.name, p.data_bytes, p.data_zstd", "artefact", walk),
                  {walk.low, walk.high, walk.experiment}) {}

  Status fill(RunRecord& run) {
    const std::int64_t id = run.id.value;
    SCHEDLAB_RETURN_IF_ERROR(histograms.take(
        id, [&](const Cursor& row) { return read_histogram(row, run.output.histograms); }));
    SCHEDLAB_RETURN_IF_ERROR(
        series.take(id, [&](const Cursor& row) { return read_series(row, run.output.series); }));
    return artefacts.take(id, [&](const Cursor& row) { return read_raw_log(row, run.raw_log); });
  }

  Parts histograms;
  Parts series;
  Parts artefacts;
};

struct ExperimentParts {
  ExperimentParts(Database& database, std::int64_t id)
      : arguments(database, query("argument", "experiment_argument"), {id}),
        cases(database, query("case_name", "experiment_case"), {id}),
        arms(database, query("name, spec", "arm"), {id}) {}

  static std::string query(std::string_view columns, std::string_view table) {
    return fmt::format(
        "SELECT experiment_id, {} FROM {} WHERE ?1 = 0 OR experiment_id = ?1 "
        "ORDER BY experiment_id, position",
        columns,
        table);
  }

  Status fill(Experiment& experiment) {
    const std::int64_t id = experiment.id.value;
    SCHEDLAB_RETURN_IF_ERROR(arguments.take(id, [&](const Cursor& row) -> Status {
      read_text(row, experiment.command);
      return {};
    }));
    SCHEDLAB_RETURN_IF_ERROR(cases.take(id, [&](const Cursor& row) -> Status {
      read_text(row, experiment.cases);
      return {};
    }));
    return arms.take(id, [&](const Cursor& row) -> Status {
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
  SCHEDLAB_ASSIGN_OR_RETURN(stopping.when, parse_stop_when(column.view()));
  stopping.half_width = column.real();
  stopping.looks = column.integer32();
  SCHEDLAB_ASSIGN_OR_RETURN(stopping.spending, parse_spending(column.view()));
  stopping.delta = column.optional_real();
  stopping.futility = column.integer() != 0;
  stopping.max_time = column.nanos();
  return {};
}

Status read_experiment_row(const Cursor& row, Experiment& experiment) {
  Columns column(row);
  experiment.id = ExperimentId{column.integer()};
  SCHEDLAB_ASSIGN_OR_RETURN(experiment.kind, parse_run_kind(column.view()));
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

Parts::Parts(Database& database, const std::string& query, std::initializer_list<std::int64_t> keys)
    : cursor_(database, query, keys) {
  step();
}

Status for_each_run(Database& database,
                    Selection selection,
                    Detail detail,
                    const UseRun& use,
                    const UseError& unreadable) {
  const Snapshot snapshot(database);
  SCHEDLAB_ASSIGN_OR_RETURN(const Definitions definitions, read_definitions(database));
  const Walk walk = plan_walk(database, selection);
  VerdictParts verdict(
      database, walk, detail == Detail::Verdict ? primary_condition(definitions) : "");
  std::optional<FigureParts> figures;
  if (detail != Detail::Verdict) figures.emplace(database, walk);
  std::optional<BulkParts> bulk;
  if (detail == Detail::Everything) bulk.emplace(database, walk);
  RunRows runs(database, walk);
  while (runs.step()) {
    RunRecord run;
    Status read = runs.read(run);
    if (read) read = verdict.fill(run, definitions);
    if (read && figures) read = figures->fill(run);
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
  Cursor query(database,
               "SELECT e.id, e.kind, e.tool_version, e.seed, e.run_order, e.blocks_planned, "
               "e.start_wall_ns, e.stop_when, e.stop_half_width, e.stop_looks, "
               "e.stop_spending, e.stop_delta, e.stop_futility, e.max_time_ns, m.hostname, "
               "m.cpu_model, m.online_cpus, m.kernel "
               "FROM experiment e JOIN machine m ON m.id = e.machine_id "
               "WHERE ?1 = 0 OR e.id = ?1 ORDER BY e.id",
               {key});
  ExperimentParts parts(database, key);
  std::vector<Experiment> experiments;
  while (query.step()) {
    Experiment& experiment = experiments.emplace_back();
    Status read = read_experiment_row(query, experiment);
    if (read) read = parts.fill(experiment);
    if (!read) return unreadable_row(read.error(), "experiment", experiment.id.value);
  }
  return experiments;
}

std::vector<RunMark> read_marks(Database& database, std::int64_t experiment) {
  Cursor query(database,
               "SELECT m.run_id, m.reason, m.wall_ns FROM run_mark m "
               "JOIN run r ON r.id = m.run_id WHERE r.experiment_id = ?1 ORDER BY m.id",
               {experiment});
  std::vector<RunMark> marks;
  while (query.step()) {
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
  Cursor query(database,
               "SELECT hash, text_bytes, text_zstd FROM environment "
               "WHERE ?1 IS NULL OR hash = ?1 ORDER BY hash");
  if (hash) query.bind(1, *hash);
  while (query.step()) {
    Columns column(query);
    const std::string name = column.text();
    SCHEDLAB_RETURN_IF_ERROR(use(name, column.blob(kMaxBulkBytes)));
  }
  return {};
}

}  // namespace schedlab::store
