#include "store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>  // euidaccess: says "no permission" before SQLite says "unable to open"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "core/text.h"
#include "store/schema.h"

namespace schedlab::store {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kRetryPause(5);

Error cannot_open(const std::string& path, std::string_view why) {
  return failed(fmt::format("cannot open database '{}': {}", printable(path), why));
}

fs::path parent_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

/// The name that SQLite is given: "./x" for "x", so that ":memory:" and "file:..." are files.
std::string file_name(const std::string& path) {
  return path.front() == '/' ? path : "./" + path;
}

/// As `file_name`, as a URI that reads the file without locks, -wal and -shm.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : file_name(path)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= 'a' && byte <= 'z') ||
                       std::string_view("/-_.~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri + "?immutable=1";
}

/// What can be said of a path before SQLite sees it; SQLite itself would say "unable to open
/// database file" to all of these, or wait for ever (a FIFO). Tells whether the file exists.
Result<bool> exists_as_file(const std::string& path) {
  if (path.empty()) return failed("cannot open database: its path is empty; give one with --db");
  if (path.find('\0') != std::string::npos) return cannot_open(path, "its path holds a zero byte");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none) return cannot_open(path, error.message());
  if (fs::is_directory(status)) {
    return cannot_open(path, "it is a directory; name a file in it, such as schedlab.db");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return cannot_open(path, "it is not a regular file");
  }
  return fs::exists(status);
}

/// Errors: the directory is missing, or it or the file cannot be written. Asks the kernel without
/// opening the file: closing it would drop the locks that this process holds on it by SQLite.
Status writable(const std::string& path, bool exists) {
  const fs::path directory = parent_of(path);
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return cannot_open(path,
                       fmt::format("directory '{}' does not exist; create it first",
                                   printable(directory.string())));
  }
  if (exists && ::euidaccess(path.c_str(), R_OK | W_OK) != 0) {
    return cannot_open(path,
                       fmt::format("{}; it must be readable and writable",
                                   std::generic_category().message(errno)));
  }
  if (::euidaccess(directory.c_str(), W_OK | X_OK) != 0) {
    return cannot_open(path,
                       fmt::format("{}; its directory must be writable too",
                                   std::generic_category().message(errno)));
  }
  return {};
}

std::int64_t pragma(SQLite::Database& database, const std::string& name) {
  SQLite::Statement query(database, "PRAGMA " + name);
  return query.executeStep() ? query.getColumn(0).getInt64() : 0;
}

enum class Content { Ours, Nothing };

/// Errors: another application's, or a version that this program does not know. Looks at one state
/// of the file: another process may be creating the schema just now.
Result<Content> identify(SQLite::Database& database, const std::string& path) {
  const Snapshot snapshot(database);
  const std::int64_t application = pragma(database, "application_id");
  const std::int64_t version = pragma(database, "user_version");
  if (application == kApplicationId) {
    if (version <= schema_version()) return Content::Ours;
    return cannot_open(path,
                       fmt::format("it has schema version {} and this schedlab knows up to {}; use "
                                   "the newer schedlab that wrote it",
                                   version,
                                   schema_version()));
  }
  SQLite::Statement tables(database, "SELECT count(*) FROM sqlite_schema");
  tables.executeStep();
  if (application == 0 && version == 0 && tables.getColumn(0).getInt64() == 0) {
    return Content::Nothing;
  }
  return cannot_open(path,
                     "it is another application's SQLite database; name another file with --db");
}

Status use_write_ahead_log(SQLite::Database& database, const std::string& path) {
  SQLite::Statement query(database, "PRAGMA journal_mode=WAL");
  if (query.executeStep() && query.getColumn(0).getString() == "wal") return {};
  return cannot_open(path,
                     "its file system cannot hold a write-ahead log (shared memory is needed); "
                     "put it on a local disk");
}

