#include "stats/histogram_bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "stats/resampling.h"

namespace schedlab::stats {

namespace {

// All runs of an arm, ready to be merged in any multiplicity: per bucket in use, how many samples
// of each run lie at or below it.
class Arm {
 public:
  explicit Arm(std::span<const HistogramBoot> boots) {
    for (const HistogramBoot& boot : boots) {
      first_run_.push_back(runs_.size());
      runs_.insert(runs_.end(), boot.begin(), boot.end());
    }
    first_run_.push_back(runs_.size());
    times_.resize(runs_.size());
    cumulate();
  }

  [[nodiscard]] std::size_t boots() const { return first_run_.size() - 1; }

  [[nodiscard]] std::size_t runs() const { return runs_.size(); }

  double of_all(double q) { return of_all_but(boots(), q); }

  double of_all_but(std::size_t left_out, double q) {
    std::fill(times_.begin(), times_.end(), 0);
    for (std::size_t boot = 0; boot < boots(); ++boot) {
      if (boot == left_out) continue;
      for (std::size_t run = first_run_[boot]; run < first_run_[boot + 1]; ++run)
        ++times_[run];
    }
    return quantile_of_drawn(q);
  }

  double draw(PositionDrawer& positions, double q) {
    std::fill(times_.begin(), times_.end(), 0);
    for (std::size_t i = 0; i < boots(); ++i) {
      const std::size_t boot = positions.below_size(boots());
      const std::size_t runs = first_run_[boot + 1] - first_run_[boot];
      for (std::size_t j = 0; j < runs; ++j)
        ++times_[first_run_[boot] + (runs == 1 ? 0 : positions.below_size(runs))];
    }
    return quantile_of_drawn(q);
  }

  // An order for giving out random streams that does not depend on which arm is called x.
  friend bool operator<(const Arm& a, const Arm& b) {
    return std::tie(a.first_run_, a.upper_edges_, a.at_or_below_) <
           std::tie(b.first_run_, b.upper_edges_, b.at_or_below_);
  }

 private:
  void cumulate() {
    std::vector<std::uint64_t> upto(runs_.size(), 0);
    for (std::size_t bucket = 0; bucket < Histogram::kBucketCount; ++bucket) {
      bool used = false;
      for (std::size_t run = 0; run < runs_.size(); ++run) {
        const std::uint64_t count = runs_[run]->buckets()[bucket];
        upto[run] += count;
        used = used || count > 0;
      }
      if (!used) continue;
      upper_edges_.push_back(static_cast<double>(Histogram::bucket_high(bucket)));
      at_or_below_.insert(at_or_below_.end(), upto.begin(), upto.end());
    }
  }

  [[nodiscard]] std::uint64_t drawn_at_or_below(std::size_t place) const {
    std::uint64_t count = 0;
    const std::size_t row = place * runs_.size();
    for (std::size_t run = 0; run < runs_.size(); ++run)
      count += times_[run] * at_or_below_[row + run];
    return count;
  }

