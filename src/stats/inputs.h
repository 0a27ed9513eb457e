// What every estimator asks of its input before it starts: numbers, and enough of them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/result.h"

namespace schedlab::stats {

bool all_finite(std::span<const double> values);

/// An error that names `what` and the place (from 1) of the first NaN or infinity.
Status require_finite(std::span<const double> values, std::string_view what);

/// As require_finite(), or how many values there are and how many `what` needs.
Status require_sample(std::span<const double> values, std::size_t at_least, std::string_view what);

/// Error unless 0 < confidence < 1.
Status require_confidence(double confidence);

}  // namespace schedlab::stats
