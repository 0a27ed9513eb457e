// Reader: rows back into records. Everything is read by a handful of ordered queries, one per
// table, that are walked side by side: never one query per run, and never more than one run in
// memory here. They throw SQLite::Exception; call under guarded().
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment.h"
#include "core/result.h"
#include "core/run_record.h"
#include "store/cursor.h"
#include "store/database.h"
#include "store/run_rows.h"
#include "store/store.h"

namespace schedlab::store {

/// The rows of a table of parts ("metric"), in order of owner and position, taken owner by owner.
/// The query's first column is the owner.
class Parts {
 public:
  Parts(SQLite::Database& database,
        const std::string& query,
        std::initializer_list<std::int64_t> keys);

  /// Calls `read(cursor)`, a Status, for each row of `owner`; owners must come ascending.
  template <typename Read>
  Status take(std::int64_t owner, const Read& read) {
    while (live_ && owner_ < owner)
      step();
    while (live_ && owner_ == owner) {
      SCHEDLAB_RETURN_IF_ERROR(read(cursor_));
      step();
    }
    return {};
  }

 private:
  void step() {
    live_ = cursor_.step();
    if (live_) owner_ = cursor_.integer(0);
  }

  Cursor cursor_;
  bool live_ = false;
  std::int64_t owner_ = 0;
};

using UseRun = std::function<Status(RunRecord&&)>;
using UseError = std::function<Status(Error)>;

/// Calls `use` for each selected run in the order they were made, or `unreadable` with an error
/// that names the run. Errors: of `use` and `unreadable`, which stop the walk.
Status for_each_run(SQLite::Database& database,
                    Selection selection,
                    Detail detail,
                    const UseRun& use,
                    const UseError& unreadable);

/// All, or the one with `id`; by id.
Result<std::vector<Experiment>> read_experiments(SQLite::Database& database,
                                                 std::optional<std::int64_t> id);

std::vector<RunMark> read_marks(SQLite::Database& database, std::int64_t experiment);

/// Calls `use(hash, text)` for each environment, or that one of `hash`. An error of a text that
/// cannot be opened goes to `use` as its second argument.
Status for_each_environment(
    SQLite::Database& database,
    const std::optional<std::string>& hash,
    const std::function<Status(const std::string& hash, Result<std::string> text)>& use);

}  // namespace schedlab::store
