#include "store/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/text.h"
#include "store/blob.h"
#include "store/rows.h"

namespace schedlab::store {

namespace {

using SQLite::Database;
using SQLite::Statement;
using SQLite::Transaction;
using SQLite::TransactionBehavior;

/// Statements prepared once and used for many rows, by their text, which must be a literal.
class Statements {
 public:
  explicit Statements(Database& database) : database_(database) {}

  /// Ready for a new round.
  Statement& get(const char* sql) {
    Statement& statement = prepared_.try_emplace(sql, database_, sql).first->second;
    statement.reset();
    return statement;
  }

  [[nodiscard]] std::int64_t last_id() const { return database_.getLastInsertRowid(); }

 private:
  Database& database_;
  std::map<const char*, Statement> prepared_;
};

/// The first column of the first row, if there is a row.
template <typename... Keys>
std::optional<std::int64_t> find_id(Statements& statements, const char* sql, const Keys&... keys) {
  Statement& query = statements.get(sql);
  bind_all(query, keys...);
  std::optional<std::int64_t> id;
  if (query.executeStep()) id = query.getColumn(0).getInt64();
  query.reset();
  return id;
}

/// The id of the row with these values, which is added when there is none.
template <typename... Keys>
std::int64_t find_or_add(Statements& statements,
                         const char* find,
                         const char* add,
                         const Keys&... keys) {
  if (const auto id = find_id(statements, find, keys...)) return *id;
  insert(statements.get(add), keys...);
  return statements.last_id();
}

std::int64_t machine_id(Statements& statements, const Machine& machine) {
  return find_or_add(statements,
                     "SELECT id FROM machine WHERE hostname = ?1 AND cpu_model = ?2 "
                     "AND online_cpus = ?3 AND kernel = ?4",
                     "INSERT INTO machine (hostname, cpu_model, online_cpus, kernel) "
                     "VALUES (?1, ?2, ?3, ?4)",
                     machine.hostname,
                     machine.cpu_model,
                     std::int64_t{machine.online_cpus},
                     machine.kernel);
}

/// Nothing for a run that knows no boot (imported, simulated).
std::optional<std::int64_t> boot_id(Statements& statements,
                                    std::int64_t machine,
                                    const std::string& boot) {
  if (boot.empty()) return std::nullopt;
  return find_or_add(statements,
                     "SELECT id FROM boot WHERE machine_id = ?1 AND kernel_boot_id = ?2",
                     "INSERT INTO boot (machine_id, kernel_boot_id) VALUES (?1, ?2)",
                     machine,
                     boot);
}

std::int64_t definition_id(Statements& statements, const Metric& metric) {
  return find_or_add(statements,
                     "SELECT id FROM metric_definition WHERE name = ?1 AND unit = ?2 "
                     "AND direction = ?3 AND class = ?4 AND is_primary = ?5",
                     "INSERT INTO metric_definition (name, unit, direction, class, is_primary) "
                     "VALUES (?1, ?2, ?3, ?4, ?5)",
                     metric.name,
                     to_string(metric.unit),
                     to_string(metric.direction),
                     to_string(metric.metric_class),
                     std::int64_t{metric.primary});
}

/// One row (owner, position, text) per item.
void insert_texts(Statement& statement, std::int64_t owner, const std::vector<std::string>& texts) {
  std::int64_t position = 0;
  for (const std::string& text : texts)
    insert(statement, owner, position++, text);
}

Status names_are_unique(const std::vector<std::string>& names, std::string_view what) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      return usage_error(fmt::format(
          "{} '{}' is named twice; its runs could not be told apart", what, printable(name)));
    }
  }
  return {};
}

Status acceptable(const Experiment& experiment) {
  if (experiment.arms.empty()) return failed("cannot store an experiment without an arm");
  std::vector<std::string> arms;
  for (const Arm& arm : experiment.arms)
    arms.push_back(arm.name);
  SCHEDLAB_RETURN_IF_ERROR(names_are_unique(arms, "arm"));
  return names_are_unique(experiment.cases, "case");
}

/// The machine of the run's experiment.
Result<std::int64_t> machine_of(Statements& statements, const RunRecord& run) {
  const std::int64_t experiment = run.experiment.value;
  const auto machine =
      find_id(statements, "SELECT machine_id FROM experiment WHERE id = ?1", experiment);
  if (!machine) {
    return failed(
        fmt::format("cannot store run: experiment {} is not in the database", experiment));
  }
  if (!find_id(statements,
               "SELECT 1 FROM arm WHERE experiment_id = ?1 AND name = ?2",
               experiment,
               run.arm)) {
    return failed(fmt::format(
        "cannot store run: experiment {} has no arm '{}'", experiment, printable(run.arm)));
  }
  if (!find_id(statements,
               "SELECT 1 FROM experiment_case WHERE experiment_id = ?1 AND case_name = ?2",
               experiment,
               run.case_name)) {
    return failed(fmt::format(
        "cannot store run: experiment {} has no case '{}'", experiment, printable(run.case_name)));
  }
  return *machine;
}

