// Flags: splits an argument vector by getopt_long's rules (clusters, attached values,
// `--long=value`, unique prefixes, options after operands), silently and without getopt's global
// state.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab::workload::schbench {

struct FlagSpec {
  int id = 0;                  // the letter, or a number above 255 for long-only flags
  char letter = 0;             // 0 = none
  std::string_view long_name;  // without dashes
  bool takes_value = false;
  bool ours = false;  // not an option of the original: must be spelled in full
};

struct Flag {
  const FlagSpec* spec = nullptr;
  std::string value;      // empty when it takes none
  std::string spelling;   // as given, for messages: "-r", "--runtime"
  std::size_t first = 0;  // index of the argument that names it
  std::size_t count = 1;  // arguments used: 1, or 2 when the value stands apart
};

/// What was wrong with the vector; `message` is getopt's own wording without the program's name.
struct FlagError {
  enum class Kind { Unknown, Ambiguous, MissingValue, UnwantedValue };

  Kind kind = Kind::Unknown;
  std::string message;
  std::string spelling;
};

struct FlagList {
  std::vector<Flag> flags;
  std::vector<std::string> operands;
  std::vector<FlagError> errors;  // the first one ends the walk
};

/// `specs` must outlive the result.
FlagList split_flags(std::span<const std::string> arguments, std::span<const FlagSpec> specs);

/// "unknown flag --runtme; did you mean --runtime?"
std::string with_nearest_flag(std::string_view spelling, std::span<const FlagSpec> specs);

}  // namespace schedlab::workload::schbench
