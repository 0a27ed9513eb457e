#include "report/lkp_figures.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/summary.h"

namespace schedlab::report {

namespace {

struct Trimmed {
  double low = 0;
  double median = 0;
  double high = 0;
};

// At least one value.
Trimmed trimmed(std::span<const double> values, std::size_t most) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t cut = std::min(sorted.size() / 32, most);
  return {sorted[cut], stats::median(sorted), sorted[sorted.size() - 1 - cut]};
}

bool lies_above(const Trimmed& upper, const Trimmed& lower) {
  return upper.low > lower.median && upper.median > lower.high;
}

// A ratio to zero or across it is larger than any.
bool apart(double a, double b, double least_ratio) {
  const double small = std::min(std::abs(a), std::abs(b));
  const double large = std::max(std::abs(a), std::abs(b));
  const bool same_side = (a > 0) == (b > 0);
  return same_side && small > 0 ? large > least_ratio * small : a != b;
}

}  // namespace

LkpFigures lkp_figures(std::span<const double> values) {
  const stats::Summary summary = stats::summarise(values);
  LkpFigures figures;
  figures.n = summary.n;
  figures.mean = summary.mean;
  figures.stddev_percent =
      summary.mean == 0 ? 0 : 100 * summary.population_sd / std::abs(summary.mean);
  return figures;
}

bool lkp_lists(std::span<const double> base,
               std::span<const double> contender,
               double least_ratio) {
  if (base.empty() || contender.empty() || std::max(base.size(), contender.size()) < 3) {
    return false;
  }
  const std::size_t most = base.size() <= 3 ? 1 : 3;
  const Trimmed a = trimmed(base, most);
  const Trimmed b = trimmed(contender, most);
  return (lies_above(b, a) || lies_above(a, b)) && apart(a.median, b.median, least_ratio);
}

}  // namespace schedlab::report
