// Store: the SQLite file that holds every experiment, run and figure. The only place that knows
// SQL.
//
// One transaction per finished run, WAL with synchronous=FULL: after a crash at any instant every
// run that was reported as stored is there and the file opens. Nothing is updated after it is
// written; what must be said later about a run is a new row (run_mark). Schema and its versions:
// docs/store-schema.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/experiment.h"
#include "core/result.h"
#include "core/run_record.h"

namespace schedlab::store {

/// How much of each run a reader wants; histograms and series are most of the bytes.
enum class Detail {
  Verdict,  // what a verdict rests on: Figures without arguments, counters, and metrics other
            // than those that are primary in some run
  Figures,  // all but histograms, series and raw_log
  Everything,
};

struct RunMark {
  RunId run;
  std::string reason;  // why the run is not to be trusted
  Nanos wall{0};
};

/// One thing `db check` found, a sentence; empty list = sound.
using Finding = std::string;

struct RunCounts {
  std::int64_t ok = 0;
  std::int64_t failed = 0;  // every other outcome

  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

/// How long an operation waits for another process that holds the database before it fails.
inline constexpr Nanos kBusyTimeout = std::chrono::seconds(5);

/// One thread at a time. Several processes may have the same file open; one of them writes at any
/// instant, readers see whole runs only and never wait. Not to be used in a forked child.
class Store {
 public:
  /// Opens for writing; creates and migrates. Errors: not a database, another application's, a
  /// newer version, no permission, full disk, locked by another writer for longer than
  /// `busy_timeout`. A file that is refused is left as it was.
  static Result<Store> open(const std::string& path, Nanos busy_timeout = kBusyTimeout);

  /// Opens what is there, never writes (SQLite may leave a -shm and an empty -wal beside it).
  /// Errors: as above, and absent, of an older version, or in a directory that cannot be written
  /// while a -wal holds unmerged runs.
  static Result<Store> open_read_only(const std::string& path, Nanos busy_timeout = kBusyTimeout);

  /// Whether the file holds nothing yet, not even tables: what is left when a writer is killed
  /// while it makes the database. Nothing is lost then; open() goes on with it and open_read_only()
  /// refuses. Errors: the file is missing or unreadable; it is not ours.
  static Result<bool> is_blank(const std::string& path, Nanos busy_timeout = kBusyTimeout);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// `experiment.id` is ignored; a new one is given. Errors: no arm, an arm or case named twice.
  Result<ExperimentId> add_experiment(const Experiment& experiment);

  /// Stores one finished run whole or not at all; durable on return. `run.id` is ignored. Errors:
  /// the experiment, its arm or its case is not there; disk full (the store stays usable: free
  /// space and call again); one log, series or histogram too large (256 MiB; 1 MiB).
  Result<RunId> add_run(const RunRecord& run);

  /// Stores many finished runs at once, all of them or none, as an import does; much faster than
  /// one by one, and no run is safe before all are. Their ids, in order. Errors: as add_run().
  Result<std::vector<RunId>> add_runs(std::span<const RunRecord> runs);

  /// Content-addressed; storing the same twice is no error. `hash` names `text` in
  /// RunRecord::environment_*. Errors: empty hash, another text under the same hash.
  Status add_environment(const std::string& hash, const std::string& text);

  /// Errors: no such run.
  Status add_mark(const RunMark& mark);

  /// By id, which is the order in which they were added.
  [[nodiscard]] Result<std::vector<Experiment>> experiments() const;
  /// Errors: not there, and what would list those that are.
  [[nodiscard]] Result<Experiment> experiment(ExperimentId id) const;
  /// The newest experiment. Errors: there is none.
  [[nodiscard]] Result<Experiment> latest_experiment() const;

  /// Runs of one experiment in the order they were made; what `detail` leaves out is empty. Errors:
  /// no such experiment; a run whose rows or blobs are damaged.
  [[nodiscard]] Result<std::vector<RunRecord>> runs(ExperimentId id, Detail detail) const;
  [[nodiscard]] Result<RunCounts> count_runs(ExperimentId id) const;
  [[nodiscard]] Result<RunRecord> run(RunId id) const;
  [[nodiscard]] Result<std::vector<RunMark>> marks(ExperimentId id) const;
  [[nodiscard]] Result<std::string> environment(const std::string& hash) const;

  /// SQLite's own integrity check, foreign keys, the schema, and our invariants (every ok run has
  /// its metrics, blobs decode, environments named by runs are there, no two ok runs in one place;
  /// docs/store-schema.md has them all). Damage is a finding; an error is what stopped the check.
  [[nodiscard]] Result<std::vector<Finding>> check() const;

  /// One JSON object a line, experiments first, then environments, runs and marks; `line` gets each
  /// without the newline and may stop the export by returning an error. Holds everything, one run
  /// in memory at a time; the keys are in docs/store-schema.md.
  Status export_json_lines(const std::function<Status(const std::string&)>& line) const;
  /// One row per run and metric or counter, with a header line; RFC 4180 quoting, without the line
  /// end. A run without either has one row. Histograms, series, notes and logs are left out.
  Status export_csv(const std::function<Status(const std::string&)>& line) const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace schedlab::store
