#include "store/cursor.h"

#include <algorithm>

namespace schedlab::store {

Cursor::Cursor(SQLite::Database& database,
               const std::string& query,
               std::initializer_list<std::int64_t> keys)
    : connection_(database.getHandle()) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(
      connection_, query.c_str(), static_cast<int>(query.size()), &prepared, nullptr);
  statement_.reset(prepared);
  if (code != SQLITE_OK) throw SQLite::Exception(connection_, code);
  const int wanted = sqlite3_bind_parameter_count(prepared);
  int at = 0;
  for (const std::int64_t key : keys) {
    if (at < wanted) sqlite3_bind_int64(prepared, ++at, key);
  }
}

void Cursor::bind(int at, const std::string& text) {
  const int code = sqlite3_bind_text(
      statement_.get(), at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) throw SQLite::Exception(connection_, code);
}

bool Cursor::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  throw SQLite::Exception(connection_, code);
}

}  // namespace schedlab::store
