// Soundness: what `db check` looks at. It goes on after a finding, so that one damaged page does
// not hide the rest.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "store/store.h"

namespace schedlab::store {

/// At most kMaxFindings, then one that says so.
std::vector<Finding> find_faults(SQLite::Database& database);

inline constexpr std::size_t kMaxFindings = 1000;

}  // namespace schedlab::store