/// Brings an empty or older database to the present version. Two programs may do so at once: the
/// second finds the work done.
Status migrate(SQLite::Database& database, const std::string& path) {
  if (pragma(database, "user_version") == schema_version()) return {};
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  SCHEDLAB_RETURN_IF_ERROR(identify(database, path));
  const std::int64_t version = std::max<std::int64_t>(pragma(database, "user_version"), 0);
  for (const char* step : migrations().subspan(static_cast<std::size_t>(version)))
    database.exec(step);
  database.exec(fmt::format(
      "PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, schema_version()));
  transaction.commit();
  return {};
}

int milliseconds(Nanos duration) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

/// What a writer sets on each connection; of these only WAL lasts in the file.
Status prepare_for_writing(SQLite::Database& database, const std::string& path) {
  SCHEDLAB_RETURN_IF_ERROR(identify(database, path));
  SCHEDLAB_RETURN_IF_ERROR(use_write_ahead_log(database, path));
  database.exec("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON");
  return migrate(database, path);
}

/// As above, again and again while others hold the file: SQLite's own wait does not cover the
/// switch of a new file to WAL, when several programs create it at once.
Status prepare_patiently(SQLite::Database& database, const std::string& path, Nanos busy_timeout) {
  const auto give_up = std::chrono::steady_clock::now() + busy_timeout;
  for (;;) {
    try {
      return prepare_for_writing(database, path);
    } catch (const SQLite::Exception& exception) {
      const int code = exception.getErrorCode() & 0xFF;
      if (code != SQLITE_BUSY || std::chrono::steady_clock::now() >= give_up) throw;
    }
    std::this_thread::sleep_for(kRetryPause);
  }
}

Result<DatabasePtr> checked_for_reading(DatabasePtr database, const std::string& path) {
  SCHEDLAB_ASSIGN_OR_RETURN(const Content content, identify(*database, path));
  if (content == Content::Nothing) {
    return cannot_open(path, "it is empty: no experiment yet; `schedlab ab` adds one");
  }
  const std::int64_t version = pragma(*database, "user_version");
  if (version != schema_version()) {
    return cannot_open(path,
                       fmt::format("it has the older schema version {} and reading never changes a "
                                   "database; open it once for writing (schedlab ab)",
                                   version));
  }
  return database;
}

/// For a directory in which SQLite can make no -shm.
template <typename Use>
auto use_as_it_lies(const std::string& path, int busy_ms, const Use& use)
    -> decltype(use(DatabasePtr())) {
  const std::string wal = path + "-wal";
  std::error_code error;
  const std::uintmax_t wal_bytes = fs::file_size(wal, error);
  if (!error && wal_bytes > 0) {
    return cannot_open(path,
                       fmt::format("'{}' holds runs that are not merged yet and its directory "
                                   "cannot be written; copy both files to a writable directory",
                                   printable(wal)));
  }
  return use(std::make_unique<SQLite::Database>(
      immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI, busy_ms));
}

/// Gives `use` a database that can only be read. Errors: there is none to be had; those of `use`.
template <typename Use>
auto use_read_only(const std::string& path, Nanos busy_timeout, const Use& use)
    -> decltype(use(DatabasePtr())) {
  SCHEDLAB_ASSIGN_OR_RETURN(const bool exists, exists_as_file(path));
  if (!exists) {
    return cannot_open(path, "it does not exist; 'schedlab ab' makes one, --db names another");
  }
  if (::euidaccess(path.c_str(), R_OK) != 0) {
    return cannot_open(
        path, fmt::format("{}; it must be readable", std::generic_category().message(errno)));
  }
  const int busy_ms = milliseconds(busy_timeout);
  return guarded("open database", path, [&]() -> decltype(use(DatabasePtr())) {
    try {
      return use(
          std::make_unique<SQLite::Database>(file_name(path), SQLite::OPEN_READONLY, busy_ms));
    } catch (const SQLite::Exception& exception) {
      const int code = exception.getErrorCode() & 0xFF;
      if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) throw;
    }
    return use_as_it_lies(path, busy_ms, use);
  });
}

struct Reason {
  int code;
  const char* why;
};

constexpr Reason kReasons[] = {
    {SQLITE_BUSY, "another process keeps it locked; wait for it or use another --db"},
    {SQLITE_LOCKED, "it is locked within this process"},
    {SQLITE_FULL, "the disk is full; free space and start again, stored runs are safe"},
    {SQLITE_READONLY, "it or its directory cannot be written; copy it to a writable place"},
    {SQLITE_PERM, "permission denied"},
    {SQLITE_CORRUPT, "its content is damaged; 'schedlab db check' says more"},
    {SQLITE_NOTADB, "it is not a SQLite database; name another file with --db"},
    {SQLITE_CANTOPEN, "it, its -wal or its -shm cannot be opened; see the directory's permissions"},
    {SQLITE_NOMEM, "out of memory"},
    {SQLITE_TOOBIG, "a value is too large"},
};

}  // namespace

Snapshot::Snapshot(SQLite::Database& database) : database_(database) {
  database_.exec("SAVEPOINT snapshot");
}

Snapshot::~Snapshot() {
  // Nothing was written, so there is nothing that a failure here could lose.
  database_.tryExec("RELEASE snapshot");
}

Error explain(const SQLite::Exception& exception, std::string_view doing, const std::string& path) {
  const int code = exception.getErrorCode();
  const auto* reason =
      std::find_if(std::begin(kReasons), std::end(kReasons), [&](const Reason& candidate) {
        return candidate.code == (code & 0xFF);
      });
  const std::string why =
      reason != std::end(kReasons)
          ? std::string(reason->why)
          : fmt::format("{} (SQLite code {})", printable(exception.what()), code);
  return failed(fmt::format("cannot {} '{}': {}", doing, printable(path), why));
}

Result<DatabasePtr> open_for_writing(const std::string& path, Nanos busy_timeout) {
  SCHEDLAB_ASSIGN_OR_RETURN(const bool exists, exists_as_file(path));
  SCHEDLAB_RETURN_IF_ERROR(writable(path, exists));
  return guarded("open database", path, [&]() -> Result<DatabasePtr> {
    auto database = std::make_unique<SQLite::Database>(
        file_name(path), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, milliseconds(busy_timeout));
    SCHEDLAB_RETURN_IF_ERROR(prepare_patiently(*database, path, busy_timeout));
    return database;
  });
}

Result<DatabasePtr> open_for_reading(const std::string& path, Nanos busy_timeout) {
  return use_read_only(path, busy_timeout, [&](DatabasePtr database) {
    return checked_for_reading(std::move(database), path);
  });
}

Result<bool> is_blank(const std::string& path, Nanos busy_timeout) {
  return use_read_only(path, busy_timeout, [&](const DatabasePtr& database) -> Result<bool> {
    SCHEDLAB_ASSIGN_OR_RETURN(const Content content, identify(*database, path));
    return content == Content::Nothing;
  });
}

}  // namespace schedlab::store
