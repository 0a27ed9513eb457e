// Durations: exact 64-bit nanoseconds inside, "30s 250us" at the border.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace schedlab {

using Nanos = std::chrono::nanoseconds;

/// "30s", "250us", "1.5ms", "100ns", "2min", "1h"; a bare number is refused unless `default_unit`
/// names one of those units. Errors: empty, garbage, negative, larger than 292 years.
Result<Nanos> parse_duration(std::string_view text, std::string_view default_unit = {});

/// Shortest exact-enough form for people, three to four significant digits: "1.5ms", "250us",
/// "30s".
std::string format_duration(Nanos duration);

/// "64KiB", "1MiB", "4096", "2GiB"; powers of 1024, and kB/MB/GB as powers of 1000. In bytes.
Result<std::uint64_t> parse_size(std::string_view text);

}  // namespace schedlab
