#include "stats/dip.h"

#include <algorithm>
#include <cmath>

#include "core/rng.h"
#include "stats/dip_table.h"
#include "stats/inputs.h"

namespace schedlab::stats {

namespace {

// A jump of the distribution function, in counts: from `below` to `above` at x.
struct Jump {
  double x = 0;
  double below = 0;
  double above = 0;
};

using Contacts = std::vector<std::size_t>;  // indices of jumps where a hull touches, ascending

// x is mapped to [0, 1] first, so that no product below overflows.
std::vector<Jump> jumps_of(std::span<const double> sorted) {
  std::vector<Jump> jumps;
  const double low = sorted.front() / 2;
  const double range = sorted.back() / 2 - low;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double x = range > 0 ? (sorted[i] / 2 - low) / range : 0;
    if (jumps.empty() || x > jumps.back().x) jumps.push_back({x, static_cast<double>(i), 0});
    jumps.back().above = static_cast<double>(i + 1);
  }
  return jumps;
}

// The hull of the corners (x, height) of jumps first..last: convex from below with turn = +1,
// concave from above with turn = -1.
template <typename Height>
Contacts hull(const std::vector<Jump>& jumps,
              std::size_t first,
              std::size_t last,
              double turn,
              Height height) {
  Contacts contacts;
  for (std::size_t i = first; i <= last; ++i) {
    while (contacts.size() >= 2) {
      const Jump& a = jumps[contacts[contacts.size() - 2]];
      const Jump& b = jumps[contacts.back()];
      const double bend = (b.x - a.x) * (height(jumps[i]) - height(b)) -
                          (jumps[i].x - b.x) * (height(b) - height(a));
      if (turn * bend > 0) break;
      contacts.pop_back();
    }
    contacts.push_back(i);
  }
  return contacts;
}

double lower_corner(const Jump& jump) {
  return jump.below;
}

double upper_corner(const Jump& jump) {
  return jump.above;
}

double line_at(const Jump& a, const Jump& b, double x, double (*height)(const Jump&)) {
  if (b.x <= a.x) return height(a);
  return height(a) + (height(b) - height(a)) * ((x - a.x) / (b.x - a.x));
}

struct Gap {
  double size = -1;
  std::size_t left = 0;  // the next modal interval, as indices of jumps
  std::size_t right = 0;
};

// The widest gap between minorant and majorant at a contact of either.
Gap widest_gap(const std::vector<Jump>& jumps, const Contacts& minorant, const Contacts& majorant) {
  Gap widest;
  std::size_t m = 0;  // majorant[m] is the first contact at or right of the minorant's
  for (const std::size_t contact : minorant) {
    while (majorant[m] < contact)
      ++m;
    const std::size_t from = majorant[m] == contact ? m : m - 1;
    const double above =
        line_at(jumps[majorant[from]], jumps[majorant[m]], jumps[contact].x, upper_corner);
    const double size = above - jumps[contact].below;
    if (size > widest.size) widest = {size, contact, majorant[m]};
  }
  std::size_t g = 0;  // minorant[g] is the last contact at or left of the majorant's
  for (const std::size_t contact : majorant) {
    while (g + 1 < minorant.size() && minorant[g + 1] <= contact)
      ++g;
    const std::size_t to = minorant[g] == contact ? g : g + 1;
    const double below =
        line_at(jumps[minorant[g]], jumps[minorant[to]], jumps[contact].x, lower_corner);
    const double size = jumps[contact].above - below;
    if (size > widest.size) widest = {size, minorant[g], contact};
  }
  return widest;
}

// The farthest the distribution function rises above the minorant left of the modal interval.
double left_misfit(const std::vector<Jump>& jumps, const Contacts& minorant, std::size_t end) {
  double worst = 0;
  for (std::size_t c = 0; c + 1 < minorant.size() && minorant[c] < end; ++c) {
    for (std::size_t i = minorant[c]; i < minorant[c + 1]; ++i) {
      const double fit =
          line_at(jumps[minorant[c]], jumps[minorant[c + 1]], jumps[i].x, lower_corner);
      worst = std::max(worst, jumps[i].above - fit);
    }
  }
  return worst;
}

// The farthest the majorant rises above the distribution function right of the modal interval.
double right_misfit(const std::vector<Jump>& jumps, const Contacts& majorant, std::size_t begin) {
  double worst = 0;
  for (std::size_t c = majorant.size(); c-- > 1 && majorant[c] > begin;) {
    for (std::size_t i = majorant[c]; i > majorant[c - 1]; --i) {
      const double fit =
          line_at(jumps[majorant[c - 1]], jumps[majorant[c]], jumps[i].x, upper_corner);
      worst = std::max(worst, fit - jumps[i].below);
    }
  }
  return worst;
}

double dip_of_sorted(std::span<const double> sorted) {
  const std::vector<Jump> jumps = jumps_of(sorted);
  double twice_dip = 1;  // in counts: no continuous sample has less
  std::size_t first = 0;
  std::size_t last = jumps.size() - 1;
  while (first < last) {
    const Contacts minorant = hull(jumps, first, last, 1, lower_corner);
    const Contacts majorant = hull(jumps, first, last, -1, upper_corner);
    const Gap gap = widest_gap(jumps, minorant, majorant);
    if (gap.size <= twice_dip) break;
    twice_dip = std::max({twice_dip,
                          left_misfit(jumps, minorant, gap.left),
                          right_misfit(jumps, majorant, gap.right)});
    if (gap.left == first && gap.right == last) break;
    first = gap.left;
    last = gap.right;
  }
  return twice_dip / (2 * static_cast<double>(sorted.size()));
}

// Falling in the scaled dip; the quantiles of one n as (sqrt(n) D, upper tail) pairs.
double tail_of(double scaled_dip, const std::array<double, kDipTails.size()>& quantiles) {
  if (scaled_dip <= quantiles.front()) return 1;
  for (std::size_t i = 1; i < quantiles.size(); ++i) {
    if (scaled_dip > quantiles[i]) continue;
    const double share = (scaled_dip - quantiles[i - 1]) / (quantiles[i] - quantiles[i - 1]);
    return kDipTails[i - 1] + share * (kDipTails[i] - kDipTails[i - 1]);
  }
  return kDipSmallestP;
}

}  // namespace

