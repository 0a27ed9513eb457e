// What the subcommands share at the border with a person: parsing flags, one-line errors, exit
// statuses.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace schedlab::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

/// argv without the program's name.
using Arguments = std::span<const std::string>;

/// Prints `schedlab: message` on `err` and gives the exit status of the error's kind.
int complain(std::FILE* err, const Error& error);

/// What came of parsing: go on, or leave with this status (--help was printed, or the usage error
/// was).
struct Parsed {
  bool go_on = false;
  int exit_status = kExitDone;
};

/// Parses with CLI11. --help prints the example first, then the flags, on `out`; an error prints
/// one line on `err`, with the nearest known flag for one that is unknown.
Parsed parse(
    CLI::App& app, Arguments arguments, std::string_view example, std::FILE* out, std::FILE* err);

/// Prints text on stdout and reports a full disk or closed pipe, which a plain printf hides until
/// it is too late.
Status print(std::FILE* out, std::string_view text);

}  // namespace schedlab::cli
