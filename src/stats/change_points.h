// Change points: where in an ordered series of values (kernels, commits, nights) the level moved.
//
// Two ways, and an interval for each point found:
//
//   E-divisive  (Matteson and James 2014) splits where the energy statistic Q between the two
//               sides is largest, tests that split by permuting the values within the segments
//               found so far, and goes on inside the parts until a split has p > alpha. No
//               assumption on the shape; sees changes of spread too, given a `shortest` of about
//               15. Q of X (n values) against Y (m):
//               2/(m+n) SS|x-y| - 2m/((m+n)(n-1)) S|x-x'| - 2n/((m+n)(m-1)) S|y-y'|, S over pairs;
//               the end of Y is searched too and may fall short of the segment's.
//   PELT        (Killick, Fearnhead and Eckley 2012) the segmentation of least cost, exactly:
//               squared deviations over the noise's variance, or the normal log-likelihood with a
//               mean and a variance per segment, plus a penalty per change: BIC, or the modified
//               BIC of Zhang and Siegmund (2007), which dislikes short segments.
//
// E-divisive has an error rate: under no change it finds a point with chance alpha. PELT has none,
// but is exact, fast, and needs no random numbers.
//
// An index is that of the first value of the new level, 0-based. All are free of unit and shift.
// Values may come in groups (the boots of one kernel, the blocks of one arm): with `boundaries`,
// the first indices of the groups after the first, a change lies between groups only. Limits:
// values must be independent within a level: autocorrelation and slow drift are found as changes;
// one value per boot or night, not per sample. A change next to an end is hard to see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"

namespace schedlab::stats {

struct ChangePoint {
  std::size_t index = 0;  // first value of the new level
  std::size_t low = 0;    // its interval, both ends possible indices
  std::size_t high = 0;
  double mean_before = 0;  // over the segments on either side
  double mean_after = 0;
  double p = 1;  // of the permutation test that found it; stays 1 for PELT
};

// ---- E-divisive

inline constexpr std::size_t kEDivisiveMost =
    2000;  // values: O(n^2) memory, and time a permutation

struct Split {
  double q = 0;
  std::size_t index = 0;  // first value of Y
  std::size_t end = 0;    // one past the last of Y
};

/// The split of largest Q with both parts at least `shortest` values; q = 0, index = 0 when none
/// has a positive Q. Errors: not finite, more than kEDivisiveMost values.
Result<Split> best_split(std::span<const double> series, std::size_t shortest = 1);

struct EDivisiveOptions {
  double alpha = 0.05;
  std::size_t permutations = 199;  // p = (1 + as large)/(1 + permutations)
  std::size_t shortest = 2;        // values in a segment
  std::uint64_t seed = 1;
  double confidence = 0.95;                  // of the intervals
  std::vector<std::size_t> boundaries = {};  // the only indices of a change; empty: anywhere
};

/// In order of index. None for fewer than 2 x shortest values. Errors: not finite, more than
/// kEDivisiveMost values, alpha outside (0, 1), too few permutations to reach alpha, boundaries
/// that do not ascend within the series.
Result<std::vector<ChangePoint>> e_divisive(std::span<const double> series,
                                            const EDivisiveOptions& options = {});

// ---- PELT

inline constexpr std::size_t kPeltMost = 20'000;  // values: O(n^2) time when nothing changes

enum class PeltCost { Mean, MeanAndVariance };
enum class PeltPenalty { Bic, ModifiedBic };

struct PeltOptions {
  PeltCost cost = PeltCost::Mean;
  PeltPenalty penalty = PeltPenalty::ModifiedBic;
  std::size_t shortest = 2;                  // values in a segment
  double confidence = 0.95;                  // of the intervals
  std::vector<std::size_t> boundaries = {};  // the only indices of a change; empty: anywhere
};

/// In order of index. With PeltCost::Mean the noise's sd is 1.4826 MAD of the first differences
/// over sqrt(2), or, when more than half are 0, from their squares. With MeanAndVariance a
/// segment's variance is at least 1e-6 of the whole series', so that equal values do not cost minus
/// infinity. None for fewer than 2 x shortest values. Errors: not finite, more than kPeltMost
/// values, boundaries as above.
Result<std::vector<ChangePoint>> pelt(std::span<const double> series,
                                      const PeltOptions& options = {});

// ---- Intervals

/// Where the change lies in a segment that holds one: the most probable indices around the most
/// probable one, together at least `confidence`, when every index is as likely beforehand and means
/// and variance are unknown: P(t) ~ (t (n-t))^(-1/2) RSS(t)^(-(n-2)/2) (Smith 1975). Deterministic.
struct ChangeInterval {
  std::size_t low = 0;
  std::size_t high = 0;
};

/// Indices within the segment, 1 .. n-1. The whole range for fewer than 4 values or equal ones.
ChangeInterval change_interval(std::span<const double> segment, double confidence);

}  // namespace schedlab::stats
