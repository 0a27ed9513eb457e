#include "workload/hackbench/json_file.h"

#include <fcntl.h>   // open without cutting the file
#include <unistd.h>  // ftruncate, write

#include <cerrno>
#include <utility>

#include "os/errno_text.h"

namespace schedlab::workload::hackbench {

namespace {

Error file_error(const std::string& path) {
  const int error = errno;
  return failed("cannot write --json " + path + ": " + os::errno_text(error));
}

}  // namespace

Result<JsonFile> JsonFile::open(const std::string& path) {
  constexpr mode_t kMode = 0666;
  os::UniqueFd fd(path == "-" ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                              : ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode));
  if (!fd) return file_error(path);
  return JsonFile(path, std::move(fd));
}

Status JsonFile::write(std::string_view text) {
  // Standard output is not ours to cut; a device or pipe cannot be, and need not.
  if (path_ != "-" && ::ftruncate(fd_.get(), 0) != 0 && errno != EINVAL) return file_error(path_);
  while (!text.empty()) {
    const ssize_t count = ::write(fd_.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error(path_);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace schedlab::workload::hackbench
