// The flag tables behind options.h, one per command line: ids shared by the strict and the drop-in
// reader.
#pragma once

#include <span>

#include "workload/schbench/flags.h"

namespace schedlab::workload::schbench {

inline constexpr int kFlagSplit = 256;
inline constexpr int kFlagHelp = 257;
inline constexpr int kFlagClassic = 258;
inline constexpr int kFlagNative = 259;
inline constexpr int kFlagEra = 260;
inline constexpr int kFlagArrivals = 261;
inline constexpr int kFlagSeed = 262;

/// Options of the original's main plus ours.
std::span<const FlagSpec> current_flags();

/// Options of the 2016 version plus ours.
std::span<const FlagSpec> flags_of_2016();

/// Whether `--era 2016` stands in the vector: the letters that follow mean other things then.
/// Errors: an era that is not known, a missing value.
Result<bool> asks_for_2016(std::span<const std::string> arguments);

}  // namespace schedlab::workload::schbench
