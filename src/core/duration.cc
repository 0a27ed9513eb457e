#include "core/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "core/text.h"

namespace schedlab {

namespace {

struct UnitName {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array<UnitName, 8> kTimeUnits = {{{"ns", 1},
                                                 {"us", 1'000},
                                                 {"ms", 1'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"sec", 1'000'000'000},
                                                 {"min", 60'000'000'000},
                                                 {"m", 60'000'000'000},
                                                 {"h", 3'600'000'000'000}}};

constexpr std::array<UnitName, 11> kSizeUnits = {{{"", 1},
                                                  {"B", 1},
                                                  {"KiB", 1024},
                                                  {"K", 1024},
                                                  {"MiB", 1048576},
                                                  {"M", 1048576},
                                                  {"GiB", 1073741824},
                                                  {"G", 1073741824},
                                                  {"kB", 1'000},
                                                  {"MB", 1'000'000},
                                                  {"GB", 1'000'000'000}}};

/// Number and unit of "12.5us"; the unit may be empty.
std::pair<std::string_view, std::string_view> cut_number(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end), trim(text.substr(end))};
}

const UnitName* find_unit(std::span<const UnitName> units, std::string_view name) {
  for (const UnitName& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

/// `digits` as a whole number times `factor`, exact; nothing when it has a point or overflows.
std::optional<std::uint64_t> whole_multiple(std::string_view digits, std::uint64_t factor) {
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  if (number > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
  return number * factor;
}

/// Four significant digits, never in the exponent form.
std::string four_digits(double value) {
  return std::abs(value) >= 9999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace

Result<Nanos> parse_duration(std::string_view text, std::string_view default_unit) {
  const auto complain = [&](std::string_view why) {
    return usage_error(
        fmt::format("cannot read '{}' as a duration: {}; write it like 30s, 250us or 1.5ms",
                    printable(text),
                    why));
  };
  const std::string_view all = trim(text);
  if (all.empty()) return complain("it is empty");
  if (all.front() == '-') return complain("it is negative");
  auto [digits, unit] = cut_number(all);
  if (unit.empty()) unit = default_unit;
  if (unit.empty()) return complain("it has no unit");
  const UnitName* known = find_unit(kTimeUnits, unit);
  if (known == nullptr) return complain("its unit is not ns, us, ms, s, min or h");
  constexpr auto kLongest = std::numeric_limits<std::int64_t>::max();
  if (const auto exact = whole_multiple(digits, known->factor);
      exact && *exact <= static_cast<std::uint64_t>(kLongest)) {
    return Nanos(static_cast<std::int64_t>(*exact));
  }
  const auto number = parse_number(digits);
  if (!number) return complain("its number is not one");
  const double nanos = *number * static_cast<double>(known->factor);
  if (nanos >= static_cast<double>(kLongest)) return complain("it is longer than 292 years");
  return Nanos(std::llround(nanos));
}

std::string format_duration(Nanos duration) {
  constexpr double kHour = 3600e9;
  const auto nanos = static_cast<double>(duration.count());
  const double size = std::abs(nanos);
  // A value that would round up to 1000 of a unit is shown as 1 of the next.
  if (size >= 9999.5e9 || (size >= kHour && std::fmod(nanos, kHour) == 0)) {
    return four_digits(nanos / kHour) + "h";
  }
  if (size >= 999.95e6) return four_digits(nanos / 1e9) + "s";
  if (size >= 999.95e3) return four_digits(nanos / 1e6) + "ms";
  if (size >= 1e3) return four_digits(nanos / 1e3) + "us";
  return fmt::format("{}ns", duration.count());
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto complain = [&](std::string_view why) {
    return usage_error(fmt::format(
        "cannot read '{}' as a size: {}; write it like 64KiB, 1MiB or 4096", printable(text), why));
  };
  const std::string_view all = trim(text);
  if (all.empty()) return complain("it is empty");
  if (all.front() == '-') return complain("it is negative");
  const auto [digits, unit] = cut_number(all);
  const UnitName* known = find_unit(kSizeUnits, unit);
  if (known == nullptr) return complain("its unit is not B, KiB, MiB, GiB, kB, MB or GB");
  if (const auto exact = whole_multiple(digits, known->factor)) return *exact;
  const auto number = parse_number(digits);
  if (!number) return complain("its number is not one");
  const double bytes = *number * static_cast<double>(known->factor);
  if (bytes >= 9e18) return complain("it is too large");
  if (bytes != std::floor(bytes)) return complain("it is not a whole number of bytes");
  return static_cast<std::uint64_t>(std::llround(bytes));
}

}  // namespace schedlab
