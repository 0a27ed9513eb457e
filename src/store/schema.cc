#include "store/schema.h"

#include <array>

namespace schedlab::store {

namespace {

constexpr const char* kVersion1 = R"sql(
CREATE TABLE machine (
  id INTEGER PRIMARY KEY,
  hostname TEXT NOT NULL,
  cpu_model TEXT NOT NULL,
  online_cpus INTEGER NOT NULL,
  kernel TEXT NOT NULL,
  UNIQUE (hostname, cpu_model, online_cpus, kernel)
) STRICT;

CREATE TABLE boot (
  id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine (id),
  kernel_boot_id TEXT NOT NULL,
  UNIQUE (machine_id, kernel_boot_id)
) STRICT;

CREATE TABLE environment (
  hash TEXT PRIMARY KEY NOT NULL,
  text_bytes INTEGER NOT NULL,
  text_zstd BLOB NOT NULL
) STRICT;

CREATE TABLE experiment (
  id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine (id),
  kind TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  seed INTEGER NOT NULL,
  run_order TEXT NOT NULL,
  blocks_planned INTEGER NOT NULL,
  start_wall_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE experiment_argument (
  experiment_id INTEGER NOT NULL REFERENCES experiment (id),
  position INTEGER NOT NULL,
  argument TEXT NOT NULL,
  PRIMARY KEY (experiment_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE experiment_case (
  experiment_id INTEGER NOT NULL REFERENCES experiment (id),
  position INTEGER NOT NULL,
  case_name TEXT NOT NULL,
  PRIMARY KEY (experiment_id, position),
  UNIQUE (experiment_id, case_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE arm (
  experiment_id INTEGER NOT NULL REFERENCES experiment (id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  spec TEXT NOT NULL,
  PRIMARY KEY (experiment_id, position),
  UNIQUE (experiment_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  experiment_id INTEGER NOT NULL REFERENCES experiment (id),
  block INTEGER NOT NULL,
  position INTEGER NOT NULL,
  arm TEXT NOT NULL,
  case_name TEXT NOT NULL,
  boot_id INTEGER REFERENCES boot (id),
  kind TEXT NOT NULL,
  outcome TEXT NOT NULL,
  exit_code INTEGER NOT NULL,
  exit_signal INTEGER NOT NULL,
  failure TEXT NOT NULL,
  start_monotonic_ns INTEGER NOT NULL,
  end_monotonic_ns INTEGER NOT NULL,
  start_wall_ns INTEGER NOT NULL,
  end_wall_ns INTEGER NOT NULL,
  environment_before TEXT NOT NULL,
  environment_after TEXT NOT NULL,
  noise_foreign_cpu_ns INTEGER,
  noise_steal_ns INTEGER,
  noise_throttle_events INTEGER,
  noise_interrupts INTEGER,
  canary_ns INTEGER,
  workload TEXT NOT NULL,
  workload_version TEXT NOT NULL,
  mode TEXT NOT NULL,
  FOREIGN KEY (experiment_id, arm) REFERENCES arm (experiment_id, name),
  FOREIGN KEY (experiment_id, case_name) REFERENCES experiment_case (experiment_id, case_name)
) STRICT;
CREATE INDEX run_by_experiment ON run (experiment_id);

CREATE TABLE run_argument (
  run_id INTEGER NOT NULL REFERENCES run (id),
  position INTEGER NOT NULL,
  argument TEXT NOT NULL,
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_note (
  run_id INTEGER NOT NULL REFERENCES run (id),
  position INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_mark (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run (id),
  reason TEXT NOT NULL,
  wall_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX run_mark_by_run ON run_mark (run_id);

CREATE TABLE metric_definition (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  direction TEXT NOT NULL,
  class TEXT NOT NULL,
  is_primary INTEGER NOT NULL,
  UNIQUE (name, unit, direction, class, is_primary)
) STRICT;

CREATE TABLE metric (
  run_id INTEGER NOT NULL REFERENCES run (id),
  position INTEGER NOT NULL,
  definition_id INTEGER NOT NULL REFERENCES metric_definition (id),
  value REAL,
  resolution REAL,
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (
  run_id INTEGER NOT NULL REFERENCES run (id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE histogram (
  run_id INTEGER NOT NULL REFERENCES run (id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  data_bytes INTEGER NOT NULL,
  data_zstd BLOB NOT NULL,
  UNIQUE (run_id, position)
) STRICT;

CREATE TABLE series (
  run_id INTEGER NOT NULL REFERENCES run (id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  interval_ns INTEGER NOT NULL,
  data_bytes INTEGER NOT NULL,
  data_zstd BLOB NOT NULL,
  UNIQUE (run_id, position)
) STRICT;

CREATE TABLE artefact (
  run_id INTEGER NOT NULL REFERENCES run (id),
  name TEXT NOT NULL,
  data_bytes INTEGER NOT NULL,
  data_zstd BLOB NOT NULL,
  UNIQUE (run_id, name)
) STRICT;

CREATE VIEW metric_value AS
  SELECT r.experiment_id, r.id AS run_id, r.block, r.position, r.arm, r.case_name, r.outcome,
         d.name, m.value, d.unit, d.direction, d.class, m.resolution, d.is_primary
  FROM run r JOIN metric m ON m.run_id = r.id JOIN metric_definition d ON d.id = m.definition_id;
)sql";

// Plans that may end before their last block. Those of version 1 never did.
constexpr const char* kVersion2 = R"sql(
ALTER TABLE experiment ADD COLUMN stop_when TEXT NOT NULL DEFAULT 'blocks';
ALTER TABLE experiment ADD COLUMN stop_half_width REAL NOT NULL DEFAULT 0;
ALTER TABLE experiment ADD COLUMN stop_looks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE experiment ADD COLUMN stop_spending TEXT NOT NULL DEFAULT 'lan-demets';
ALTER TABLE experiment ADD COLUMN stop_delta REAL;
ALTER TABLE experiment ADD COLUMN stop_futility INTEGER NOT NULL DEFAULT 1;
ALTER TABLE experiment ADD COLUMN max_time_ns INTEGER NOT NULL DEFAULT 0;
)sql";

// Which of an arm's builds a run was made with; runs from before are of the only one.
constexpr const char* kVersion3 = R"sql(
ALTER TABLE run ADD COLUMN build TEXT NOT NULL DEFAULT '';
)sql";

constexpr std::array<const char*, 3> kMigrations = {kVersion1, kVersion2, kVersion3};

}  // namespace

std::span<const char* const> migrations() {
  return kMigrations;
}

}  // namespace schedlab::store
