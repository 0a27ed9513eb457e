// JsonFile: where -j puts its text. Known to be writable before the run, written after it, and
// never half written: a regular file is replaced as a whole, so a run that fails leaves what was
// there before.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"
#include "os/unique_fd.h"

namespace schedlab::workload::schbench {

class JsonFile {
 public:
  /// "-" is standard output. A link is followed; a device or pipe is opened as it is; anything else
  /// gets a temporary file beside it. Errors: not writable, no such directory.
  static Result<JsonFile> open(const std::string& path);

  /// Removes the temporary file unless write() made it the real one.
  ~JsonFile();
  JsonFile(const JsonFile&) = delete;
  JsonFile& operator=(const JsonFile&) = delete;

  JsonFile(JsonFile&& other) noexcept
      : path_(std::move(other.path_)),
        part_(std::exchange(other.part_, {})),
        fd_(std::move(other.fd_)) {}

  JsonFile& operator=(JsonFile&&) = delete;

  /// Once. Errors: the disk is full, the reader is gone, and the like.
  Status write(std::string_view text);

 private:
  JsonFile(std::string path, std::string part, os::UniqueFd fd)
      : path_(std::move(path)), part_(std::move(part)), fd_(std::move(fd)) {}

  std::string path_;
  std::string part_;  // the temporary file's name; empty = none
  os::UniqueFd fd_;
};

}  // namespace schedlab::workload::schbench
