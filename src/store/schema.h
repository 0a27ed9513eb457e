// Schema: the tables and the steps that lead from each version to the next. docs/store-schema.md
// says what each table and column means.
#pragma once

#include <cstdint>
#include <span>

namespace schedlab::store {

/// SQLite's application_id of our files: "SLAB" in ASCII; `file` and other tools show it.
inline constexpr std::int64_t kApplicationId = 0x534C4142;

/// migrations()[v] leads from user_version v to v + 1; the last one's result is what this program
/// reads and writes.
std::span<const char* const> migrations();

inline std::int64_t schema_version() {
  return static_cast<std::int64_t>(migrations().size());
}

}  // namespace schedlab::store
