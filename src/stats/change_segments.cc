#include "stats/change_segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/summary.h"

namespace schedlab::stats {

namespace {

// ln P(t) up to a constant, for each t of `at`; the values are centred and scaled.
std::vector<double> log_probabilities(std::span<const double> values,
                                      std::span<const std::size_t> at) {
  const std::size_t n = values.size();
  double squares = 0;
  for (const double value : values)
    squares += value * value;
  std::vector<double> result;
  double sum = 0;
  std::size_t summed = 0;
  for (const std::size_t t : at) {
    for (; summed < t; ++summed)
      sum += values[summed];
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

// As change_interval(), among the indices of `at`, which ascend and are not none.
ChangeInterval interval_among(std::span<const double> segment,
                              std::span<const std::size_t> at,
                              double confidence) {
  const ChangeInterval whole = {at.front(), at.back()};
  const double centre = mean(segment);
  double widest = 0;
  for (const double value : segment)
    widest = std::max(widest, std::abs(value - centre));
  if (segment.size() < 4 || !(widest > 0) || !std::isfinite(widest)) return whole;
  std::vector<double> values;
  for (const double value : segment)
    values.push_back((value - centre) / widest);

  std::vector<double> chance = log_probabilities(values, at);
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
  return {at[low], at[high]};
}

// The places strictly within [begin, end), counted from `begin`.
std::vector<std::size_t> places_within(const Places& places, std::size_t begin, std::size_t end) {
  std::vector<std::size_t> at;
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (places[i] != 0) at.push_back(i - begin);
  }
  return at;
}

}  // namespace

ChangeInterval change_interval(std::span<const double> segment, double confidence) {
  if (segment.size() < 2) return {0, 0};
  std::vector<std::size_t> anywhere(segment.size() - 1);
  std::iota(anywhere.begin(), anywhere.end(), std::size_t{1});
  return interval_among(segment, anywhere, confidence);
}

Result<Places> places_for(std::size_t n,
                          std::span<const std::size_t> boundaries,
                          std::string_view what) {
  if (boundaries.empty()) return Places(n + 1, 1);
  Places places(n + 1, 0);
  places.front() = places.back() = 1;
  std::size_t before = 0;
  for (const std::size_t boundary : boundaries) {
    if (boundary <= before || boundary >= n) {
      return usage_error(
          fmt::format("{}: boundary {} does not lie between {} and {}; they must ascend",
                      what,
                      boundary,
                      before,
                      n));
    }
    places[boundary] = 1;
    before = boundary;
  }
  return places;
}

void describe_segments(std::span<const double> series,
                       const Places& places,
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
    const ChangeInterval interval = interval_among(
        series.subspan(begin, end - begin), places_within(places, begin, end), confidence);
    // The method's own point always belongs to its interval, also where the normal model behind the
    // interval would place it elsewhere.
    point.low = std::min(point.index, begin + interval.low);
    point.high = std::max(point.index, begin + interval.high);
  }
}

}  // namespace schedlab::stats
