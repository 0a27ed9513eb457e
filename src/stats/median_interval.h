// The median's interval by order statistics: no assumption but that the values are independent.
//
// Fixed n: the sorted values of rank r and n + 1 - r, r the largest with
// P(B(n, 1/2) < r) <= (1 - confidence)/2 (Thompson 1936). Anytime: the ranks stay valid however
// often one looks, from the sign e-process E = 2^n B(1+k, 1+n-k), rejecting where E >= 1/(1 -
// confidence) (Howard and Ramdas 2022; Beta(1,1) mixture). Limits: wider than t on normal values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "stats/interval.h"

namespace schedlab::stats {

/// Ranks from 1 of the sorted values that bound the median.
struct MedianRanks {
  std::int64_t low = 0;
  std::int64_t high = 0;
  double coverage = 0;  // exact, at least the confidence asked for

  friend bool operator==(const MedianRanks&, const MedianRanks&) = default;
};

/// None below 6 values at 95 %.
std::optional<MedianRanks> median_ranks(std::int64_t n, double confidence);
std::optional<Interval> median_interval(std::span<const double> values, double confidence);

/// E of k positive signs among n: large when k is far from n/2.
double sign_e_value(std::int64_t k, std::int64_t n);

/// Ranks of the anytime-valid interval; coverage is left 0. None below 8 values at 95 %.
std::optional<MedianRanks> anytime_median_ranks(std::int64_t n, double confidence);
std::optional<Interval> anytime_median_interval(std::span<const double> values, double confidence);

}  // namespace schedlab::stats
