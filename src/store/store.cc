#include "store/store.h"

#include <fmt/format.h>

#include <utility>

#include "core/text.h"
#include "store/database.h"
#include "store/export_text.h"
#include "store/reader.h"
#include "store/soundness.h"
#include "store/writer.h"

namespace schedlab::store {

struct Store::Impl {
  std::string path;
  DatabasePtr database;

  /// Every public function's way in: nothing thrown below gets past it.
  template <typename Work>
  [[nodiscard]] auto reading(const Work& work) const {
    return guarded("read database", path, work);
  }

  template <typename Work>
  [[nodiscard]] auto writing(const Work& work) const {
    return guarded("write to database", path, work);
  }
};

namespace {

Status stop_at(const Error& error) {
  return error;
}

Error no_experiment(ExperimentId id) {
  return failed(fmt::format(
      "there is no experiment {}; 'schedlab db list' shows those that are there", id.value));
}

Result<Experiment> find_experiment(SQLite::Database& database, ExperimentId id) {
  if (id.value == 0) return no_experiment(id);
  SCHEDLAB_ASSIGN_OR_RETURN(std::vector<Experiment> found, read_experiments(database, id.value));
  if (found.empty()) return no_experiment(id);
  return std::move(found.front());
}

using UseLine = std::function<Status(const std::string&)>;

Status write_json_environments(SQLite::Database& database, const UseLine& line) {
  return for_each_environment(
      database, std::nullopt, [&](const std::string& hash, const Result<std::string>& text) {
        if (!text) return Status(text.error().within("environment '" + printable(hash) + "'"));
        return line(json_environment_line(hash, *text));
      });
}

Status write_json_lines(SQLite::Database& database, const UseLine& line) {
  const Snapshot snapshot(database);
  SCHEDLAB_ASSIGN_OR_RETURN(const auto experiments, read_experiments(database, std::nullopt));
  for (const Experiment& experiment : experiments)
    SCHEDLAB_RETURN_IF_ERROR(line(json_line(experiment)));
  SCHEDLAB_RETURN_IF_ERROR(write_json_environments(database, line));
  const auto use = [&](const RunRecord& run) { return line(json_line(run)); };
  SCHEDLAB_RETURN_IF_ERROR(for_each_run(database, {}, Detail::Everything, use, stop_at));
  for (const Experiment& experiment : experiments) {
    for (const RunMark& mark : read_marks(database, experiment.id.value))
      SCHEDLAB_RETURN_IF_ERROR(line(json_line(mark)));
  }
  return {};
}

}  // namespace

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::string& path, Nanos busy_timeout) {
  SCHEDLAB_ASSIGN_OR_RETURN(DatabasePtr database, open_for_writing(path, busy_timeout));
  return Store(std::make_unique<Impl>(Impl{path, std::move(database)}));
}

Result<Store> Store::open_read_only(const std::string& path, Nanos busy_timeout) {
  SCHEDLAB_ASSIGN_OR_RETURN(DatabasePtr database, open_for_reading(path, busy_timeout));
  return Store(std::make_unique<Impl>(Impl{path, std::move(database)}));
}

Result<bool> Store::is_blank(const std::string& path, Nanos busy_timeout) {
  return store::is_blank(path, busy_timeout);
}

Result<ExperimentId> Store::add_experiment(const Experiment& experiment) {
  return impl_->writing([&]() -> Result<ExperimentId> {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t id,
                              write_experiment(*impl_->database, experiment));
    return ExperimentId{id};
  });
}

Result<RunId> Store::add_run(const RunRecord& run) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<RunId> ids, add_runs({&run, 1}));
  return ids.front();
}

Result<std::vector<RunId>> Store::add_runs(std::span<const RunRecord> runs) {
  return impl_->writing([&]() -> Result<std::vector<RunId>> {
    SCHEDLAB_ASSIGN_OR_RETURN(const auto ids, write_runs(*impl_->database, runs));
    std::vector<RunId> out;
    for (const std::int64_t id : ids)
      out.push_back(RunId{id});
    return out;
  });
}

Status Store::add_environment(const std::string& hash, const std::string& text) {
  return impl_->writing([&] { return write_environment(*impl_->database, hash, text); });
}

Status Store::add_mark(const RunMark& mark) {
  return impl_->writing(
      [&] { return write_mark(*impl_->database, mark.run.value, mark.reason, mark.wall.count()); });
}

