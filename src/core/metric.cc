#include "core/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/enum_names.h"

namespace schedlab {

namespace {

constexpr EnumNames<Direction, 3> kDirections = {{
    {Direction::HigherIsBetter, "higher"},
    {Direction::LowerIsBetter, "lower"},
    {Direction::Descriptive, "descriptive"},
}};

constexpr EnumNames<Unit, 6> kUnits = {{
    {Unit::Seconds, "s"},
    {Unit::Nanoseconds, "ns"},
    {Unit::PerSecond, "1/s"},
    {Unit::BytesPerSecond, "B/s"},
    {Unit::Count, "count"},
    {Unit::Percent, "%"},
}};

constexpr EnumNames<MetricClass, 5> kMetricClasses = {{
    {MetricClass::Throughput, "throughput"},
    {MetricClass::Time, "time"},
    {MetricClass::LatencyMedian, "latency-median"},
    {MetricClass::LatencyTail, "latency-tail"},
    {MetricClass::Other, "other"},
}};

struct Scale {
  double from;  // used for |value| >= from
  double factor;
  std::string_view suffix;
};

int decimals_of(double size) {
  return size >= 999.95 || size == 0 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
}

std::string scaled(double value, std::span<const Scale> scales) {
  // What would round up to the next scale is shown there: 999.97 us as 1.000 ms.
  const double magnitude = std::abs(value) * (1 + 5e-5);
  const Scale* chosen = &scales.back();
  for (const Scale& scale : scales) {
    if (magnitude >= scale.from) {
      chosen = &scale;
      break;
    }
  }
  const double shown = value / chosen->factor;
  return fmt::format("{:.{}f} {}", shown, decimals_of(std::abs(shown)), chosen->suffix);
}

/// A count is whole in a run, but a mean of counts is not.
std::string plain_count(double value) {
  if (value == std::floor(value) || std::abs(value) >= 999.95) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, std::min(decimals_of(std::abs(value)), 2));
}

constexpr std::array<Scale, 4> kTime = {
    {{1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, "us"}, {0, 1, "ns"}}};
constexpr std::array<Scale, 4> kRate = {
    {{1e9, 1e9, "G/s"}, {1e6, 1e6, "M/s"}, {1e4, 1e3, "k/s"}, {0, 1, "/s"}}};
constexpr std::array<Scale, 4> kBandwidth = {
    {{1e9, 1e9, "GB/s"}, {1e6, 1e6, "MB/s"}, {1e3, 1e3, "kB/s"}, {0, 1, "B/s"}}};

}  // namespace

std::string_view to_string(Direction direction) {
  return name_of(kDirections, direction);
}

std::string_view to_string(Unit unit) {
  return name_of(kUnits, unit);
}

std::string_view to_string(MetricClass metric_class) {
  return name_of(kMetricClasses, metric_class);
}

Result<Direction> parse_direction(std::string_view text) {
  return value_of(kDirections, text, "direction");
}

Result<Unit> parse_unit(std::string_view text) {
  return value_of(kUnits, text, "unit");
}

Result<MetricClass> parse_metric_class(std::string_view text) {
  return value_of(kMetricClasses, text, "metric class");
}

double default_delta(MetricClass metric_class) {
  switch (metric_class) {
    case MetricClass::LatencyMedian:
      return 0.03;
    case MetricClass::LatencyTail:
      return 0.05;
    case MetricClass::Throughput:
    case MetricClass::Time:
    case MetricClass::Other:
      return 0.01;
  }
  return 0.01;
}

std::string format_value(double value, Unit unit) {
  if (!std::isfinite(value)) return "not known";
  switch (unit) {
    case Unit::Seconds:
      return scaled(value * 1e9, kTime);
    case Unit::Nanoseconds:
      return scaled(value, kTime);
    case Unit::PerSecond:
      return scaled(value, kRate);
    case Unit::BytesPerSecond:
      return scaled(value, kBandwidth);
    case Unit::Percent:
      return fmt::format("{:.2f} %", value);
    case Unit::Count:
      return fmt::format("{} x", plain_count(value));
  }
  return {};
}

}  // namespace schedlab
