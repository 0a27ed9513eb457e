// The program under test and the calls that most end-to-end tests make.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/command.h"

namespace schedlab::e2e {

inline testing::Command schedlab(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), SCHEDLAB_PROGRAM);
  return {.argv = std::move(arguments), .working_directory = {}, .extra_environment = {}};
}

inline testing::CommandResult run_schedlab(std::vector<std::string> arguments) {
  return testing::run(schedlab(std::move(arguments)));
}

inline auto count_lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// A case that takes a few milliseconds.
inline std::vector<std::string> tiny_case(const std::string& loops = "5") {
  return {"--", "hackbench", "-p", "-T", "-g", "1", "-f", "2", "-l", loops};
}

inline std::vector<std::string> with_case(std::vector<std::string> arguments,
                                          const std::vector<std::string>& words) {
  arguments.insert(arguments.end(), words.begin(), words.end());
  return arguments;
}

}  // namespace schedlab::e2e
