// The subcommands: each takes its arguments without the program's name, prints, and returns an exit
// status.
#pragma once

#include <cstdio>

#include "cli/command_line.h"
#include "core/result.h"

namespace schedlab::cli {

/// Streams and what of the environment the commands may read; main() fills it, tests pass files of
/// their own.
struct Io {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  std::string path;  // $PATH, for cmd:
  bool err_is_terminal = false;
};

int ab_main(Arguments arguments, const Io& io);
int compare_main(Arguments arguments, const Io& io);
int version_main(const Io& io);

/// Default of --db: in the current directory, where its user will find it.
inline constexpr const char* kDefaultDatabase = "schedlab.db";

}  // namespace schedlab::cli
