#include "os/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "os/errno_text.h"
#include "os/unique_fd.h"

namespace schedlab::os {

namespace {

/// No file of /proc or /sys that we read comes near; a wrong path (/dev/zero) ends here.
constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20U;

constexpr std::size_t kChunk = std::size_t{64} << 10U;

Error read_error(std::string_view path, std::string_view why) {
  return failed(fmt::format("cannot read {}: {}", path, why));
}

std::string_view without_trailing_slash(std::string_view directory) {
  while (directory.size() > 1 && directory.back() == '/')
    directory.remove_suffix(1);
  return directory;
}

}  // namespace

Result<std::string> RealProcFs::read(std::string_view path) const {
  const UniqueFd fd(::open(std::string(path).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return read_error(path, errno_text(errno));
  // st_size says 0 or 4096 for these files: the end is where read() says so. The chunk is larger
  // than a page because some files give a consistent picture only within one read.
  std::string text;
  for (;;) {
    const std::size_t used = text.size();
    if (used > kMaxFileBytes) {
      return read_error(path, fmt::format("it is larger than {} MiB", kMaxFileBytes >> 20U));
    }
    text.resize(used + kChunk);
    const ssize_t got = ::read(fd.get(), text.data() + used, kChunk);
    const int error = errno;
    text.resize(used + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return text;
    if (got < 0 && error != EINTR) return read_error(path, errno_text(error));
  }
}

Result<std::vector<std::string>> RealProcFs::list(std::string_view directory) const {
  const auto close = [](DIR* dir) { ::closedir(dir); };
  const std::unique_ptr<DIR, decltype(close)> dir(::opendir(std::string(directory).c_str()));
  if (!dir) return read_error(directory, errno_text(errno));
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's readdir is safe on a stream of our own
    const dirent* entry = ::readdir(dir.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return read_error(directory, errno_text(errno));
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> FakeProcFs::read(std::string_view path) const {
  const auto file = files_.find(std::string(path));
  if (file != files_.end()) return file->second;
  return read_error(path, errno_text(list(path) ? EISDIR : ENOENT));
}

Result<std::vector<std::string>> FakeProcFs::list(std::string_view directory) const {
  const std::string prefix = std::string(without_trailing_slash(directory)) + "/";
  std::vector<std::string> names;
  bool found = false;
  for (auto file = files_.lower_bound(prefix); file != files_.end(); ++file) {
    const std::string_view path = file->first;
    if (path.substr(0, prefix.size()) != prefix) break;
    found = true;
    const std::string_view rest = path.substr(prefix.size());
    const std::string_view name = rest.substr(0, rest.find('/'));
    if (!name.empty() && (names.empty() || names.back() != name)) names.emplace_back(name);
  }
  if (!found) {
    const bool is_file = files_.contains(std::string(directory));
    return read_error(directory, errno_text(is_file ? ENOTDIR : ENOENT));
  }
  // Paths sort by whole text, where '/' stands behind '-' and '.': "a-b/x" comes before "a/x".
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace schedlab::os
