#include "core/duration.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/text.h"

namespace schedlab {

namespace {

struct UnitName {
  std::string_view name;
  double factor;
};

constexpr std::array<UnitName, 8> kTimeUnits = {{{"ns", 1},
                                                 {"us", 1e3},
                                                 {"ms", 1e6},
                                                 {"s", 1e9},
                                                 {"sec", 1e9},
                                                 {"min", 60e9},
                                                 {"m", 60e9},
                                                 {"h", 3600e9}}};

constexpr std::array<UnitName, 11> kSizeUnits = {{{"", 1},
                                                  {"B", 1},
                                                  {"KiB", 1024},
                                                  {"K", 1024},
                                                  {"MiB", 1048576},
                                                  {"M", 1048576},
                                                  {"GiB", 1073741824},
                                                  {"G", 1073741824},
                                                  {"kB", 1e3},
                                                  {"MB", 1e6},
                                                  {"GB", 1e9}}};

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
  const auto number = parse_number(digits);
  if (!number) return complain("its number is not one");
  const double nanos = *number * known->factor;
  if (nanos >= static_cast<double>(std::numeric_limits<std::int64_t>::max())) {
    return complain("it is longer than 292 years");
  }
  return Nanos(std::llround(nanos));
}

std::string format_duration(Nanos duration) {
  const auto nanos = static_cast<double>(duration.count());
  const double size = std::abs(nanos);
  if (size >= 3600e9 && std::fmod(nanos, 3600e9) == 0) return fmt::format("{:g}h", nanos / 3600e9);
  if (size >= 1e9) return fmt::format("{:.4g}s", nanos / 1e9);
  if (size >= 1e6) return fmt::format("{:.4g}ms", nanos / 1e6);
  if (size >= 1e3) return fmt::format("{:.4g}us", nanos / 1e3);
  return fmt::format("{:g}ns", nanos);
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto complain = [&](std::string_view why) {
    return usage_error(fmt::format(
        "cannot read '{}' as a size: {}; write it like 64KiB, 1MiB or 4096", printable(text), why));
  };
  const std::string_view all = trim(text);
  if (all.empty()) return complain("it is empty");
  const auto [digits, unit] = cut_number(all);
  const UnitName* known = find_unit(kSizeUnits, unit);
  if (known == nullptr) return complain("its unit is not B, KiB, MiB, GiB, kB, MB or GB");
  const auto number = parse_number(digits);
  if (!number) return complain("its number is not one");
  const double bytes = *number * known->factor;
  if (bytes >= 9e18) return complain("it is too large");
  return static_cast<std::uint64_t>(std::llround(bytes));
}

}  // namespace schedlab
