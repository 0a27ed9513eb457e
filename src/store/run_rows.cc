#include "store/run_rows.h"

#include <fmt/format.h>

#include "store/rows.h"

namespace schedlab::store {

using SQLite::Database;

namespace {

std::string runs_query(const Walk& walk) {
  // The unary plus keeps SQLite off the index.
  return fmt::format(
      "SELECT r.id, r.experiment_id, r.block, r.position, r.arm, r.case_name, r.boot_id, r.kind, "
      "r.outcome, r.exit_code, r.exit_signal, r.failure, r.start_monotonic_ns, "
      "r.end_monotonic_ns, r.start_wall_ns, r.end_wall_ns, r.environment_before, "
      "r.environment_after, r.noise_foreign_cpu_ns, r.noise_steal_ns, r.noise_throttle_events, "
      "r.noise_interrupts, r.canary_ns, r.workload, r.workload_version, r.mode, "
      "r.build FROM run r "
      "WHERE {} ORDER BY r.id",
      walk.by_range ? "r.id BETWEEN ?1 AND ?2 AND (?3 = 0 OR +r.experiment_id = ?3)"
                    : "r.experiment_id = ?3");
}

}  // namespace

RunExtent extent_of_runs(Database& database, std::int64_t experiment) {
  Cursor query(database,
               "SELECT coalesce((SELECT min(id) FROM run WHERE experiment_id = ?1), 0), "
               "coalesce((SELECT max(id) FROM run WHERE experiment_id = ?1), 0), "
               "(SELECT count(*) FROM run WHERE experiment_id = ?1)",
               {experiment});
  query.step();
  return {query.integer(0), query.integer(1), query.integer(2)};
}

Walk plan_walk(Database& database, Selection selection) {
  constexpr std::int64_t kWorthSkipping = 4;  // rows passed over for one that is used
  if (selection.by == Selection::By::Run) return {true, 0, selection.id, selection.id};
  if (selection.by == Selection::By::Everything) return {true, 0, INT64_MIN, INT64_MAX};
  const RunExtent extent = extent_of_runs(database, selection.id);
  Walk walk = {true, selection.id, extent.low, extent.high};
  walk.by_range = extent.high - extent.low < kWorthSkipping * extent.count;
  return walk;
}

/// Both ways the rows come sorted without a sort: a range by primary key; through the index CROSS
/// JOIN fixes the loop order, runs by index, then their parts by primary key.
std::string parts_query(std::string_view columns,
                        std::string_view table,
                        const Walk& walk,
                        std::string_view also) {
  const std::string_view order = table == "artefact" ? "p.name" : "p.position";
  if (walk.by_range) {
    return fmt::format(
        "SELECT p.run_id, {} FROM {} p WHERE p.run_id BETWEEN ?1 AND ?2 {} ORDER BY p.run_id, {}",
        columns,
        table,
        also,
        order);
  }
  return fmt::format(
      "SELECT p.run_id, {} FROM run r CROSS JOIN {} p ON p.run_id = r.id "
      "WHERE r.experiment_id = ?3 {} ORDER BY r.id, {}",
      columns,
      table,
      also,
      order);
}

RunRows::RunRows(Database& database, const Walk& walk)
    : cursor_(database, runs_query(walk), {walk.low, walk.high, walk.experiment}),
      boots_(database) {}

Status RunRows::read(RunRecord& run) {
  Columns column(cursor_);
  run.id = RunId{column.integer()};
  run.experiment = ExperimentId{column.integer()};
  run.block = column.integer32();
  run.position = column.integer32();
  run.arm = column.view();
  run.case_name = column.view();
  run.boot_id = boots_.name(column.integer());
  SCHEDLAB_ASSIGN_OR_RETURN(run.kind, kind_.value(column.view()));
  SCHEDLAB_ASSIGN_OR_RETURN(run.outcome, outcome_.value(column.view()));
  run.exit_code = column.integer32();
  run.exit_signal = column.integer32();
  run.failure = column.view();
  run.start_monotonic = column.nanos();
  run.end_monotonic = column.nanos();
  run.start_wall = column.nanos();
  run.end_wall = column.nanos();
  run.environment_before = column.view();
  run.environment_after = column.view();
  run.noise.foreign_cpu = column.optional_nanos();
  run.noise.steal = column.optional_nanos();
  run.noise.throttle_events = column.optional_integer();
  run.noise.interrupts = column.optional_integer();
  run.canary = column.optional_nanos();
  run.output.workload = column.view();
  run.output.workload_version = column.view();
  run.output.mode = column.view();
  run.build = column.view();
  return {};
}

}  // namespace schedlab::store
