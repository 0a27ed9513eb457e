#include "stats/change_segments.h"

#include <algorithm>
#include <cmath>

#include "stats/summary.h"

namespace schedlab::stats {

namespace {

// ln P(t) up to a constant, t = 1 .. n-1; the values are centred and scaled.
std::vector<double> log_probabilities(std::span<const double> values) {
  const std::size_t n = values.size();
  double squares = 0;
  for (const double value : values)
    squares += value * value;
  std::vector<double> result;
  double sum = 0;
  for (std::size_t t = 1; t < n; ++t) {
    sum += values[t - 1];
    const auto left = static_cast<double>(t);
    const auto right = static_cast<double>(n - t);
    // Centred, so the right part sums to -sum: RSS = squares - sum^2/t - sum^2/(n-t). What is below
    // rounding is a perfect fit and takes all the probability.
    const double rest = std::max(squares - sum * sum * (1 / left + 1 / right), 1e-13 * squares);
    result.push_back(-0.5 * std::log(left * right) -
                     0.5 * static_cast<double>(n - 2) * std::log(rest));
  }
  return result;
}

}  // namespace

ChangeInterval change_interval(std::span<const double> segment, double confidence) {
  const std::size_t n = segment.size();
  if (n < 2) return {0, 0};
  const ChangeInterval whole = {1, n - 1};
  const double centre = mean(segment);
  double widest = 0;
  for (const double value : segment)
    widest = std::max(widest, std::abs(value - centre));
  if (n < 4 || !(widest > 0) || !std::isfinite(widest)) return whole;
  std::vector<double> values;
  for (const double value : segment)
    values.push_back((value - centre) / widest);

  std::vector<double> chance = log_probabilities(values);
  const auto peak = std::max_element(chance.begin(), chance.end());
  const double highest = *peak;
  double total = 0;
  for (double& value : chance) {
    value = std::exp(value - highest);
    total += value;
  }
  // Outwards from the peak, the likelier neighbour first.
  auto low = static_cast<std::size_t>(peak - chance.begin());
  std::size_t high = low;
  double held = chance[low];
  while (held < confidence * total && (low > 0 || high + 1 < chance.size())) {
    const double before = low > 0 ? chance[low - 1] : -1;
    const double after = high + 1 < chance.size() ? chance[high + 1] : -1;
    held += before >= after ? chance[--low] : chance[++high];
  }
  return {low + 1, high + 1};
}

void describe_segments(std::span<const double> series,
                       double confidence,
                       std::vector<ChangePoint>& points) {
  std::sort(points.begin(), points.end(), [](const ChangePoint& a, const ChangePoint& b) {
    return a.index < b.index;
  });
  for (std::size_t i = 0; i < points.size(); ++i) {
    ChangePoint& point = points[i];
    const std::size_t begin = i == 0 ? 0 : points[i - 1].index;
    const std::size_t end = i + 1 == points.size() ? series.size() : points[i + 1].index;
    point.mean_before = mean(series.subspan(begin, point.index - begin));
    point.mean_after = mean(series.subspan(point.index, end - point.index));
    const ChangeInterval interval = change_interval(series.subspan(begin, end - begin), confidence);
    // The method's own point always belongs to its interval, also where the normal model behind the
    // interval would place it elsewhere.
    point.low = std::min(point.index, begin + interval.low);
    point.high = std::max(point.index, begin + interval.high);
  }
}

}  // namespace schedlab::stats
