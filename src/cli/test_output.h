// What the tests of subcommands share: what one call said, read back from temporary files.
#pragma once

#include <cstdio>
#include <string>

namespace schedlab::cli {

struct Said {
  int status = 0;
  std::string out;
  std::string err;
};

/// All of `file`, which is closed.
inline std::string drained(std::FILE* file) {
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace schedlab::cli
