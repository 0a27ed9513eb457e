#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/change_points.h"
#include "stats/change_segments.h"
#include "stats/inputs.h"
#include "stats/summary.h"

namespace schedlab::stats {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kKept = std::numeric_limits<std::size_t>::max();

// Noise about the level, from first differences, which a few changes hardly touch.
double noise_sd(std::span<const double> series) {
  std::vector<double> steps;
  double squares = 0;
  for (std::size_t i = 1; i < series.size(); ++i) {
    steps.push_back(std::abs(series[i] - series[i - 1]));
    squares += steps.back() * steps.back();
  }
  const double typical = 1.4826022185056018 * median(steps) / std::sqrt(2.0);
  if (typical > 0 || steps.empty()) return typical;
  return std::sqrt(squares / static_cast<double>(steps.size()) / 2);
}

// Costs of segments [begin, end) in O(1) from sums of the centred, scaled series.
class SegmentCosts {
 public:
  SegmentCosts(std::span<const double> series, const PeltOptions& options)
      : options_(options), n_(series.size()) {
    const double centre = mean(series);
    double widest = 0;
    for (const double value : series)
      widest = std::max(widest, std::abs(value - centre));
    std::vector<double> values;
    for (const double value : series)
      values.push_back((value - centre) / widest);
    sums_.push_back(0);
    squares_.push_back(0);
    for (const double value : values) {
      sums_.push_back(sums_.back() + value);
      squares_.push_back(squares_.back() + value * value);
    }
    for (std::size_t count = 0; count <= n_; ++count)
      logarithms_.push_back(std::log(static_cast<double>(std::max<std::size_t>(count, 1))));
    const double noise = noise_sd(values);
    noise_variance_ = noise * noise;
    least_variance_ = 1e-6 * squares_.back() / static_cast<double>(n_);
  }

  [[nodiscard]] double cost(std::size_t begin, std::size_t end) const {
    const auto count = static_cast<double>(end - begin);
    const double sum = sums_[end] - sums_[begin];
    const double rest = std::max(0.0, squares_[end] - squares_[begin] - sum * sum / count);
    // The least of count ln(v) + rest/v over the variances allowed: a minimum over parameters, so
    // splitting never costs more, which the pruning rests on.
    const double variance =
        options_.cost == PeltCost::Mean ? noise_variance_ : std::max(rest / count, least_variance_);
    const double fit =
        (options_.cost == PeltCost::Mean ? 0 : count * std::log(variance)) + rest / variance;
    return options_.penalty == PeltPenalty::ModifiedBic ? fit + logarithms_[end - begin] : fit;
  }

  // Per change: one more index and one more level (and spread), ln n each; the modified BIC takes
  // one ln n more and gives part of it back by the ln(count) of each segment.
  [[nodiscard]] double penalty() const {
    const double parameters = options_.cost == PeltCost::Mean ? 2 : 3;
    const double extra = options_.penalty == PeltPenalty::ModifiedBic ? 1 : 0;
    return (parameters + extra) * std::log(static_cast<double>(n_));
  }

  // The most by which splitting a segment can raise its cost without the penalty: ln a + ln b
  // exceeds ln(a + b) by at most ln(n/4).
  [[nodiscard]] double slack() const {
    return options_.penalty == PeltPenalty::ModifiedBic
               ? std::max(0.0, std::log(static_cast<double>(n_) / 4))
               : 0;
  }

 private:
  PeltOptions options_;
  std::size_t n_;
  std::vector<double> sums_;
  std::vector<double> squares_;
  std::vector<double> logarithms_;  // of counts: taken n^2 times when nothing is pruned
  double noise_variance_ = 0;
  double least_variance_ = 0;
};

// Optimal partitioning (Jackson et al. 2005) with PELT's pruning. A start that lost at `end` may
// still be best for the ends closer than the shortest segment, so it is dropped only after those.
std::vector<std::size_t> cheapest_changes(const Places& places,
                                          std::size_t shortest,
                                          const SegmentCosts& costs) {
  struct Start {
    std::size_t at = 0;
    std::size_t dropped_from = 0;
    double total = 0;  // best cost of the values before this end with the last change here
  };

  const std::size_t n = places.size() - 1;
  std::vector<double> best(n + 1, kNever);  // of the first `end` values
  std::vector<std::size_t> last_change(n + 1, 0);
  std::vector<Start> starts = {{0, kKept, 0}};
  best[0] = -costs.penalty();
  for (std::size_t end = shortest; end <= n; ++end) {
    const std::size_t start = end - shortest;
    if (start >= shortest && places[start] != 0) starts.push_back({start, kKept, 0});
    if (places[end] == 0) continue;
    std::erase_if(starts, [end](const Start& open) { return open.dropped_from <= end; });
    for (Start& open : starts) {
      open.total = best[open.at] + costs.cost(open.at, end) + costs.penalty();
      if (open.total < best[end]) {
        best[end] = open.total;
        last_change[end] = open.at;
      }
    }
    for (Start& open : starts) {
      const bool lost = open.total - costs.penalty() - costs.slack() >= best[end];
      if (lost && open.dropped_from == kKept) open.dropped_from = end + shortest;
    }
  }
  std::vector<std::size_t> changes;
  for (std::size_t at = last_change[n]; at > 0; at = last_change[at])
    changes.push_back(at);
  return changes;
}

}  // namespace

Result<std::vector<ChangePoint>> pelt(std::span<const double> series, const PeltOptions& options) {
  if (series.size() > kPeltMost) {
    return failed(fmt::format("PELT: {} values, takes at most {}; give one value per boot or run",
                              series.size(),
                              kPeltMost));
  }
  SCHEDLAB_RETURN_IF_ERROR(require_finite(series, "PELT"));
  SCHEDLAB_ASSIGN_OR_RETURN(const Places places,
                            places_for(series.size(), options.boundaries, "PELT"));
  const std::size_t shortest = std::max<std::size_t>(options.shortest, 1);
  std::vector<ChangePoint> points;
  if (series.size() < 2 * shortest || shortest > series.size()) return points;
  const auto [lowest, highest] = std::minmax_element(series.begin(), series.end());
  if (*lowest == *highest) return points;
  const SegmentCosts costs(series, options);
  for (const std::size_t index : cheapest_changes(places, shortest, costs)) {
    ChangePoint point;
    point.index = index;
    points.push_back(point);
  }
  describe_segments(series, places, options.confidence, points);
  return points;
}

}  // namespace schedlab::stats
