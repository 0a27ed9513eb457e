#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/rng.h"
#include "stats/change_points.h"
#include "stats/change_segments.h"
#include "stats/inputs.h"

namespace schedlab::stats {

namespace {

struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Finds the split of largest Q. Holds its work space, since a test calls it for every permutation.
class SplitFinder {
 public:
  explicit SplitFinder(std::size_t shortest) : shortest_(std::max<std::size_t>(shortest, 1)) {}

  // Indices relative to the segment; `places` are its n + 1.
  Split find(std::span<const double> values, std::span<const std::uint8_t> places) {
    const std::size_t n = values.size();
    Split best;
    if (n < 2 * shortest_) return best;
    sum_distances(values);
    double within_x = 0;  // sum of |x - x'| over the pairs of X
    for (std::size_t split = 1; split + shortest_ <= n; ++split) {
      within_x += to_earlier(split - 1, split - 1);
      if (split >= shortest_ && places[split] != 0) search_ends(places, split, within_x, best);
    }
    return best;
  }

 private:
  // prefix_[i * n + k] = sum over j < k of |values_i - values_j|
  void sum_distances(std::span<const double> values) {
    stride_ = values.size() + 1;
    prefix_.resize(values.size() * stride_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double sum = 0;
      double* row = &prefix_[i * stride_];
      for (std::size_t j = 0; j < values.size(); ++j) {
        row[j] = sum;
        sum += std::abs(values[i] - values[j]);
      }
      row[values.size()] = sum;
    }
  }

  [[nodiscard]] double to_earlier(std::size_t i, std::size_t count) const {
    return prefix_[i * stride_ + count];
  }

  // Y = [split, end) for every end, growing one value at a time.
  void search_ends(std::span<const std::uint8_t> places,
                   std::size_t split,
                   double within_x,
                   Split& best) const {
    const std::size_t n = places.size() - 1;
    const auto x_count = static_cast<double>(split);
    double between = 0;
    double within_y = 0;
    for (std::size_t end = split + 1; end <= n; ++end) {
      const double to_x = to_earlier(end - 1, split);
      between += to_x;
      within_y += to_earlier(end - 1, end - 1) - to_x;
      if (end - split < shortest_ || places[end] == 0) continue;
      const auto y_count = static_cast<double>(end - split);
      const double x_part = split > 1 ? y_count / (x_count - 1) * within_x : 0;
      const double y_part = y_count > 1 ? x_count / (y_count - 1) * within_y : 0;
      const double q = 2 / (x_count + y_count) * (between - x_part - y_part);
      if (q > best.q) best = {q, split, end};
    }
  }

  std::size_t shortest_;
  std::size_t stride_ = 0;
  std::vector<double> prefix_;
};

Status check_series(std::span<const double> series) {
  if (series.size() > kEDivisiveMost) {
    return failed(
        fmt::format("E-divisive: {} values, takes at most {}; give one value per boot or use PELT",
                    series.size(),
                    kEDivisiveMost));
  }
  return require_finite(series, "E-divisive");
}

// Scaled so that no sum of distances overflows; Q is then in units of the largest value.
std::vector<double> scaled(std::span<const double> series, double& unit) {
  unit = 0;
  for (const double value : series)
    unit = std::max(unit, std::abs(value));
  std::vector<double> values(series.begin(), series.end());
  if (unit == 0) unit = 1;
  for (double& value : values)
    value /= unit;
  return values;
}

class Divider {
 public:
  Divider(std::vector<double> values, Places places, const EDivisiveOptions& options)
      : values_(std::move(values)),
        places_(std::move(places)),
        options_(options),
        finder_(options.shortest),
        allowed_(static_cast<std::size_t>(
            options.alpha * static_cast<double>(options.permutations + 1) + 1e-9)) {
    open({0, values_.size()});
  }

  // The next significant split, or none.
  bool divide(ChangePoint& found) {
    if (candidates_.empty()) return false;
    const auto best = std::max_element(
        candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
          return a.split.q < b.split.q;
        });
    if (best->split.index == 0) return false;
    const std::size_t as_large = permuted_as_large(best->split.q);
    if (as_large > allowed_) return false;
    found.index = best->segment.begin + best->split.index;
    found.p = static_cast<double>(as_large) / static_cast<double>(options_.permutations + 1);
    const Segment whole = best->segment;
    candidates_.erase(best);
    open({whole.begin, found.index});
    open({found.index, whole.end});
    return true;
  }

 private:
  struct Candidate {
    Segment segment;
    Split split;
  };

  void open(Segment segment) {
    candidates_.push_back({segment, finder_.find(part(segment), places_of(segment))});
  }

  [[nodiscard]] std::span<const double> part(Segment segment) const {
    return std::span(values_).subspan(segment.begin, segment.end - segment.begin);
  }

  [[nodiscard]] std::span<const std::uint8_t> places_of(Segment segment) const {
    return std::span(places_).subspan(segment.begin, segment.end - segment.begin + 1);
  }

  // 1 + permutations whose best split over all segments reaches q; stops counting once there are
  // too many to matter.
  std::size_t permuted_as_large(double q) {
    std::size_t as_large = 1;
    for (std::size_t r = 0; r < options_.permutations && as_large <= allowed_; ++r) {
      Rng rng(options_.seed, stream_++);
      for (const Candidate& candidate : candidates_) {
        const auto values = part(candidate.segment);
        shuffled_.assign(values.begin(), values.end());
        rng.shuffle(std::span(shuffled_));
        if (finder_.find(shuffled_, places_of(candidate.segment)).q >= q * (1 - 1e-12)) {
          ++as_large;
          break;
        }
      }
    }
    return as_large;
  }

  std::vector<double> values_;
  Places places_;
  EDivisiveOptions options_;
  SplitFinder finder_;
  std::size_t allowed_;
  std::uint64_t stream_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<double> shuffled_;
};

Status check_options(const EDivisiveOptions& options) {
  if (!(options.alpha > 0 && options.alpha < 1)) {
    return usage_error(fmt::format("E-divisive: alpha is {}, not within 0 to 1", options.alpha));
  }
  if (options.permutations > 1'000'000 ||
      options.alpha * static_cast<double>(options.permutations + 1) < 1 - 1e-9) {
    return usage_error(fmt::format(
        "E-divisive: {} permutations cannot give p <= {}; use {:.0f} or more, at most 1000000",
        options.permutations,
        options.alpha,
        std::ceil(1 / options.alpha - 1)));
  }
  return {};
}

}  // namespace

Result<Split> best_split(std::span<const double> series, std::size_t shortest) {
  SCHEDLAB_RETURN_IF_ERROR(check_series(series));
  double unit = 1;
  const Places anywhere(series.size() + 1, 1);
  Split split = SplitFinder(shortest).find(scaled(series, unit), anywhere);
  split.q *= unit;
  return split;
}

Result<std::vector<ChangePoint>> e_divisive(std::span<const double> series,
                                            const EDivisiveOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(check_series(series));
  SCHEDLAB_RETURN_IF_ERROR(check_options(options));
  SCHEDLAB_ASSIGN_OR_RETURN(const Places places,
                            places_for(series.size(), options.boundaries, "E-divisive"));
  double unit = 1;
  Divider divider(scaled(series, unit), places, options);
  std::vector<ChangePoint> points;
  ChangePoint point;
  while (divider.divide(point))
    points.push_back(point);
  describe_segments(series, places, options.confidence, points);
  return points;
}

}  // namespace schedlab::stats
