// ProcFs: reading /proc and /sys as text, through a seam so that tests can pass a tree of their
// own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab::os {

class ProcFs {
 public:
  ProcFs() = default;
  ProcFs(const ProcFs&) = delete;
  ProcFs& operator=(const ProcFs&) = delete;
  ProcFs(ProcFs&&) = delete;
  ProcFs& operator=(ProcFs&&) = delete;
  virtual ~ProcFs() = default;

  /// The whole file. Errors name the path and errno's text; absent and unreadable differ in Error
  /// only by text.
  [[nodiscard]] virtual Result<std::string> read(std::string_view path) const = 0;

  /// Names in a directory, sorted, without "." and "..".
  [[nodiscard]] virtual Result<std::vector<std::string>> list(std::string_view directory) const = 0;
};

/// The machine's own files, read to their end whatever size they claim, up to 64 MiB.
class RealProcFs final : public ProcFs {
 public:
  [[nodiscard]] Result<std::string> read(std::string_view path) const override;
  [[nodiscard]] Result<std::vector<std::string>> list(std::string_view directory) const override;
};

/// Path -> text, for tests and for machines described by a dump. Directories are what the paths
/// imply; a path that ends in '/' makes an empty one.
class FakeProcFs final : public ProcFs {
 public:
  explicit FakeProcFs(std::map<std::string, std::string> files) : files_(std::move(files)) {}

  [[nodiscard]] Result<std::string> read(std::string_view path) const override;
  [[nodiscard]] Result<std::vector<std::string>> list(std::string_view directory) const override;

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace schedlab::os
