#include "os/bounded_reader.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace schedlab::os {

void BoundedReader::read_from(UniqueFd fd) {
  fd_ = std::move(fd);
  ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
}

void BoundedReader::read_available() {
  std::array<char, std::size_t{64} << 10U> chunk;  // a pipe's usual capacity
  while (fd_ && !overflowed_) {
    const ssize_t got = ::read(fd_.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return fd_.reset();
    const std::size_t fits = std::min(static_cast<std::size_t>(got), limit_ - text_.size());
    text_.append(chunk.data(), fits);
    // The pipe stays open, so that the writer blocks until it is killed rather than die of SIGPIPE.
    overflowed_ = fits < static_cast<std::size_t>(got);
  }
}

std::string BoundedReader::overflow_text() const {
  return fmt::format("it wrote more than {} bytes to {} and was stopped", limit_, name_);
}

}  // namespace schedlab::os
