// Metric: a named value of one run, with everything needed to compare it. There is no bare number.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace schedlab {

enum class Direction { HigherIsBetter, LowerIsBetter, Descriptive };

enum class Unit { Seconds, Nanoseconds, PerSecond, BytesPerSecond, Count, Percent };

/// Decides the default equivalence margin delta: 1 % for throughput and time, 3 % for a median
/// latency, 5 % for a tail (shared/spec: compare 5.3; docs/methodology.md).
enum class MetricClass { Throughput, Time, LatencyMedian, LatencyTail, Other };

struct Metric {
  std::string name;  // "wakeup_p99", "rps_p50", "time"
  double value = 0;  // in `unit`
  Unit unit = Unit::Count;
  Direction direction = Direction::Descriptive;
  MetricClass metric_class = MetricClass::Other;
  double resolution = 0;  // smallest step the instrument can show, in `unit`; 0 = not known
  bool primary = false;   // decides the verdict of the run's case

  friend bool operator==(const Metric&, const Metric&) = default;
};

[[nodiscard]] std::string_view to_string(Direction direction);
[[nodiscard]] std::string_view to_string(Unit unit);
[[nodiscard]] std::string_view to_string(MetricClass metric_class);
Result<Direction> parse_direction(std::string_view text);
Result<Unit> parse_unit(std::string_view text);
Result<MetricClass> parse_metric_class(std::string_view text);

/// The default delta of TOST for a class: 0.01, 0.03 or 0.05.
[[nodiscard]] double default_delta(MetricClass metric_class);

/// "1.234 s", "12.30 us", "57.10 k/s": four significant digits, scaled to a readable size, with the
/// unit; never a bare number. A value that is not finite reads "not known".
[[nodiscard]] std::string format_value(double value, Unit unit);

}  // namespace schedlab
