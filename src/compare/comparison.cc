#include "compare/comparison.h"

#include <algorithm>

namespace schedlab::compare {

std::size_t replicates_of(const Row& row) {
  if (row.replication.paired) return row.log_ratios.size();
  return std::min(row.base_levels.size(), row.contender_levels.size());
}

}  // namespace schedlab::compare