Result<std::vector<Experiment>> Store::experiments() const {
  return impl_->reading([&] { return read_experiments(*impl_->database, std::nullopt); });
}

Result<Experiment> Store::experiment(ExperimentId id) const {
  return impl_->reading([&] { return find_experiment(*impl_->database, id); });
}

Result<Experiment> Store::latest_experiment() const {
  return impl_->reading([&]() -> Result<Experiment> {
    const Snapshot snapshot(*impl_->database);
    SQLite::Statement newest(*impl_->database, "SELECT max(id) FROM experiment");
    newest.executeStep();
    if (newest.getColumn(0).isNull()) {
      return failed(fmt::format("there is no experiment in '{}' yet; 'schedlab ab' makes one",
                                printable(impl_->path)));
    }
    return find_experiment(*impl_->database, ExperimentId{newest.getColumn(0).getInt64()});
  });
}

Result<std::vector<RunRecord>> Store::runs(ExperimentId id, Detail detail) const {
  return impl_->reading([&]() -> Result<std::vector<RunRecord>> {
    const Snapshot snapshot(*impl_->database);
    SCHEDLAB_RETURN_IF_ERROR(find_experiment(*impl_->database, id));
    std::vector<RunRecord> runs;
    runs.reserve(static_cast<std::size_t>(extent_of_runs(*impl_->database, id.value).count));
    const auto keep = [&](RunRecord&& run) -> Status {
      runs.push_back(std::move(run));
      return {};
    };
    const Selection selection{Selection::By::Experiment, id.value};
    SCHEDLAB_RETURN_IF_ERROR(for_each_run(*impl_->database, selection, detail, keep, stop_at));
    return runs;
  });
}

Result<RunCounts> Store::count_runs(ExperimentId id) const {
  return impl_->reading([&]() -> Result<RunCounts> {
    SQLite::Statement query(*impl_->database,
                            "SELECT count(*), coalesce(sum(outcome = 'ok'), 0) FROM run "
                            "WHERE experiment_id = ?1");
    query.bind(1, id.value);
    query.executeStep();
    const std::int64_t all = query.getColumn(0).getInt64();
    const std::int64_t ok = query.getColumn(1).getInt64();
    return RunCounts{ok, all - ok};
  });
}

Result<RunRecord> Store::run(RunId id) const {
  return impl_->reading([&]() -> Result<RunRecord> {
    std::optional<RunRecord> found;
    const auto keep = [&](RunRecord&& run) -> Status {
      found = std::move(run);
      return {};
    };
    SCHEDLAB_RETURN_IF_ERROR(for_each_run(
        *impl_->database, {Selection::By::Run, id.value}, Detail::Everything, keep, stop_at));
    if (!found) return failed(fmt::format("there is no run {}", id.value));
    return std::move(*found);
  });
}

Result<std::vector<RunMark>> Store::marks(ExperimentId id) const {
  return impl_->reading(
      [&]() -> Result<std::vector<RunMark>> { return read_marks(*impl_->database, id.value); });
}

Result<std::string> Store::environment(const std::string& hash) const {
  return impl_->reading([&]() -> Result<std::string> {
    Result<std::string> found =
        failed(fmt::format("there is no environment '{}'", printable(hash)));
    SCHEDLAB_RETURN_IF_ERROR(for_each_environment(
        *impl_->database, hash, [&](const std::string& /*hash*/, Result<std::string> text) {
          found = std::move(text);
          return Status();
        }));
    if (!found) return found.error().within("environment '" + printable(hash) + "'");
    return found;
  });
}

Result<std::vector<Finding>> Store::check() const {
  return impl_->reading(
      [&]() -> Result<std::vector<Finding>> { return find_faults(*impl_->database); });
}

Status Store::export_json_lines(const std::function<Status(const std::string&)>& line) const {
  return impl_->reading([&] { return write_json_lines(*impl_->database, line); });
}

Status Store::export_csv(const std::function<Status(const std::string&)>& line) const {
  return impl_->reading([&]() -> Status {
    SCHEDLAB_RETURN_IF_ERROR(line(csv_head()));
    return for_each_run(
        *impl_->database,
        {},
        Detail::Figures,
        [&](const RunRecord& run) -> Status {
          for (const std::string& text : csv_lines(run))
            SCHEDLAB_RETURN_IF_ERROR(line(text));
          return {};
        },
        stop_at);
  });
}

}  // namespace schedlab::store
