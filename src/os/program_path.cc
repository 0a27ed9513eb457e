#include "os/program_path.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"

namespace schedlab::os {

namespace {

bool is_program(const std::string& path) {
  struct stat info {};

  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<std::string> find_program(const std::string& program, std::string_view path) {
  if (program.find('/') != std::string::npos) {
    if (is_program(program)) return program;
    return usage_error(fmt::format("'{}' is not a program that may be executed; check the path",
                                   printable(program)));
  }
  for (const std::string_view directory : split(path, ':')) {
    std::string candidate = fmt::format("{}/{}", directory.empty() ? "." : directory, program);
    if (is_program(candidate)) return candidate;
  }
  return usage_error(
      fmt::format("'{0}' is not in PATH; give its path, like ./{0}", printable(program)));
}

}  // namespace schedlab::os
