#include "tests/support/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace schedlab::testing {

namespace {

constexpr auto kLimit = std::chrono::seconds(120);

[[noreturn]] void become(const Command& command, int out, int err) {
  ::setpgid(0, 0);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  if (!command.working_directory.empty() && ::chdir(command.working_directory.c_str()) != 0) {
    ::_exit(126);
  }
  for (const std::string& entry : command.extra_environment) {
    ::putenv(
        ::strdup(entry.c_str()));  // NOLINT(concurrency-mt-unsafe): a fresh child has one thread
  }
  std::vector<char*> argv;
  for (const std::string& argument : command.argv)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

/// Takes what can be read now; false at end of file.
bool drain(int fd, std::string& into) {
  char buffer[65536];
  const ssize_t got = ::read(fd, buffer, sizeof buffer);
  if (got > 0) into.append(buffer, static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace

Started::Started(const Command& command) {
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
    throw std::runtime_error("pipe2");
  pid_ = ::fork();
  if (pid_ == 0) become(command, out[1], err[1]);
  ::setpgid(pid_, pid_);
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

Started::~Started() {
  if (pid_ > 0) {
    send_signal(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
}

void Started::send_signal(int signal) const {
  ::kill(pid_, signal);
}

CommandResult Started::wait() {
  CommandResult result;
  const auto deadline = std::chrono::steady_clock::now() + kLimit;
  bool out_open = true;
  bool err_open = true;
  while (out_open || err_open) {
    pollfd fds[2] = {{out_open ? out_ : -1, POLLIN, 0}, {err_open ? err_ : -1, POLLIN, 0}};
    ::poll(fds, 2, 1000);
    if (out_open && fds[0].revents != 0) out_open = drain(out_, result.out);
    if (err_open && fds[1].revents != 0) err_open = drain(err_, result.err);
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(-pid_, SIGKILL);
      break;
    }
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

CommandResult run(const Command& command) {
  Started started(command);
  return started.wait();
}

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "schedlab-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<pid_t> processes_with(const std::string& word) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string line((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const pid_t pid = static_cast<pid_t>(std::stol(name));
    if (pid != ::getpid() && line.find(word) != std::string::npos) found.push_back(pid);
  }
  return found;
}

}  // namespace schedlab::testing
