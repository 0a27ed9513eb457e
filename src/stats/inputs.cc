#include "stats/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace schedlab::stats {

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

Status require_finite(std::span<const double> values, std::string_view what) {
  const auto bad =
      std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
  if (bad == values.end()) return {};
  return failed(fmt::format("{}: value {} of {} is {}, not a finite number; leave that run out",
                            what,
                            bad - values.begin() + 1,
                            values.size(),
                            *bad));
}

Status require_sample(std::span<const double> values, std::size_t at_least, std::string_view what) {
  if (values.size() < at_least) {
    return failed(
        fmt::format("{} needs at least {} values, not {}", what, at_least, values.size()));
  }
  return require_finite(values, what);
}

Status require_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return {};
  return usage_error(
      fmt::format("a confidence lies between 0 and 1, e.g. 0.95, not {}", confidence));
}

}  // namespace schedlab::stats
