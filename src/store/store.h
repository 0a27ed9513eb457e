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
#include <string>
#include <vector>

#include "core/experiment.h"
#include "core/result.h"
#include "core/run_record.h"

namespace schedlab::store {

/// How much of each run a reader wants; histograms and series are most of the bytes.
enum class Detail { Figures, Everything };

struct RunMark {
  RunId run;
  std::string reason;  // why the run is not to be trusted
  Nanos wall{0};
};

/// One thing `db check` found; empty list = sound.
using Finding = std::string;

class Store {
 public:
  /// Opens for writing; creates and migrates. Errors: not a database, another application's, a
  /// newer version, no permission, full disk, locked by another writer for longer than 5 s.
  static Result<Store> open(const std::string& path);

  /// Opens what is there, never writes. Errors: as above, and absent.
  static Result<Store> open_read_only(const std::string& path);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  Result<ExperimentId> add_experiment(const Experiment& experiment);

  /// Stores one finished run whole or not at all; durable on return.
  Result<RunId> add_run(const RunRecord& run);

  /// Content-addressed; storing the same twice is no error. `hash` names `text` in
  /// RunRecord::environment_*.
  Status add_environment(const std::string& hash, const std::string& text);

  Status add_mark(const RunMark& mark);

  [[nodiscard]] Result<std::vector<Experiment>> experiments() const;
  [[nodiscard]] Result<Experiment> experiment(ExperimentId id) const;
  /// The newest experiment. Errors: there is none.
  [[nodiscard]] Result<Experiment> latest_experiment() const;

  /// Runs of one experiment in the order they were made.
  [[nodiscard]] Result<std::vector<RunRecord>> runs(ExperimentId id, Detail detail) const;
  [[nodiscard]] Result<RunRecord> run(RunId id) const;
  [[nodiscard]] Result<std::vector<RunMark>> marks(ExperimentId id) const;
  [[nodiscard]] Result<std::string> environment(const std::string& hash) const;

  /// SQLite's own integrity check, foreign keys, and our invariants (every run has its metrics,
  /// blobs decode, environments named by runs are there).
  [[nodiscard]] Result<std::vector<Finding>> check() const;

  /// One JSON object a line, experiments first, then their runs; `line` gets each without the
  /// newline and may stop the export by returning an error.
  Status export_json_lines(const std::function<Status(const std::string&)>& line) const;
  /// One row per run and metric, with a header line.
  Status export_csv(const std::function<Status(const std::string&)>& line) const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace schedlab::store