std::int64_t insert_run_row(Statements& statements,
                            const RunRecord& run,
                            std::optional<std::int64_t> boot) {
  Statement& statement = statements.get(
      "INSERT INTO run (experiment_id, block, position, arm, case_name, boot_id, kind, outcome, "
      "exit_code, exit_signal, failure, start_monotonic_ns, end_monotonic_ns, start_wall_ns, "
      "end_wall_ns, environment_before, environment_after, noise_foreign_cpu_ns, noise_steal_ns, "
      "noise_throttle_events, noise_interrupts, canary_ns, workload, workload_version, mode, "
      "build) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
      "?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)");
  insert(statement,
         run.experiment.value,
         std::int64_t{run.block},
         std::int64_t{run.position},
         run.arm,
         run.case_name,
         boot,
         to_string(run.kind),
         to_string(run.outcome),
         std::int64_t{run.exit_code},
         std::int64_t{run.exit_signal},
         run.failure,
         run.start_monotonic,
         run.end_monotonic,
         run.start_wall,
         run.end_wall,
         run.environment_before,
         run.environment_after,
         run.noise.foreign_cpu,
         run.noise.steal,
         run.noise.throttle_events,
         run.noise.interrupts,
         run.canary,
         run.output.workload,
         run.output.workload_version,
         run.output.mode,
         run.build);
  return statements.last_id();
}

void insert_metrics(Statements& statements, std::int64_t run, const std::vector<Metric>& metrics) {
  Statement& statement = statements.get(
      "INSERT INTO metric (run_id, position, definition_id, value, resolution) "
      "VALUES (?1, ?2, ?3, ?4, ?5)");
  std::int64_t position = 0;
  for (const Metric& metric : metrics) {
    const std::int64_t definition = definition_id(statements, metric);
    insert(statement, run, position++, definition, metric.value, metric.resolution);
  }
}

void insert_counters(Statements& statements,
                     std::int64_t run,
                     const std::vector<Counter>& counters) {
  Statement& statement =
      statements.get("INSERT INTO counter (run_id, position, name, value) VALUES (?1, ?2, ?3, ?4)");
  std::int64_t position = 0;
  for (const Counter& counter : counters)
    insert(statement, run, position++, counter.name, counter.value);
}

Status insert_histograms(Statements& statements,
                         std::int64_t run,
                         const std::vector<NamedHistogram>& histograms) {
  Statement& statement = statements.get(
      "INSERT INTO histogram (run_id, position, name, unit, data_bytes, data_zstd) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  std::int64_t position = 0;
  for (const NamedHistogram& item : histograms) {
    const std::string data = item.histogram.serialise();
    SCHEDLAB_ASSIGN_OR_RETURN(const std::string frame, compress(data, kMaxHistogramBytes));
    insert(statement,
           run,
           position++,
           item.name,
           to_string(item.unit),
           static_cast<std::int64_t>(data.size()),
           Blob{frame});
  }
  return {};
}

Status insert_series(Statements& statements, std::int64_t run, const std::vector<Series>& series) {
  Statement& statement = statements.get(
      "INSERT INTO series (run_id, position, name, unit, interval_ns, data_bytes, data_zstd) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  std::int64_t position = 0;
  for (const Series& item : series) {
    const std::string data = pack_doubles(item.values);
    SCHEDLAB_ASSIGN_OR_RETURN(const std::string frame, compress(data, kMaxBulkBytes));
    insert(statement,
           run,
           position++,
           item.name,
           to_string(item.unit),
           item.interval,
           static_cast<std::int64_t>(data.size()),
           Blob{frame});
  }
  return {};
}

Status insert_raw_log(Statements& statements, std::int64_t run, const std::string& log) {
  if (log.empty()) return {};
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string frame, compress(log, kMaxBulkBytes));
  Statement& statement = statements.get(
      "INSERT INTO artefact (run_id, name, data_bytes, data_zstd) "
      "VALUES (?1, 'raw_log', ?2, ?3)");
  insert(statement, run, static_cast<std::int64_t>(log.size()), Blob{frame});
  return {};
}

Status insert_bulk(Statements& statements, std::int64_t run, const RunRecord& record) {
  SCHEDLAB_RETURN_IF_ERROR(insert_histograms(statements, run, record.output.histograms));
  SCHEDLAB_RETURN_IF_ERROR(insert_series(statements, run, record.output.series));
  return insert_raw_log(statements, run, record.raw_log);
}

Result<std::int64_t> insert_run(Statements& statements, const RunRecord& run) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t machine, machine_of(statements, run));
  const std::int64_t id =
      insert_run_row(statements, run, boot_id(statements, machine, run.boot_id));
  insert_texts(
      statements.get("INSERT INTO run_argument (run_id, position, argument) VALUES (?1, ?2, ?3)"),
      id,
      run.arguments);
  insert_texts(statements.get("INSERT INTO run_note (run_id, position, note) VALUES (?1, ?2, ?3)"),
               id,
               run.output.notes);
  insert_metrics(statements, id, run.output.metrics);
  insert_counters(statements, id, run.output.counters);
  if (const Status bulk = insert_bulk(statements, id, run); !bulk) {
    return bulk.error().within("cannot store run");
  }
  return id;
}

