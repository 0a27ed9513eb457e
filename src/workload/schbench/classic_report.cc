#include "workload/schbench/classic_report.h"

#include <algorithm>
#include <cmath>

namespace schedlab::workload::schbench {

std::optional<std::uint64_t> ClassicBlock::at(double percentile) const {
  for (const ClassicRow& row : rows) {
    if (std::abs(row.percentile - percentile) < 1e-6) return row.value;
  }
  return std::nullopt;
}

std::uint64_t classic_percentile(const Histogram& histogram, double percentile) {
  if (histogram.empty()) return 0;
  const double rank = percentile / 100 * static_cast<double>(histogram.count());
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < histogram.buckets().size(); ++i) {
    seen += histogram.buckets()[i];
    if (histogram.buckets()[i] == 0 || static_cast<double>(seen) < rank) continue;
    const std::uint64_t low = Histogram::bucket_low(i);
    return std::clamp(low + Histogram::bucket_width(low) / 2, histogram.min(), histogram.max());
  }
  return histogram.max();
}

ClassicBlock classic_block(const Histogram& histogram, std::span<const double> percentiles) {
  ClassicBlock block;
  block.min = histogram.min();
  block.max = histogram.max();
  block.total = histogram.count();
  std::uint64_t before = 0;
  for (const double percentile : percentiles) {
    const std::uint64_t value = classic_percentile(histogram, percentile);
    const std::uint64_t up_to = histogram.empty() ? 0 : histogram.count_up_to(value);
    block.rows.push_back({percentile, value, up_to - std::min(before, up_to)});
    before = up_to;
  }
  return block;
}

ClassicReport classic_report(const Plan& plan, const Measurement& measured) {
  ClassicReport report;
  const Snapshot& last = measured.last;
  report.wakeup = classic_block(last.wakeup_us, kClassicPercentiles);
  report.message_delay_us = last.message_delay_us;
  report.worker_delay_us = last.worker_delay_us;
  const auto loops = static_cast<double>(measured.loops);
  if (plan.pipe()) {
    report.ops_per_second = measured.worker_seconds > 0 ? loops / measured.worker_seconds : 0;
    report.bytes_per_second = *report.ops_per_second * static_cast<double>(plan.options.pipe_bytes);
    return report;
  }
  report.request = classic_block(last.request_us, kClassicPercentiles);
  report.rps = classic_block(last.rps, kClassicPercentiles);
  // The original divides by the time asked for, however late it stopped.
  const bool whole = plan.options.runtime > Nanos{0} && !measured.stopped_by_signal();
  const Nanos time = whole ? plan.options.runtime : measured.elapsed;
  report.average_rps = loops / (static_cast<double>(time.count()) / 1e9);
  if (plan.options.auto_rps > 0) report.rps_goal = measured.final_rate;
  return report;
}

}  // namespace schedlab::workload::schbench
