// Ranks with ties shared: equal values all get the mean of the places they take.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace schedlab::stats {

struct Midranks {
  std::vector<std::int64_t> doubled;  // 2 x rank, in the order given: whole even for midranks
  double tie_term = 0;                // sum of t^3 - t over groups of t equal values
};

Midranks midranks(std::span<const double> values);

}  // namespace schedlab::stats
