// Writer: whole records into their tables. Each function is one transaction: all of it is
// durable on return, or none of it is there. They throw SQLite::Exception; call under guarded().
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/experiment.h"
#include "core/result.h"
#include "core/run_record.h"

namespace schedlab::store {

/// Errors: no arm, an arm or a case named twice.
Result<std::int64_t> write_experiment(SQLite::Database& database, const Experiment& experiment);

/// Their ids, in order. Errors: an experiment is not there or does not have its run's arm or case;
/// a value too large.
Result<std::vector<std::int64_t>> write_runs(SQLite::Database& database,
                                             std::span<const RunRecord> runs);

/// Errors: empty hash, another text under the same hash.
Status write_environment(SQLite::Database& database,
                         const std::string& hash,
                         const std::string& text);

/// Errors: the run is not there.
Status write_mark(SQLite::Database& database,
                  std::int64_t run,
                  const std::string& reason,
                  std::int64_t wall_ns);

}  // namespace schedlab::store
