// Rows: typed values into SQLite statements and out of cursors, in column order, so that an INSERT
// or SELECT and the values of its columns stand next to each other.
//
// These throw SQLite::Exception as SQLiteCpp does; guarded() (store/database.h) is the edge where
// that becomes an Error.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/duration.h"
#include "core/result.h"
#include "store/blob.h"
#include "store/cursor.h"

namespace schedlab::store {

/// Bytes bound as a BLOB; must outlive the statement's step.
struct Blob {
  std::string_view bytes;
};

inline void bind_value(SQLite::Statement& statement, int at, std::int64_t value) {
  statement.bind(at, value);
}

/// A NaN becomes NULL: SQLite has none.
inline void bind_value(SQLite::Statement& statement, int at, double value) {
  statement.bind(at, value);
}

inline void bind_value(SQLite::Statement& statement, int at, const std::string& value) {
  statement.bindNoCopy(at, value);
}

inline void bind_value(SQLite::Statement& statement, int at, std::string_view value) {
  statement.bind(at, std::string(value));
}

inline void bind_value(SQLite::Statement& statement, int at, Nanos value) {
  statement.bind(at, std::int64_t{value.count()});
}

inline void bind_value(SQLite::Statement& statement, int at, Blob value) {
  // A null pointer would bind NULL, and the empty view may hold one.
  const void* bytes = value.bytes.empty() ? "" : value.bytes.data();
  statement.bindNoCopy(at, bytes, static_cast<int>(value.bytes.size()));
}

template <typename T>
void bind_value(SQLite::Statement& statement, int at, const std::optional<T>& value) {
  if (value) {
    bind_value(statement, at, *value);
  } else {
    statement.bind(at);
  }
}

/// Binds `values` to ?1, ?2, ... of a statement that is ready for a new round.
template <typename... Values>
void bind_all(SQLite::Statement& statement, const Values&... values) {
  int at = 0;
  (bind_value(statement, ++at, values), ...);
}

/// Runs an INSERT with `values`; may be called again and again on one statement. std::string and
/// Blob arguments are not copied.
template <typename... Values>
void insert(SQLite::Statement& statement, const Values&... values) {
  statement.reset();
  bind_all(statement, values...);
  statement.exec();
}

/// The columns of the current row, left to right.
class Columns {
 public:
  explicit Columns(const Cursor& cursor, int first = 0) : cursor_(cursor), at_(first) {}

  std::int64_t integer() { return cursor_.integer(at_++); }

  std::int32_t integer32() { return static_cast<std::int32_t>(integer()); }

  /// Lives until the cursor's next step.
  std::string_view view() { return cursor_.text(at_++); }

  std::string text() { return std::string(view()); }

  Nanos nanos() { return Nanos(integer()); }

  /// NULL is NaN.
  double real() {
    const int at = at_++;
    return cursor_.is_null(at) ? std::numeric_limits<double>::quiet_NaN() : cursor_.real(at);
  }

  /// Two columns: the size recorded and the zstd frame. Errors: as decompress().
  Result<std::string> blob(std::uint64_t cap) {
    const std::int64_t recorded_bytes = integer();
    return decompress(cursor_.blob(at_++), recorded_bytes, cap);
  }

  std::optional<std::int64_t> optional_integer() {
    const int at = at_++;
    return cursor_.is_null(at) ? std::nullopt : std::optional(cursor_.integer(at));
  }

  std::optional<double> optional_real() {
    const int at = at_++;
    return cursor_.is_null(at) ? std::nullopt : std::optional(cursor_.real(at));
  }

  std::optional<Nanos> optional_nanos() {
    const std::optional<std::int64_t> value = optional_integer();
    return value ? std::optional(Nanos(*value)) : std::nullopt;
  }

 private:
  const Cursor& cursor_;
  int at_;
};

}  // namespace schedlab::store
