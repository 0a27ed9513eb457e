// The first gate of every method that takes raw values: refuse what no formula here can use.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/result.h"

namespace schedlab::stats {

/// An error naming `what` and the first value that is NaN or infinite.
inline Status require_finite(std::span<const double> values, std::string_view what) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return failed(fmt::format(
          "{}: value {} of {} is not a finite number; leave it out", what, i + 1, values.size()));
    }
  }
  return {};
}

/// An error unless there are at least `fewest` values, all finite.
inline Status require_sample(std::span<const double> values,
                             std::size_t fewest,
                             std::string_view what) {
  if (values.size() < fewest) {
    return failed(fmt::format("{}: {} values, needs at least {}", what, values.size(), fewest));
  }
  return require_finite(values, what);
}

}  // namespace schedlab::stats
