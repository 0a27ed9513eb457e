// Which runs a reader walks, in which order and by which way, and the rows of `run` themselves. The
// tables of their parts are walked beside them (store/reader.h). They throw SQLite::Exception.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/result.h"
#include "core/run_record.h"
#include "store/cursor.h"

namespace schedlab::store {

/// Which runs to read.
struct Selection {
  enum class By { Everything, Experiment, Run };
  By by = By::Everything;
  std::int64_t id = 0;  // of the experiment or run; 0 with Everything
};

/// Least and greatest id of an experiment's runs, and how many there are; zeros when there are
/// none.
struct RunExtent {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t count = 0;
};

RunExtent extent_of_runs(SQLite::Database& database, std::int64_t experiment);

/// The runs to walk and how: by their ids from `low` to `high`, skipping those of other
/// experiments, or, where these would be most of them, one by one through the index.
struct Walk {
  bool by_range = true;
  std::int64_t experiment = 0;  // 0: of every experiment
  std::int64_t low = 0;
  std::int64_t high = 0;
};

Walk plan_walk(SQLite::Database& database, Selection selection);

/// The rows of `table` (as `p`) that belong to the walk's runs, in order of run and position; its
/// keys are low, high and experiment. `also`: a further condition, "AND ...".
std::string parts_query(std::string_view columns,
                        std::string_view table,
                        const Walk& walk,
                        std::string_view also = "");

/// An enumeration's words, of which most rows have the one that the row before had.
template <typename Enum>
class Word {
 public:
  using Parse = Result<Enum> (*)(std::string_view);

  explicit Word(Parse parse) : parse_(parse) {}

  Result<Enum> value(std::string_view text) {
    if (known_ && text == text_) return value_;
    SCHEDLAB_ASSIGN_OR_RETURN(value_, parse_(text));
    text_ = text;
    known_ = true;
    return value_;
  }

 private:
  Parse parse_;
  bool known_ = false;
  std::string text_;
  Enum value_{};
};

/// What the kernel calls a boot, looked up once each.
class Boots {
 public:
  explicit Boots(SQLite::Database& database)
      : cursor_(database, "SELECT kernel_boot_id FROM boot WHERE id = ?1") {}

  /// Empty for 0, as which NULL reads.
  const std::string& name(std::int64_t id) {
    const auto [known, added] = names_.try_emplace(id);
    if (added && id != 0) {
      cursor_.restart(id);
      if (cursor_.step()) known->second = cursor_.text(0);
    }
    return known->second;
  }

 private:
  Cursor cursor_;
  std::unordered_map<std::int64_t, std::string> names_;
};

/// The rows of `run`, one after another.
class RunRows {
 public:
  RunRows(SQLite::Database& database, const Walk& walk);

  /// Goes to the next; false after the last.
  bool step() { return cursor_.step(); }

  /// All of the record that stands in the row itself. Errors: a word that no enumeration has.
  Status read(RunRecord& run);

 private:
  Cursor cursor_;
  Boots boots_;
  Word<RunKind> kind_{parse_run_kind};
  Word<Outcome> outcome_{parse_outcome};
};

}  // namespace schedlab::store
