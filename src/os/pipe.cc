#include "os/pipe.h"

#include <fcntl.h>

#include "os/errno_text.h"

namespace schedlab::os {

namespace {

constexpr int kLowestFd = 10;

Result<UniqueFd> moved_up(UniqueFd fd) {
  UniqueFd moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kLowestFd));
  if (!moved) return failed("cannot make a pipe: " + errno_text(errno) + "; raise ulimit -n");
  return moved;
}

}  // namespace

Result<Pipe> Pipe::open() {
  int ends[2] = {};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return failed("cannot make a pipe: " + errno_text(errno) + "; raise ulimit -n");
  }
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  Pipe pipe;
  SCHEDLAB_ASSIGN_OR_RETURN(pipe.read_end, moved_up(std::move(read_end)));
  SCHEDLAB_ASSIGN_OR_RETURN(pipe.write_end, moved_up(std::move(write_end)));
  return pipe;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

std::string read_to_end(int fd) {
  std::string text;
  char chunk[4096];
  for (;;) {
    const ssize_t got = ::read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(chunk, static_cast<std::size_t>(got));
  }
}

std::string encode_error(const Error& error) {
  const char kind = error.kind == Error::Kind::Usage         ? 'u'
                    : error.kind == Error::Kind::Interrupted ? 'i'
                                                             : 'f';
  return kind + error.message;
}

Error decode_error(std::string_view text) {
  if (text.empty()) return failed("a child process reported an error without saying which");
  const std::string message(text.substr(1));
  switch (text.front()) {
    case 'u':
      return {message, Error::Kind::Usage};
    case 'i':
      return {message, Error::Kind::Interrupted};
    default:
      return {message, Error::Kind::Failed};
  }
}

}  // namespace schedlab::os
