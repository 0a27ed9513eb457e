#include "workload/schbench/option_flags.h"

#include <fmt/format.h>

#include <array>

#include "core/text.h"

namespace schedlab::workload::schbench {

namespace {

constexpr FlagSpec value_flag(char letter, std::string_view name) {
  return {letter, letter, name, true, false};
}

constexpr FlagSpec switch_flag(char letter, std::string_view name) {
  return {letter, letter, name, false, false};
}

constexpr FlagSpec our_flag(int id, std::string_view name, bool takes_value) {
  return {id, 0, name, takes_value, true};
}

constexpr std::array kCurrent{
    value_flag('m', "message-threads"),
    value_flag('t', "threads"),
    value_flag('r', "runtime"),
    value_flag('F', "cache_footprint"),
    value_flag('n', "operations"),
    value_flag('s', "sleep_usec"),
    switch_flag('L', "no-locking"),
    switch_flag('C', "calibrate"),
    value_flag('p', "pipe"),
    value_flag('R', "rps"),
    value_flag('A', "auto-rps"),
    value_flag('w', "warmuptime"),
    value_flag('i', "intervaltime"),
    value_flag('z', "zerotime"),
    value_flag('M', "message-cpus"),
    value_flag('W', "worker-cpus"),
    value_flag('j', "json"),
    value_flag('J', "jobname"),
    FlagSpec{kFlagSplit, 0, "split", true, false},
    FlagSpec{kFlagHelp, 0, "help", false, false},
    our_flag(kFlagClassic, "classic", false),
    our_flag(kFlagNative, "native", false),
    our_flag(kFlagEra, "era", true),
    our_flag(kFlagArrivals, "arrivals", true),
    our_flag(kFlagSeed, "seed", true),
};

constexpr std::array k2016{
    value_flag('m', "message-threads"),
    value_flag('t', "threads"),
    value_flag('r', "runtime"),
    value_flag('s', "sleeptime"),
    value_flag('c', "cputime"),
    value_flag('p', "pipe"),
    value_flag('R', "rps"),
    value_flag('w', "warmuptime"),
    switch_flag('a', "auto"),
    FlagSpec{kFlagHelp, 0, "help", false, false},
    our_flag(kFlagEra, "era", true),
    our_flag(kFlagSeed, "seed", true),
};

Result<bool> known_era(std::string_view era) {
  if (era == "2016") return true;
  if (era == "2023") return false;
  return usage_error(
      fmt::format("--era '{}': known eras are 2016 (the first generation) and 2023 "
                  "(today's, the default)",
                  printable(era)));
}

}  // namespace

std::span<const FlagSpec> current_flags() {
  return kCurrent;
}

std::span<const FlagSpec> flags_of_2016() {
  return k2016;
}

Result<bool> asks_for_2016(std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") break;
    if (arguments[i].starts_with("--era=")) return known_era(arguments[i].substr(6));
    if (arguments[i] != "--era") continue;
    if (i + 1 == arguments.size()) return usage_error("--era needs a value: 2016 or 2023");
    return known_era(arguments[i + 1]);
  }
  return false;
}

}  // namespace schedlab::workload::schbench
