// How compare words a number, so that every flag and sentence words it alike.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/metric.h"

namespace schedlab::compare {

/// "7.1 %"
inline std::string percent(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

/// "+7.1 %", "+1.2e+30 %"
inline std::string signed_percent(double fraction) {
  constexpr double kReadable = 1e3;
  if (!std::isfinite(fraction)) return "by an unknown part";
  return std::abs(fraction) < kReadable ? fmt::format("{:+.1f} %", 100 * fraction)
                                        : fmt::format("{:+.1e} %", 100 * fraction);
}

/// "p 0.013", "p below 1e-06"
inline std::string p_text(double p) {
  return p < 1e-6 ? std::string("p below 1e-06") : fmt::format("p {:.2g}", p);
}

/// "12 blocks", "1 block"
inline std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// +1 when more is better, -1 when less is: what turns a change so that + is better.
inline double turn_of(Direction direction) {
  return direction == Direction::LowerIsBetter ? -1 : 1;
}

}  // namespace schedlab::compare
