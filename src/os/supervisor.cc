// The runner's side of supervisor.h.
#include "os/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "core/text.h"
#include "os/bounded_reader.h"
#include "os/clock.h"
#include "os/errno_text.h"
#include "os/pipe.h"
#include "os/process.h"
#include "os/run_cgroup.h"
#include "os/supervisor_protocol.h"

namespace schedlab::os {

namespace {

using Kind = SuperviseEvent::Kind;

/// From SIGTERM to SIGKILL of a supervisor that does not end.
constexpr Nanos kGrace = std::chrono::seconds(2);
/// For killed processes to be gone once nobody else ends them.
constexpr Nanos kPatience = std::chrono::seconds(5);
constexpr std::size_t kStatusLimit = std::size_t{1} << 20U;

/// posix_spawn's own error convention: a number returned.
Status spawn_status(int error, std::string_view program) {
  if (error == 0) return {};
  return failed(fmt::format("cannot start the supervisor {}: {}", program, errno_text(error)));
}

/// What posix_spawn is told: own session, no blocked or ignored signals, and our pipes as 1 to 4.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t signals{};
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }

  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  SpawnPlan(SpawnPlan&&) = delete;
  SpawnPlan& operator=(SpawnPlan&&) = delete;

  void put(int fd, int as) { ::posix_spawn_file_actions_adddup2(&actions_, fd, as); }

  Result<pid_t> spawn(const std::string& program, std::vector<std::string> arguments) {
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, kStatusFd + 1);
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments)
      argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    SCHEDLAB_RETURN_IF_ERROR(spawn_status(
        ::posix_spawn(&child, program.c_str(), &actions_, &attributes_, argv.data(), environ),
        program));
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

class SupervisedRun {
 public:
  explicit SupervisedRun(const SupervisedCommand& command)
      : command_(command),
        spared_(children_of_self(fs_)),
        out_("stdout", command.output_limit),
        err_("stderr", command.output_limit),
        result_("the result pipe", command.result_limit),
        status_("the supervisor's status", kStatusLimit) {}

  Result<FinishedProcess> run();

 private:
  [[nodiscard]] std::array<BoundedReader*, 4> readers() {
    return {&out_, &err_, &result_, &status_};
  }

  void make_cgroup();
  Status spawn();
  void collect();
  [[nodiscard]] int next_timeout_ms() const;
  void check_deadlines();
  void stop();
  void stop_for(const std::string& failure);
  void kill_supervisor();
  void finish();
  [[nodiscard]] std::ptrdiff_t children_beyond(const std::vector<pid_t>& spared) const;
  void end_leftovers(bool supervisor_failed);
  void read_events();
  void take_event(const SuperviseEvent& event);

  const SupervisedCommand& command_;
  RealProcFs fs_;
  SubreaperScope subreaper_;
  std::vector<pid_t> spared_;  // children that were there before
  BoundedReader out_;
  BoundedReader err_;
  BoundedReader result_;
  BoundedReader status_;
  std::string cgroup_;
  pid_t supervisor_ = 0;
  UniqueFd pidfd_;  // readable once the supervisor has ended
  Nanos limit_at_{Nanos::max()};
  Nanos kill_at_{Nanos::max()};
  bool stopping_ = false;
  pid_t command_pid_ = 0;
  bool command_ended_ = false;
  std::optional<Error> refused_;
  FinishedProcess finished_;
};

bool is_readable(int fd) {
  pollfd item{.fd = fd, .events = POLLIN, .revents = 0};
  return fd >= 0 && ::poll(&item, 1, 0) > 0 && (item.revents & (POLLIN | POLLHUP)) != 0;
}

Error interrupted() {
  return {"interrupted before the run began", Error::Kind::Interrupted};
}

void SupervisedRun::make_cgroup() {
  if (!command_.use_cgroup) return;
  auto made = create_run_cgroup(fs_);
  if (made) {
    cgroup_ = *std::move(made);
  } else {
    finished_.notes.push_back("the run has no cgroup of its own: " + made.error().message);
  }
}

