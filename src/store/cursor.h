// Cursor: one SELECT walked row by row, with next to nothing between it and SQLite.
//
// Reading a million runs is tens of millions of columns; SQLiteCpp's Column counts a reference for
// each. Errors throw SQLite::Exception as SQLiteCpp does: call under guarded() (store/database.h).
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace schedlab::store {

class Cursor {
 public:
  /// Binds `keys` to ?1, ?2, ...; the query may use fewer. The database must outlive it.
  Cursor(SQLite::Database& database,
         const std::string& query,
         std::initializer_list<std::int64_t> keys = {});

  void bind(int at, const std::string& text);

  /// Begins again, with ?1 = `key`.
  void restart(std::int64_t key) {
    sqlite3_reset(statement_.get());
    sqlite3_bind_int64(statement_.get(), 1, key);
  }

  /// Goes to the next row; false after the last.
  bool step();

  // Of the current row, columns from 0. Text and blobs live until the next step.

  [[nodiscard]] bool is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }

  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
  }

  [[nodiscard]] double real(int column) const {
    return sqlite3_column_double(statement_.get(), column);
  }

  /// Empty for NULL.
  [[nodiscard]] std::string_view text(int column) const {
    const unsigned char* bytes = sqlite3_column_text(statement_.get(), column);
    return view(bytes, column);
  }

  [[nodiscard]] std::string_view blob(int column) const {
    const void* bytes = sqlite3_column_blob(statement_.get(), column);
    return view(bytes, column);
  }

 private:
  struct Finalise {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  [[nodiscard]] std::string_view view(const void* bytes, int column) const {
    if (bytes == nullptr) return {};
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
  }

  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalise> statement_;
};

}  // namespace schedlab::store