Result<double> dip(std::span<const double> values) {
  SCHEDLAB_RETURN_IF_ERROR(require_sample(values, 1, "dip"));
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return dip_of_sorted(sorted);
}

double dip_p(double dip, std::size_t n) {
  const auto count = static_cast<double>(n);
  // No sample has less than 1/(2n), whatever the table's rounding says.
  if (n < kDipFewest || dip <= 0.5 / count * (1 + 1e-9)) return 1;
  const double scaled_dip = std::sqrt(count) * dip;
  const auto above = std::lower_bound(
      kDipTable.begin(), kDipTable.end(), n, [](const DipQuantiles& row, std::size_t size) {
        return row.n < size;
      });
  if (above == kDipTable.end()) return tail_of(scaled_dip, kDipTable.back().scaled);
  if (above->n == n) return tail_of(scaled_dip, above->scaled);
  const auto below = above - 1;
  const double share = std::log(count / static_cast<double>(below->n)) /
                       std::log(static_cast<double>(above->n) / static_cast<double>(below->n));
  std::array<double, kDipTails.size()> quantiles{};
  for (std::size_t i = 0; i < quantiles.size(); ++i)
    quantiles[i] = below->scaled[i] + share * (above->scaled[i] - below->scaled[i]);
  return tail_of(scaled_dip, quantiles);
}

double dip_p_monte_carlo(double dip, std::size_t n, std::size_t resamples, std::uint64_t seed) {
  if (n < kDipFewest) return 1;
  std::vector<double> sample(n);
  std::size_t as_large = 1;
  for (std::size_t r = 0; r < resamples; ++r) {
    Rng rng(seed, r);
    std::generate(sample.begin(), sample.end(), [&] { return rng.uniform(); });
    std::sort(sample.begin(), sample.end());
    if (dip_of_sorted(sample) >= dip) ++as_large;
  }
  return static_cast<double>(as_large) / static_cast<double>(resamples + 1);
}

Result<DipTest> dip_test(std::span<const double> values, double step) {
  SCHEDLAB_RETURN_IF_ERROR(require_sample(values, kDipFewest, "dip test"));
  const std::vector<double> spread = spread_ties(values, step);
  SCHEDLAB_ASSIGN_OR_RETURN(const double distance, dip(spread));
  return DipTest{distance, dip_p(distance, values.size())};
}

std::vector<double> spread_ties(std::span<const double> values, double step) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  if (!(step > 0) || !std::isfinite(step)) return sorted;
  for (std::size_t first = 0; first < sorted.size();) {
    const double value = sorted[first];
    std::size_t end = first;
    while (end < sorted.size() && sorted[end] == value)
      ++end;
    const auto ties = static_cast<double>(end - first);
    for (std::size_t i = first; i < end; ++i)
      sorted[i] = value + step * ((static_cast<double>(i - first) + 0.5) / ties - 0.5);
    first = end;
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace schedlab::stats
