// ClassicReport: the figures in the original's own terms (whole microseconds, its percentiles),
// read from our histograms or from what the original printed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/histogram.h"
#include "workload/schbench/engine.h"

namespace schedlab::workload::schbench {

struct ClassicRow {
  double percentile = 0;
  std::uint64_t value = 0;
  std::uint64_t samples = 0;  // since the row before

  friend bool operator==(const ClassicRow&, const ClassicRow&) = default;
};

struct ClassicBlock {
  std::vector<ClassicRow> rows;  // ascending
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  std::uint64_t total = 0;

  [[nodiscard]] std::optional<std::uint64_t> at(double percentile) const;
  friend bool operator==(const ClassicBlock&, const ClassicBlock&) = default;
};

struct ClassicReport {
  std::optional<ClassicBlock> wakeup;   // us
  std::optional<ClassicBlock> request;  // us
  std::optional<ClassicBlock> rps;      // 1/s
  std::optional<double> average_rps;
  std::optional<std::int64_t> rps_goal;    // -A
  std::optional<double> ops_per_second;    // pipe mode, per worker
  std::optional<double> bytes_per_second;  // pipe mode, per worker
  std::int64_t message_delay_us = 0;
  std::int64_t worker_delay_us = 0;
};

inline constexpr std::array kClassicPercentiles{20.0, 50.0, 90.0, 99.0, 99.9};
inline constexpr std::array kPercentilesOf2016{50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9};

/// The middle of the first bucket whose cumulative count reaches percentile/100 of all, as the
/// original prints it, but cut to [min, max].
std::uint64_t classic_percentile(const Histogram& histogram, double percentile);

/// Rows for `percentiles`; empty histograms give zero rows.
ClassicBlock classic_block(const Histogram& histogram, std::span<const double> percentiles);

/// The final figures of a classic run.
ClassicReport classic_report(const Plan& plan, const Measurement& measured);

}  // namespace schedlab::workload::schbench
