#include "stats/fisher_exact.h"

#include <algorithm>

#include "stats/distributions.h"

namespace schedlab::stats {

double fisher_exact(std::int64_t a, std::int64_t n, std::int64_t b, std::int64_t m) {
  constexpr double kRounding = 1 + 1e-7;  // tables of equal chance must count as such
  const std::int64_t marked = a + b;
  const std::int64_t total = n + m;
  const double seen = hypergeometric_pmf(a, marked, n, total);
  double p = 0;
  for (std::int64_t k = std::max<std::int64_t>(0, marked - m); k <= std::min(marked, n); ++k) {
    const double chance = hypergeometric_pmf(k, marked, n, total);
    if (chance <= seen * kRounding) p += chance;
  }
  return std::min(1.0, p);
}

}  // namespace schedlab::stats
