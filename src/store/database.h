// Database: opening a SQLite file that must be ours, and SQLiteCpp's exceptions turned into one
// line for a person.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/duration.h"
#include "core/result.h"

namespace schedlab::store {

using DatabasePtr = std::unique_ptr<SQLite::Database>;

/// Opens for writing: creates, checks that it is ours, switches to WAL with synchronous=FULL,
/// migrates. A file of another application is left exactly as it was. `busy_timeout` is how long
/// to wait for another writer, here and later.
Result<DatabasePtr> open_for_writing(const std::string& path, Nanos busy_timeout);

/// Opens for reading; creates and changes nothing but SQLite's own -shm and an empty -wal beside
/// it. Where the directory cannot be written the file is read as it lies, which is refused while
/// a -wal holds runs that it would hide.
Result<DatabasePtr> open_for_reading(const std::string& path, Nanos busy_timeout);

/// See Store::is_blank.
Result<bool> is_blank(const std::string& path, Nanos busy_timeout);

/// Everything read while one lives comes from one state of the database, whatever others write.
/// They nest.
class Snapshot {
 public:
  explicit Snapshot(SQLite::Database& database);
  Snapshot(const Snapshot&) = delete;
  Snapshot(Snapshot&&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  Snapshot& operator=(Snapshot&&) = delete;
  ~Snapshot();

 private:
  SQLite::Database& database_;
};

/// "cannot DOING 'PATH': why; what would help".
Error explain(const SQLite::Exception& exception, std::string_view doing, const std::string& path);

/// Calls `work()`, a function that returns a Result or Status; an exception of SQLiteCpp becomes
/// its error.
template <typename Work>
auto guarded(std::string_view doing, const std::string& path, const Work& work)
    -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& exception) {
    return explain(exception, doing, path);
  }
}

}  // namespace schedlab::store