Status SupervisedRun::spawn() {
  SpawnPlan plan;
  std::vector<UniqueFd> childs_ends;
  int number = STDOUT_FILENO;
  for (BoundedReader* reader : readers()) {
    SCHEDLAB_ASSIGN_OR_RETURN(Pipe pipe, Pipe::open());
    plan.put(pipe.write_end.get(), number++);
    reader->read_from(std::move(pipe.read_end));
    childs_ends.push_back(std::move(pipe.write_end));
  }
  const SuperviseRequest request{.runner = ::getpid(),
                                 .cgroup = cgroup_,
                                 .attributes = command_.attributes,
                                 .program = command_.program,
                                 .arguments = command_.arguments};
  finished_.start_monotonic = monotonic_now();
  finished_.start_wall = wall_now();
  SCHEDLAB_ASSIGN_OR_RETURN(supervisor_, plan.spawn(command_.supervisor, to_argv(request)));
  // Linux 5.3; glibc 2.36 has the wrapper, older ones do not.
  pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, supervisor_, 0)));
  if (pidfd_) return {};
  const int error = errno;
  kill_supervisor();
  ::waitpid(supervisor_, nullptr, 0);
  return failed("cannot watch the supervisor: " + errno_text(error) + "; Linux 5.3 is needed");
}

