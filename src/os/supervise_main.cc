// The supervisor's side of supervisor.h: one thread, no output of its own, asleep while the run
// goes on.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "core/text.h"
#include "os/clock.h"
#include "os/errno_text.h"
#include "os/pipe.h"
#include "os/process.h"
#include "os/run_cgroup.h"
#include "os/supervisor.h"
#include "os/supervisor_protocol.h"

namespace schedlab::os {

namespace {

using Kind = SuperviseEvent::Kind;

/// How long killed processes may take to be gone. One in the middle of a device's work may need
/// long; the runner's own patience is shorter and ends us.
constexpr Nanos kPatience = std::chrono::seconds(10);

void report(const SuperviseEvent& event) {
  write_all(kStatusFd, to_line(event));  // when nobody reads any more, nobody needs it
}

void report_now(Kind kind, std::int64_t number) {
  report({.kind = kind,
          .number = number,
          .monotonic = monotonic_now(),
          .wall = wall_now(),
          .text = {}});
}

void note(std::string text) {
  report({.kind = Kind::Note, .text = std::move(text)});
}

sigset_t watched_signals() {
  sigset_t signals{};
  ::sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
    ::sigaddset(&signals, signal);
  return signals;
}

class Supervisor {
 public:
  explicit Supervisor(SuperviseRequest request) : request_(std::move(request)) {}

  /// Exit status of the supervisor: 0 when the command was started.
  int run() {
    const Status started = start();
    if (!started) report({.kind = Kind::Error, .text = encode_error(started.error())});
    if (started) wait_for_end();
    end_everything();
    return started ? 0 : 1;
  }

 private:
  Status start();
  [[noreturn]] void become_command(int go, int failure) const;
  void wait_for_end();
  bool has_command_ended();
  void report_command(const siginfo_t& info);
  void end_everything();

  SuperviseRequest request_;
  RealProcFs fs_;
  pid_t command_ = 0;
  bool command_reaped_ = false;
};

/// In the forked child: what apply_to_self allocates is fine, as the supervisor has one thread.
void Supervisor::become_command(int go, int failure) const {
  ::setpgid(0, 0);
  // Killed at once with the supervisor; what it forks is not, and is the runner's to end.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  char byte = 0;
  if (::read(go, &byte, 1) != 1) ::_exit(127);  // the supervisor is gone, or gave up
  if (const Status applied = apply_to_self(request_.attributes); !applied) {
    write_all(failure, encode_error(applied.error()));
    ::_exit(127);
  }
  std::vector<char*> argv;
  std::vector<std::string> arguments = request_.arguments;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  sigset_t none{};
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::execvp(request_.program.c_str(), argv.data());
  write_all(
      failure,
      encode_error(failed(fmt::format(
          "cannot run {}: {}; check its path", printable(request_.program), errno_text(errno)))));
  ::_exit(127);
}

Status Supervisor::start() {
  SCHEDLAB_ASSIGN_OR_RETURN(Pipe go, Pipe::open());
  SCHEDLAB_ASSIGN_OR_RETURN(Pipe failure, Pipe::open());
  command_ = ::fork();
  if (command_ < 0)
    return failed("cannot start a process: " + errno_text(errno) + "; raise ulimit -u");
  if (command_ == 0) {
    go.write_end.reset();
    become_command(go.read_end.get(), failure.write_end.get());
  }
  ::setpgid(command_, command_);  // whichever of us comes first
  if (!request_.cgroup.empty()) {
    const Status moved = move_to_cgroup(request_.cgroup, command_);
    if (!moved) note("the run has no cgroup of its own: " + moved.error().message);
  }
  failure.write_end.reset();
  report_now(Kind::Started, command_);
  write_all(go.write_end.get(), "g");
  const std::string refused = read_to_end(failure.read_end.get());  // ends at its exec
  if (!refused.empty()) return decode_error(refused);
  return {};
}

void Supervisor::report_command(const siginfo_t& info) {
  report_now(info.si_code == CLD_EXITED ? Kind::Exited : Kind::Signaled, info.si_status);
}

/// Reaps what has ended, except the command: its pid and process group stay ours until the group
/// was killed.
bool Supervisor::has_command_ended() {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
      return false;
    }
    if (info.si_pid == command_) {
      report_command(info);
      return true;
    }
    ::waitpid(info.si_pid, nullptr, 0);
  }
}

void Supervisor::wait_for_end() {
  const sigset_t signals = watched_signals();
  for (;;) {
    if (has_command_ended()) return;
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&signals, &info);
    if (signal > 0 && signal != SIGCHLD) {  // asked to stop, or the runner is gone
      ::kill(command_, SIGKILL);
      siginfo_t end{};
      if (::waitid(P_PID, static_cast<id_t>(command_), &end, WEXITED | WNOWAIT) == 0) {
        report_command(end);
      }
      return;
    }
  }
}

void Supervisor::end_everything() {
  if (!request_.cgroup.empty()) (void)kill_cgroup(fs_, request_.cgroup);
  if (command_ > 0) {
    ::kill(-command_, SIGKILL);
    ::waitpid(command_, nullptr, 0);
  }
  const std::int64_t left = kill_and_reap_children(fs_, {}, kPatience);
  if (left > 0)
    note(fmt::format("{} processes of the run were left when it ended, and were killed", left));
  if (request_.cgroup.empty()) return;
  if (const Status removed = remove_cgroup(fs_, request_.cgroup, kPatience); !removed) {
    note(removed.error().message);
  }
}

}  // namespace

int supervise_main(int argc, const char* const* argv) {
  auto request = parse_argv(std::vector<std::string>(argv, argv + argc));
  if (!request || ::fcntl(kStatusFd, F_SETFD, FD_CLOEXEC) != 0) return 2;
  sigset_t blocked = watched_signals();
  ::sigaddset(&blocked, SIGPIPE);  // blocked, not ignored: the command would inherit that
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  if (::getppid() != request->runner) {  // it died before we could ask to be told
    if (!request->cgroup.empty()) (void)remove_cgroup(RealProcFs(), request->cgroup, Nanos(0));
    return 1;
  }
  return Supervisor(*std::move(request)).run();
}

}  // namespace schedlab::os
