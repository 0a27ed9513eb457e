#include "store/writer.h"

#include <fmt/format.h>

#include <algorithm>
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

/// The first column of the first row, if there is a row.
template <typename... Keys>
std::optional<std::int64_t> find_id(Database& database, const char* sql, const Keys&... keys) {
  Statement query(database, sql);
  bind_all(query, keys...);
  if (!query.executeStep()) return std::nullopt;
  return query.getColumn(0).getInt64();
}

/// The id of the row with these values, which is added when there is none.
template <typename... Keys>
std::int64_t find_or_add(Database& database,
                         const char* find,
                         const char* add,
                         const Keys&... keys) {
  if (const auto id = find_id(database, find, keys...)) return *id;
  Statement statement(database, add);
  insert(statement, keys...);
  return database.getLastInsertRowid();
}

std::int64_t machine_id(Database& database, const Machine& machine) {
  return find_or_add(database,
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
std::optional<std::int64_t> boot_id(Database& database,
                                    std::int64_t machine,
                                    const std::string& boot) {
  if (boot.empty()) return std::nullopt;
  return find_or_add(database,
                     "SELECT id FROM boot WHERE machine_id = ?1 AND kernel_boot_id = ?2",
                     "INSERT INTO boot (machine_id, kernel_boot_id) VALUES (?1, ?2)",
                     machine,
                     boot);
}

std::int64_t definition_id(Database& database, const Metric& metric) {
  return find_or_add(database,
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
void insert_texts(Database& database,
                  const char* sql,
                  std::int64_t owner,
                  const std::vector<std::string>& texts) {
  Statement statement(database, sql);
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
Result<std::int64_t> machine_of(Database& database, const RunRecord& run) {
  const std::int64_t experiment = run.experiment.value;
  const auto machine =
      find_id(database, "SELECT machine_id FROM experiment WHERE id = ?1", experiment);
  if (!machine) {
    return failed(
        fmt::format("cannot store run: experiment {} is not in the database", experiment));
  }
  if (!find_id(database,
               "SELECT 1 FROM arm WHERE experiment_id = ?1 AND name = ?2",
               experiment,
               run.arm)) {
    return failed(fmt::format(
        "cannot store run: experiment {} has no arm '{}'", experiment, printable(run.arm)));
  }
  if (!find_id(database,
               "SELECT 1 FROM experiment_case WHERE experiment_id = ?1 AND case_name = ?2",
               experiment,
               run.case_name)) {
    return failed(fmt::format(
        "cannot store run: experiment {} has no case '{}'", experiment, printable(run.case_name)));
  }
  return *machine;
}

std::int64_t insert_run_row(Database& database,
                            const RunRecord& run,
                            std::optional<std::int64_t> boot) {
  Statement statement(
      database,
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
  return database.getLastInsertRowid();
}

void insert_metrics(Database& database, std::int64_t run, const std::vector<Metric>& metrics) {
  Statement statement(database,
                      "INSERT INTO metric (run_id, position, definition_id, value, resolution) "
                      "VALUES (?1, ?2, ?3, ?4, ?5)");
  std::int64_t position = 0;
  for (const Metric& metric : metrics) {
    const std::int64_t definition = definition_id(database, metric);
    insert(statement, run, position++, definition, metric.value, metric.resolution);
  }
}

void insert_counters(Database& database, std::int64_t run, const std::vector<Counter>& counters) {
  Statement statement(
      database, "INSERT INTO counter (run_id, position, name, value) VALUES (?1, ?2, ?3, ?4)");
  std::int64_t position = 0;
  for (const Counter& counter : counters)
    insert(statement, run, position++, counter.name, counter.value);
}

Status insert_histograms(Database& database,
                         std::int64_t run,
                         const std::vector<NamedHistogram>& histograms) {
  Statement statement(database,
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

Status insert_series(Database& database, std::int64_t run, const std::vector<Series>& series) {
  Statement statement(
      database,
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

Status insert_raw_log(Database& database, std::int64_t run, const std::string& log) {
  if (log.empty()) return {};
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string frame, compress(log, kMaxBulkBytes));
  Statement statement(database,
                      "INSERT INTO artefact (run_id, name, data_bytes, data_zstd) "
                      "VALUES (?1, 'raw_log', ?2, ?3)");
  insert(statement, run, static_cast<std::int64_t>(log.size()), Blob{frame});
  return {};
}

Status insert_bulk(Database& database, std::int64_t run, const RunRecord& record) {
  SCHEDLAB_RETURN_IF_ERROR(insert_histograms(database, run, record.output.histograms));
  SCHEDLAB_RETURN_IF_ERROR(insert_series(database, run, record.output.series));
  return insert_raw_log(database, run, record.raw_log);
}

/// Errors when the stored text cannot be opened or is another one.
Status same_text(Statement& row, const std::string& hash, const std::string& text) {
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
  const std::int64_t machine = machine_id(database, experiment.machine);
  Statement statement(database,
                      "INSERT INTO experiment (machine_id, kind, tool_version, seed, run_order, "
                      "blocks_planned, start_wall_ns, stop_when, stop_half_width, stop_looks, "
                      "stop_spending, stop_delta, stop_futility, max_time_ns) "
                      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)");
  const StoppingRule& stopping = experiment.stopping;
  insert(statement,
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
  const std::int64_t id = database.getLastInsertRowid();
  insert_texts(database,
               "INSERT INTO experiment_argument (experiment_id, position, argument) "
               "VALUES (?1, ?2, ?3)",
               id,
               experiment.command);
  insert_texts(database,
               "INSERT INTO experiment_case (experiment_id, position, case_name) "
               "VALUES (?1, ?2, ?3)",
               id,
               experiment.cases);
  Statement arms(database,
                 "INSERT INTO arm (experiment_id, position, name, spec) VALUES (?1, ?2, ?3, ?4)");
  std::int64_t position = 0;
  for (const Arm& arm : experiment.arms)
    insert(arms, id, position++, arm.name, arm.spec);
  transaction.commit();
  return id;
}

Result<std::int64_t> write_run(Database& database, const RunRecord& run) {
  Transaction transaction(database, TransactionBehavior::IMMEDIATE);
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t machine, machine_of(database, run));
  const std::int64_t id = insert_run_row(database, run, boot_id(database, machine, run.boot_id));
  insert_texts(database,
               "INSERT INTO run_argument (run_id, position, argument) VALUES (?1, ?2, ?3)",
               id,
               run.arguments);
  insert_texts(database,
               "INSERT INTO run_note (run_id, position, note) VALUES (?1, ?2, ?3)",
               id,
               run.output.notes);
  insert_metrics(database, id, run.output.metrics);
  insert_counters(database, id, run.output.counters);
  if (const Status bulk = insert_bulk(database, id, run); !bulk) {
    return bulk.error().within("cannot store run");
  }
  transaction.commit();
  return id;
}

Status write_environment(Database& database, const std::string& hash, const std::string& text) {
  if (hash.empty()) return failed("cannot store environment: its hash is empty");
  Transaction transaction(database, TransactionBehavior::IMMEDIATE);
  Statement stored(database, "SELECT text_bytes, text_zstd FROM environment WHERE hash = ?1");
  bind_all(stored, hash);
  if (stored.executeStep()) return same_text(stored, hash, text);
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
  if (!find_id(database, "SELECT 1 FROM run WHERE id = ?1", run)) {
    return failed(fmt::format("cannot mark run {}: it is not in the database", run));
  }
  Statement statement(database,
                      "INSERT INTO run_mark (run_id, reason, wall_ns) VALUES (?1, ?2, ?3)");
  insert(statement, run, reason, wall_ns);
  transaction.commit();
  return {};
}

}  // namespace schedlab::store