int SupervisedRun::next_timeout_ms() const {
  const Nanos next = std::min(limit_at_, kill_at_);
  if (next == Nanos::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - monotonic_now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

void SupervisedRun::stop() {
  stopping_ = true;
  limit_at_ = Nanos::max();
  kill_at_ = monotonic_now() + kGrace;
  ::kill(supervisor_, SIGTERM);  // ours until wait4: the pid cannot be another's
}

void SupervisedRun::stop_for(const std::string& failure) {
  if (stopping_) return;
  finished_.failure = failure;
  stop();
}

void SupervisedRun::kill_supervisor() {
  kill_at_ = Nanos::max();
  ::kill(supervisor_, SIGKILL);
}

void SupervisedRun::check_deadlines() {
  const Nanos now = monotonic_now();
  if (now >= limit_at_) {
    finished_.timed_out = true;
    stop();
  }
  if (now >= kill_at_) kill_supervisor();
}

void SupervisedRun::collect() {
  if (command_.time_limit) limit_at_ = monotonic_now() + *command_.time_limit;
  for (;;) {
    std::vector<pollfd> items{
        {.fd = pidfd_.get(), .events = POLLIN, .revents = 0},
        {.fd = stopping_ ? -1 : command_.stop_fd, .events = POLLIN, .revents = 0}};
    for (BoundedReader* reader : readers())
      items.push_back({.fd = reader->fd(), .events = POLLIN, .revents = 0});
    (void)::poll(items.data(), items.size(), next_timeout_ms());
    // Whether it has ended is asked before the pipes are emptied, so that nothing comes after.
    const bool ended = is_readable(pidfd_.get());
    for (BoundedReader* reader : readers()) {
      reader->read_available();
      if (reader->overflowed()) stop_for(reader->overflow_text());
    }
    if (ended) return;
    if (!stopping_ && is_readable(command_.stop_fd)) {
      finished_.interrupted = true;
      stop();
    }
    check_deadlines();
  }
}

void SupervisedRun::take_event(const SuperviseEvent& event) {
  switch (event.kind) {
    case Kind::Started:
      command_pid_ = static_cast<pid_t>(event.number);
      finished_.start_monotonic = event.monotonic;
      finished_.start_wall = event.wall;
      return;
    case Kind::Exited:
    case Kind::Signaled:
      command_ended_ = true;
      finished_.end_monotonic = event.monotonic;
      finished_.end_wall = event.wall;
      (event.kind == Kind::Exited ? finished_.exit_code : finished_.exit_signal) =
          static_cast<std::int32_t>(event.number);
      return;
    case Kind::Error:
      refused_ = decode_error(event.text);
      return;
    case Kind::Note:
      finished_.notes.push_back(event.text);
      return;
  }
}

void SupervisedRun::read_events() {
  const std::string text = status_.take();
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    // A supervisor that was killed may leave half a line.
    if (const auto event = parse_event(line)) take_event(*event);
  }
}

std::ptrdiff_t SupervisedRun::children_beyond(const std::vector<pid_t>& spared) const {
  const std::vector<pid_t> children = children_of_self(fs_);
  return std::count_if(children.begin(), children.end(), [&](pid_t child) {
    return !std::binary_search(spared.begin(), spared.end(), child);
  });
}

/// Everything that the supervisor would have ended, when it could not.
void SupervisedRun::end_leftovers(bool supervisor_failed) {
  if (!cgroup_.empty() && ::access(cgroup_.c_str(), F_OK) == 0) (void)kill_cgroup(fs_, cgroup_);
  // The command is our own child by now, alive or zombie, or was reaped with its group.
  if (supervisor_failed && command_pid_ > 0) {
    const std::vector<pid_t> children = children_of_self(fs_);
    if (std::binary_search(children.begin(), children.end(), command_pid_)) {
      ::kill(-command_pid_, SIGKILL);
    }
  }
  kill_and_reap_children(fs_, spared_, kPatience);
  if (const auto stuck = children_beyond(spared_); stuck > 0) {
    finished_.notes.push_back(
        fmt::format("{} processes of the run were killed and are still not gone", stuck));
  }
  if (!cgroup_.empty()) {
    const Status removed = remove_cgroup(fs_, cgroup_, kPatience);
    if (!removed) finished_.notes.push_back(removed.error().message);
  }
}

void SupervisedRun::finish() {
  int status = 0;
  rusage usage{};
  while (::wait4(supervisor_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  const auto nanos = [](const timeval& time) -> Nanos {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  finished_.usage = {.switches = {.voluntary = usage.ru_nvcsw, .involuntary = usage.ru_nivcsw},
                     .user = nanos(usage.ru_utime),
                     .system = nanos(usage.ru_stime)};
  finished_.max_rss_bytes = std::int64_t{usage.ru_maxrss} * 1024;
  finished_.end_monotonic = monotonic_now();
  finished_.end_wall = wall_now();
  read_events();
  end_leftovers(!WIFEXITED(status));

  if (!command_ended_ && !refused_) {
    finished_.exit_signal = SIGKILL;
    if (!stopping_) {
      finished_.failure =
          WIFSIGNALED(status)
              ? fmt::format("the supervisor of the run was killed by signal {}", WTERMSIG(status))
              : fmt::format("the supervisor of the run gave up with exit status {}",
                            WEXITSTATUS(status));
    }
  }
  finished_.out = out_.take();
  finished_.err = err_.take();
  finished_.result = result_.take();
}

Result<FinishedProcess> SupervisedRun::run() {
  make_cgroup();
  if (const Status spawned = spawn(); !spawned) {
    if (!cgroup_.empty()) (void)remove_cgroup(fs_, cgroup_, kPatience);
    return spawned.error();
  }
  collect();
  finish();
  if (refused_) return *refused_;
  if (command_pid_ == 0 && !stopping_) return failed(finished_.failure);
  return std::move(finished_);
}

}  // namespace

Result<FinishedProcess> run_supervised(const SupervisedCommand& command) {
  if (command.program.empty() || command.arguments.empty()) {
    return usage_error("cannot run a command without a name; give a program");
  }
  SCHEDLAB_RETURN_IF_ERROR(validate(command.attributes));
  if (is_readable(command.stop_fd)) return interrupted();
  return SupervisedRun(command).run();
}

}  // namespace schedlab::os
