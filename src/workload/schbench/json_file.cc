#include "workload/schbench/json_file.h"

#include <fcntl.h>  // a temporary file that must be new
#include <fmt/format.h>
#include <sys/stat.h>  // what kind of file is there, and its mode
#include <unistd.h>    // write, fsync: a full disk must show before the rename

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "core/text.h"
#include "os/errno_text.h"

namespace schedlab::workload::schbench {

namespace {

Error cannot_open(const std::string& path) {
  return failed(
      fmt::format("unable to open json file {}: {}", printable(path), os::errno_text(errno)));
}

Error cannot_write(const std::string& path) {
  return failed(
      fmt::format("cannot write json file {}: {}", printable(path), os::errno_text(errno)));
}

/// The file behind links; the path itself while there is none.
std::string behind_links(const std::string& path) {
  char* const resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string out(resolved);
  std::free(resolved);  // NOLINT(*-no-malloc,*-owning-memory): realpath's own allocation
  return out;
}

}  // namespace

Result<JsonFile> JsonFile::open(const std::string& path) {
  constexpr mode_t kMode = 0666;
  if (path == "-") {
    os::UniqueFd fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!fd) return cannot_open(path);
    return JsonFile(path, {}, std::move(fd));
  }
  const std::string target = behind_links(path);

  struct stat there {};

  const bool exists = ::stat(target.c_str(), &there) == 0;
  if (exists && !S_ISREG(there.st_mode)) {
    os::UniqueFd fd(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd) return cannot_open(path);
    return JsonFile(target, {}, std::move(fd));
  }
  // A rename would also replace a file that we may not write.
  if (exists && ::access(target.c_str(), W_OK) != 0) return cannot_open(path);
  std::string part = fmt::format("{}.{}.part", target, ::getpid());
  os::UniqueFd fd(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (!fd) return cannot_open(path);
  // Where the mode cannot be kept (another owner's file), the one of a new file serves.
  if (exists) static_cast<void>(::fchmod(fd.get(), there.st_mode & 07777U));
  return JsonFile(target, std::move(part), std::move(fd));
}

JsonFile::~JsonFile() {
  if (!part_.empty()) ::unlink(part_.c_str());
}

Status JsonFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd_.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_write(path_);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (part_.empty()) return {};
  if (::fsync(fd_.get()) != 0) return cannot_write(path_);
  if (std::rename(part_.c_str(), path_.c_str()) != 0) return cannot_write(path_);
  part_.clear();
  return {};
}

}  // namespace schedlab::workload::schbench
