// The file that --json names: known to be writable before the run, written after it.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "os/unique_fd.h"

namespace schedlab::workload::hackbench {

class JsonFile {
 public:
  /// "-" is standard output. What the file holds stays until write(). Errors: cannot be opened.
  static Result<JsonFile> open(const std::string& path);

  /// Replaces what the file holds. Errors: the disk is full, and the like.
  Status write(std::string_view text);

 private:
  JsonFile(std::string path, os::UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  os::UniqueFd fd_;
};

}  // namespace schedlab::workload::hackbench
