#include "workload/hackbench/channel.h"

#include <fcntl.h>       // O_CLOEXEC of the pipe
#include <netinet/in.h>  // the loopback address
#include <sys/socket.h>  // the channels are what is measured
#include <unistd.h>      // pipe2

#include <array>
#include <cerrno>
#include <string>

#include "os/errno_text.h"

namespace schedlab::workload::hackbench {

namespace {

Error call_failed(const char* call) {
  const int error = errno;
  std::string message = std::string("cannot create a channel: ") + call + ": ";
  message += os::errno_text(error);
  if (error == EMFILE || error == ENFILE) message += "; raise `ulimit -n` or lower --groups";
  return failed(std::move(message));
}

Result<Channel> make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return call_failed("pipe");
  return Channel{os::UniqueFd(fds[0]), os::UniqueFd(fds[1])};
}

Result<Channel> make_socket_pair() {
  std::array<int, 2> fds{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) {
    return call_failed("socketpair");
  }
  return Channel{os::UniqueFd(fds[0]), os::UniqueFd(fds[1])};
}

// NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): the socket calls take a sockaddr
sockaddr* generic(sockaddr_in& address) {
  return reinterpret_cast<sockaddr*>(&address);
}

// NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)

Result<os::UniqueFd> make_tcp_socket() {
  os::UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return call_failed("socket");
  return fd;
}

Result<sockaddr_in> name_of_socket(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, generic(address), &size) != 0) return call_failed("getsockname");
  return address;
}

/// The next connection whose other end is `expected`; strangers who found the port are hung up on.
Result<os::UniqueFd> accept_from(int listener, const sockaddr_in& expected) {
  while (true) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    os::UniqueFd fd(::accept4(listener, generic(peer), &size, SOCK_CLOEXEC));
    if (!fd) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return call_failed("accept");
    }
    if (peer.sin_port == expected.sin_port && peer.sin_addr.s_addr == expected.sin_addr.s_addr) {
      return fd;
    }
  }
}

/// The writer connects, the reader accepts. Over loopback the blocking connect ends as soon as the
/// listener's queue has taken it, before accept is called, so one thread can do both.
Result<Channel> make_tcp_pair() {
  SCHEDLAB_ASSIGN_OR_RETURN(const os::UniqueFd listener, make_tcp_socket());
  SCHEDLAB_ASSIGN_OR_RETURN(os::UniqueFd writer, make_tcp_socket());
  sockaddr_in loopback{};
  loopback.sin_family = AF_INET;
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener.get(), generic(loopback), sizeof loopback) != 0) return call_failed("bind");
  SCHEDLAB_ASSIGN_OR_RETURN(sockaddr_in address, name_of_socket(listener.get()));
  constexpr int kBacklog = 10;
  if (::listen(listener.get(), kBacklog) != 0) return call_failed("listen");
  if (::connect(writer.get(), generic(address), sizeof address) != 0) {
    return call_failed("connect to 127.0.0.1");
  }
  SCHEDLAB_ASSIGN_OR_RETURN(const sockaddr_in writer_name, name_of_socket(writer.get()));
  SCHEDLAB_ASSIGN_OR_RETURN(os::UniqueFd reader, accept_from(listener.get(), writer_name));
  return Channel{std::move(reader), std::move(writer)};
}

}  // namespace

Result<Channel> make_channel(Ipc ipc) {
  switch (ipc) {
    case Ipc::Pipe:
      return make_pipe();
    case Ipc::Inet:
      return make_tcp_pair();
    case Ipc::Socket:
      break;
  }
  return make_socket_pair();
}

}  // namespace schedlab::workload::hackbench