  // Histogram::quantile() of the runs merged times_ over, without merging them.
  [[nodiscard]] double quantile_of_drawn(double q) const {
    std::size_t low = 0;
    std::size_t high = upper_edges_.size() - 1;
    const auto all = static_cast<double>(drawn_at_or_below(high));
    const auto wanted = static_cast<std::uint64_t>(std::max(1.0, std::ceil(q * all * (1 - 4e-16))));
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (drawn_at_or_below(middle) >= wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return upper_edges_[low];
  }

  std::vector<const Histogram*> runs_;
  std::vector<std::size_t> first_run_;      // of each boot, and one past the last run
  std::vector<double> upper_edges_;         // of the buckets in use
  std::vector<std::uint64_t> at_or_below_;  // [bucket in use][run]
  std::vector<std::uint64_t> times_;        // how often each run is drawn
};

Status require_boots(std::span<const HistogramBoot> boots,
                     double q,
                     const BootstrapOptions& options) {
  if (!(q > 0 && q < 1)) {
    return usage_error(fmt::format("a quantile lies between 0 and 1, e.g. 0.99, not {}", q));
  }
  std::size_t runs = 0;
  for (const HistogramBoot& boot : boots) {
    if (boot.empty()) return failed("bootstrap: a boot without runs");
    for (const Histogram* run : boot) {
      if (run == nullptr || run->empty()) return failed("bootstrap: a run that recorded nothing");
    }
    runs += boot.size();
  }
  return require_resampling(options, boots.size(), "boots", runs);
}

Histogram merge_all(std::span<const HistogramBoot> boots) {
  Histogram merged;
  for (const HistogramBoot& boot : boots)
    for (const Histogram* run : boot)
      merged.merge(*run);
  return merged;
}

// The merged quantile with its bucket, as a QuantileInterval without an interval.
Result<QuantileInterval> merged_quantile(std::span<const HistogramBoot> boots,
                                         double q,
                                         double resolution) {
  const Histogram merged = merge_all(boots);
  const std::uint64_t value = merged.quantile(q);
  if (value > Histogram::kMaxTrackable) {
    return failed(fmt::format("quantile {} lies above {}, the most the histogram tells apart",
                              q,
                              Histogram::kMaxTrackable));
  }
  const std::size_t bucket = Histogram::index_of(value);
  return QuantileInterval{
      .value = static_cast<double>(value),
      .low = static_cast<double>(std::max(merged.min(), Histogram::bucket_low(bucket))),
      .high = static_cast<double>(std::min(merged.max(), Histogram::bucket_high(bucket))),
      .bin_width = std::max(resolution, static_cast<double>(Histogram::bucket_width(value))),
      .coverage = 0};
}

double log_ratio(double x, double y) {
  return std::log(x) - std::log(y);
}

Result<BootstrapInterval> log_ratio_interval(Arm& x,
                                             Arm& y,
                                             double q,
                                             const BootstrapOptions& options) {
  const bool y_first = y < x;
  PositionDrawer positions_x(options.seed, y_first ? 1 : 0);
  PositionDrawer positions_y(options.seed, y_first ? 0 : 1);
  const double all_x = x.of_all(q);
  const double all_y = y.of_all(q);
  Resampled resampled;
  resampled.estimate = log_ratio(all_x, all_y);
  resampled.figures.resize(options.resamples);
  for (double& out : resampled.figures)
    out = log_ratio(x.draw(positions_x, q), y.draw(positions_y, q));
  resampled.leave_one_out.resize(2);
  for (std::size_t i = 0; i < x.boots(); ++i)
    resampled.leave_one_out[0].push_back(log_ratio(x.of_all_but(i, q), all_y));
  for (std::size_t i = 0; i < y.boots(); ++i)
    resampled.leave_one_out[1].push_back(log_ratio(all_x, y.of_all_but(i, q)));
  if (y_first) std::swap(resampled.leave_one_out[0], resampled.leave_one_out[1]);
  return bca_interval(std::move(resampled), options.confidence);
}

}  // namespace

Result<QuantileInterval> histogram_quantile_bootstrap(std::span<const HistogramBoot> boots,
                                                      double q,
                                                      const BootstrapOptions& options,
                                                      double resolution) {
  SCHEDLAB_RETURN_IF_ERROR(require_boots(boots, q, options));
  SCHEDLAB_ASSIGN_OR_RETURN(QuantileInterval quantile, merged_quantile(boots, q, resolution));
  Arm arm(boots);
  Resampled resampled;
  resampled.estimate = arm.of_all(q);
  resampled.figures.resize(options.resamples);
  PositionDrawer positions(options.seed, 0);
  for (double& out : resampled.figures)
    out = arm.draw(positions, q);
  resampled.leave_one_out.emplace_back();
  for (std::size_t i = 0; i < arm.boots(); ++i)
    resampled.leave_one_out[0].push_back(arm.of_all_but(i, q));
  SCHEDLAB_ASSIGN_OR_RETURN(const BootstrapInterval found,
                            bca_interval(std::move(resampled), options.confidence));
  quantile.low = std::min(found.interval.low, quantile.value);
  quantile.high = std::max(found.interval.high, quantile.value);
  quantile.coverage = options.confidence;
  return quantile;
}

Result<QuantileRatio> histogram_quantile_ratio(std::span<const HistogramBoot> boots_x,
                                               std::span<const HistogramBoot> boots_y,
                                               double q,
                                               const BootstrapOptions& options,
                                               double resolution) {
  SCHEDLAB_RETURN_IF_ERROR(require_boots(boots_x, q, options));
  SCHEDLAB_RETURN_IF_ERROR(require_boots(boots_y, q, options));
  QuantileRatio ratio;
  SCHEDLAB_ASSIGN_OR_RETURN(ratio.x, merged_quantile(boots_x, q, resolution));
  SCHEDLAB_ASSIGN_OR_RETURN(ratio.y, merged_quantile(boots_y, q, resolution));
  if (ratio.x.value == 0 || ratio.y.value == 0) {
    return failed(fmt::format("quantile {} is 0 in one arm, which has no ratio", q));
  }
  Arm x(boots_x);
  Arm y(boots_y);
  SCHEDLAB_ASSIGN_OR_RETURN(ratio.log_ratio, log_ratio_interval(x, y, q, options));
  return ratio;
}

}  // namespace schedlab::stats