/// Errors when the stored text cannot be opened or is another one.
Status same_text(const Cursor& row, const std::string& hash, const std::string& text) {
  const auto stored = Columns(row).blob(kMaxBulkBytes);
  if (!stored) return stored.error().within("environment '" + printable(hash) + "'");
  if (*stored == text) return {};
  return failed(
      fmt::format("cannot store environment: '{}' already names another text", printable(hash)));
}

}  // namespace

Result<std::int64_t> write_experiment(Database& database, const Experiment& experiment) {
  SCHEDLAB_RETURN_IF_ERROR(acceptable(experiment));
  Transaction transaction(database, TransactionBehavior::IMMEDIATE);
  Statements statements(database);
  const std::int64_t machine = machine_id(statements, experiment.machine);
  const StoppingRule& stopping = experiment.stopping;
  insert(statements.get("INSERT INTO experiment (machine_id, kind, tool_version, seed, run_order, "
                        "blocks_planned, start_wall_ns, stop_when, stop_half_width, stop_looks, "
                        "stop_spending, stop_delta, stop_futility, max_time_ns) "
                        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"),
         machine,
         to_string(experiment.kind),
         experiment.tool_version,
         static_cast<std::int64_t>(experiment.seed),
         experiment.order,
         std::int64_t{experiment.blocks_planned},
         experiment.start_wall,
         to_string(stopping.when),
         stopping.half_width,
         std::int64_t{stopping.looks},
         to_string(stopping.spending),
         stopping.delta,
         std::int64_t{stopping.futility ? 1 : 0},
         stopping.max_time);
  const std::int64_t id = statements.last_id();
  insert_texts(statements.get("INSERT INTO experiment_argument (experiment_id, position, argument) "
                              "VALUES (?1, ?2, ?3)"),
               id,
               experiment.command);
  insert_texts(statements.get("INSERT INTO experiment_case (experiment_id, position, case_name) "
                              "VALUES (?1, ?2, ?3)"),
               id,
               experiment.cases);
  Statement& arms = statements.get(
      "INSERT INTO arm (experiment_id, position, name, spec) VALUES (?1, ?2, ?3, ?4)");
  std::int64_t position = 0;
  for (const Arm& arm : experiment.arms)
    insert(arms, id, position++, arm.name, arm.spec);
  transaction.commit();
  return id;
}

Result<std::vector<std::int64_t>> write_runs(Database& database, std::span<const RunRecord> runs) {
  Transaction transaction(database, TransactionBehavior::IMMEDIATE);
  Statements statements(database);
  std::vector<std::int64_t> ids;
  ids.reserve(runs.size());
  for (const RunRecord& run : runs) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t id, insert_run(statements, run));
    ids.push_back(id);
  }
  transaction.commit();
  return ids;
}

Status write_environment(Database& database, const std::string& hash, const std::string& text) {
  if (hash.empty()) return failed("cannot store environment: its hash is empty");
  Transaction transaction(database, TransactionBehavior::IMMEDIATE);
  Cursor stored(database, "SELECT text_bytes, text_zstd FROM environment WHERE hash = ?1");
  stored.bind(1, hash);
  if (stored.step()) return same_text(stored, hash, text);
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string frame, compress(text, kMaxBulkBytes));
  Statement statement(database,
                      "INSERT INTO environment (hash, text_bytes, text_zstd) VALUES (?1, ?2, ?3)");
  insert(statement, hash, static_cast<std::int64_t>(text.size()), Blob{frame});
  transaction.commit();
  return {};
}

Status write_mark(Database& database,
                  std::int64_t run,
                  const std::string& reason,
                  std::int64_t wall_ns) {
  Transaction transaction(database, TransactionBehavior::IMMEDIATE);
  Statements statements(database);
  if (!find_id(statements, "SELECT 1 FROM run WHERE id = ?1", run)) {
    return failed(fmt::format("cannot mark run {}: it is not in the database", run));
  }
  Statement statement(database,
                      "INSERT INTO run_mark (run_id, reason, wall_ns) VALUES (?1, ?2, ?3)");
  insert(statement, run, reason, wall_ns);
  transaction.commit();
  return {};
}

}  // namespace schedlab::store
