// Finding a program the way execvp would, without running anything.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace schedlab::os {

/// The path to run for `program`: itself when it has a slash, else the first match in `path`
/// ($PATH). Errors (Usage): absent, a directory, not executable for us.
Result<std::string> find_program(const std::string& program, std::string_view path);

}  // namespace schedlab::os
