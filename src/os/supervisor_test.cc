#include "os/supervisor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "core/text.h"
#include "os/affinity.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/run_cgroup.h"
#include "os/supervised_helper.h"
#include "os/unique_fd.h"

namespace schedlab::os {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Waiting for what must come; only a broken test waits this long.
constexpr int kPatienceMs = 60'000;

/// How a test sees, without polling, that every process of a run is dead: each holds the FIFO open,
/// and its end comes when the last one is gone.
class Fifo {
 public:
  Fifo() {
    directory_ = testing::TempDir() + "schedlab-XXXXXX";
    EXPECT_NE(::mkdtemp(directory_.data()), nullptr);
    EXPECT_EQ(::mkfifo(path().c_str(), 0600), 0);
    fd_ = UniqueFd(::open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }

  ~Fifo() { std::filesystem::remove_all(directory_); }

  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;
  Fifo(Fifo&&) = delete;
  Fifo& operator=(Fifo&&) = delete;

  [[nodiscard]] std::string path() const { return directory_ + "/fifo"; }

  /// The three processes of "tree" are there.
  [[nodiscard]] bool all_are_up() {
    std::size_t seen = 0;
    while (seen < 3) {
      if (!wait()) return false;
      char bytes[8];
      const ssize_t got = ::read(fd_.get(), bytes, sizeof bytes);
      if (got <= 0) return false;  // they died before
      seen += static_cast<std::size_t>(got);
    }
    return true;
  }

  /// All have died. Only after all_are_up().
  [[nodiscard]] bool all_are_gone() {
    for (;;) {
      if (!wait()) return false;
      char bytes[8];
      if (::read(fd_.get(), bytes, sizeof bytes) == 0) return true;
    }
  }

 private:
  [[nodiscard]] bool wait() const {
    pollfd item{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&item, 1, kPatienceMs) == 1;
  }

  std::string directory_;
  UniqueFd fd_;
};

SupervisedCommand helper(std::vector<std::string> words) {
  SupervisedCommand command;
  command.program = "/proc/self/exe";
  command.arguments = {"helper", std::string(kHelperArgument)};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  return command;
}

SupervisedCommand tree(const Fifo& fifo, const char* mode) {
  return helper({"tree", fifo.path(), mode});
}

/// Cgroups of runs beneath our own cgroup.
std::vector<std::string> run_cgroups() {
  const RealProcFs fs;
  const auto own = own_cgroup_directory(fs);
  std::vector<std::string> names = own ? *fs.list(*own) : std::vector<std::string>();
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("schedlab-"); });
  return names;
}

std::vector<std::string> run_cgroups_of(pid_t runner) {
  std::vector<std::string> names = run_cgroups();
  const std::string prefix = "schedlab-" + std::to_string(runner) + "-";
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(prefix); });
  return names;
}

bool has_cgroups() {
  const RealProcFs fs;
  const auto made = create_run_cgroup(fs);
  return made && remove_cgroup(fs, *made, 1s);
}

TEST(Supervisor, HandsBackOutputsResultAndExitCode) {
  const auto run = run_supervised(helper({"speak"}));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->out, "out");
  EXPECT_EQ(run->err, "err");
  EXPECT_EQ(run->result, "result");
  EXPECT_EQ(run->exit_code, 3);
  EXPECT_EQ(run->exit_signal, 0);
  EXPECT_EQ(run->failure, "");
  EXPECT_FALSE(run->timed_out || run->interrupted || run->ok());
  EXPECT_LT(run->start_monotonic, run->end_monotonic);
  EXPECT_LE(run->start_wall, run->end_wall);
  EXPECT_GT(run->max_rss_bytes, 0);
}

TEST(Supervisor, TellsTheSignalThatEndedTheCommand) {
  const auto run = run_supervised(helper({"die"}));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->exit_signal, SIGUSR1);
  EXPECT_EQ(run->exit_code, 0);
}

TEST(Supervisor, ProgramsAreFoundInThePath) {
  const auto run = run_supervised({.program = "true", .arguments = {"true"}});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->ok());
}

TEST(Supervisor, LeavesNoCgroupBehindAndNamesWhyThereWasNone) {
  const auto run = run_supervised(helper({"speak"}));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_THAT(run_cgroups_of(::getpid()), IsEmpty());
  if (has_cgroups()) {
    EXPECT_THAT(run->notes, IsEmpty());
  } else {
    EXPECT_THAT(run->notes, ElementsAre(HasSubstr("no cgroup of its own")));
  }
}

TEST(Supervisor, AProgramThatIsNotThereIsAnErrorThatNamesIt) {
  const auto run = run_supervised({.program = "./no-such-thing", .arguments = {"x"}});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message,
            "cannot run ./no-such-thing: No such file or directory; check its path");
  EXPECT_THAT(run_cgroups_of(::getpid()), IsEmpty());
}

TEST(Supervisor, ASupervisorThatIsNoneIsAnError) {
  SupervisedCommand command = helper({"speak"});
  command.supervisor = "/bin/true";
  EXPECT_THAT(run_supervised(command).error().message, HasSubstr("gave up with exit status 0"));
  command.supervisor = "/no/such/supervisor";
  EXPECT_THAT(run_supervised(command).error().message,
              HasSubstr("cannot start the supervisor /no/such/supervisor"));
  EXPECT_THAT(run_cgroups_of(::getpid()), IsEmpty());
}

TEST(Supervisor, AnEmptyCommandIsAUsageError) {
  EXPECT_EQ(run_supervised({}).error().kind, Error::Kind::Usage);
}

TEST(Supervisor, TheCommandInheritsNoDescriptorBesidesItsOwn) {
  const UniqueFd leaky(::open("/dev/null", O_RDONLY));  // NOLINT(android-cloexec-open): on purpose
  const auto run = run_supervised(helper({"fds"}));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->out, "0\n1\n2\n3\n");
}

TEST(Supervisor, TheCommandInheritsNoBlockedOrIgnoredSignal) {
  sigset_t blocked{};
  sigset_t before{};
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto* const old = ::signal(SIGPIPE, SIG_IGN);
  const auto run = run_supervised(helper({"signals"}));
  ::signal(SIGPIPE, old);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->out, "");
}

TEST(Supervisor, CpuTimeOfChildrenCounts) {
  const auto run = run_supervised(helper({"burn"}));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_GE(run->usage.cpu_time(), 50ms);
}

TEST(Supervisor, AttributesHoldForTheCommandAndWhatItForks) {
  SupervisedCommand command = helper({"attributes"});
  const CpuList last({(*allowed_cpus())[allowed_cpus()->size() - 1]});
  command.attributes.cpus = last;
  command.attributes.nice = 7;
  command.attributes.policy = SchedPolicy{.kind = SchedPolicy::Kind::Batch};
  if (const auto possible = probe({.slice = 3ms})) command.attributes.slice = 3ms;
  const auto run = run_supervised(command);
  ASSERT_TRUE(run) << run.error().message;
  const auto lines = split(run->out, '\n');
  ASSERT_EQ(lines.size(), 3U) << run->out;
  EXPECT_EQ(lines[0], lines[1]);
  EXPECT_THAT(run->out, HasSubstr("policy=3 nice=7 "));
  EXPECT_THAT(run->out, HasSubstr("cpus=" + last.to_string()));
  if (command.attributes.slice) {
    EXPECT_THAT(run->out, HasSubstr("slice=3000000 "));
  }
}

TEST(Supervisor, RefusedAttributesAreAnErrorAndNothingRuns) {
  SupervisedCommand command = helper({"speak"});
  command.attributes.cpus = CpuList({CpuId{8000}});
  const auto run = run_supervised(command);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("cannot pin to CPU 8000"));
}

TEST(Supervisor, TooMuchOutputStopsTheRunAndSaysSo) {
  SupervisedCommand command = helper({"flood"});
  command.output_limit = 100'000;
  const auto run = run_supervised(command);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->failure, "it wrote more than 100000 bytes to stdout and was stopped");
  EXPECT_EQ(run->out.size(), 100'000U);
  EXPECT_EQ(run->exit_signal, SIGKILL);
  EXPECT_FALSE(run->timed_out || run->interrupted);
}

TEST(Supervisor, WhatTheCommandLeavesBehindIsKilledAndNoted) {
  for (const bool use_cgroup : {true, false}) {
    Fifo fifo;
    SupervisedCommand command = tree(fifo, "leave");
    command.use_cgroup = use_cgroup;
    const auto run = run_supervised(command);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->exit_code, 7);
    EXPECT_TRUE(fifo.all_are_up());
    EXPECT_TRUE(fifo.all_are_gone());
    EXPECT_THAT(run->notes, Contains(HasSubstr("2 processes of the run were left")));
  }
}

TEST(Supervisor, ATimeLimitKillsTheWholeTree) {
  for (const bool use_cgroup : {true, false}) {
    Fifo fifo;
    SupervisedCommand command = tree(fifo, "stay");
    command.use_cgroup = use_cgroup;
    command.time_limit = 1s;
    const auto run = run_supervised(command);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_TRUE(run->timed_out);
    EXPECT_EQ(run->exit_signal, SIGKILL);
    if (!fifo.all_are_up()) GTEST_SKIP() << "too slow a machine to start three processes in 1 s";
    EXPECT_TRUE(fifo.all_are_gone());
    EXPECT_THAT(run_cgroups_of(::getpid()), IsEmpty());
  }
}

TEST(Supervisor, AStopKillsTheWholeTree) {
  Fifo fifo;
  const UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  SupervisedCommand command = tree(fifo, "stay");
  command.stop_fd = stop.get();
  std::thread stopper([&] {
    EXPECT_TRUE(fifo.all_are_up());
    ::eventfd_write(stop.get(), 1);
  });
  const auto run = run_supervised(command);
  stopper.join();
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->interrupted);
  EXPECT_FALSE(run->timed_out);
  EXPECT_TRUE(fifo.all_are_gone());
}

TEST(Supervisor, AStopThatCameBeforeStartsNothing) {
  const UniqueFd stop(::eventfd(1, EFD_CLOEXEC));
  SupervisedCommand command = helper({"speak"});
  command.stop_fd = stop.get();
  EXPECT_EQ(run_supervised(command).error().kind, Error::Kind::Interrupted);
}

/// kill -9 of the supervisor while the whole tree is up.
void kill_supervisor_of(SupervisedCommand command, Fifo& fifo) {
  const std::vector<pid_t> before = children_of_self(RealProcFs());
  std::thread killer([&] {
    EXPECT_TRUE(fifo.all_are_up());
    for (const pid_t child : children_of_self(RealProcFs())) {
      if (std::find(before.begin(), before.end(), child) == before.end()) ::kill(child, SIGKILL);
    }
  });
  const auto run = run_supervised(command);
  killer.join();
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_THAT(run->failure, HasSubstr("supervisor of the run was killed by signal 9"));
  EXPECT_TRUE(fifo.all_are_gone());
  EXPECT_THAT(run_cgroups_of(::getpid()), IsEmpty());
  EXPECT_EQ(children_of_self(RealProcFs()), before);
}

TEST(Supervisor, ItsDeathEndsTheRunByTheCgroup) {
  Fifo fifo;
  kill_supervisor_of(tree(fifo, "stay"), fifo);
}

TEST(Supervisor, ItsDeathEndsTheRunWithoutACgroupToo) {
  Fifo fifo;
  SupervisedCommand command = tree(fifo, "stay");
  command.use_cgroup = false;
  kill_supervisor_of(command, fifo);
}

TEST(Supervisor, OneThatDoesNotAnswerIsKilledAndTheRunWithIt) {
  Fifo fifo;
  const UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  const std::vector<pid_t> before = children_of_self(RealProcFs());
  SupervisedCommand command = tree(fifo, "stay");
  command.stop_fd = stop.get();
  std::thread stopper([&] {
    EXPECT_TRUE(fifo.all_are_up());
    for (const pid_t child : children_of_self(RealProcFs())) {
      if (std::find(before.begin(), before.end(), child) == before.end()) ::kill(child, SIGSTOP);
    }
    ::eventfd_write(stop.get(), 1);
  });
  const auto run = run_supervised(command);
  stopper.join();
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->interrupted);
  EXPECT_EQ(run->failure, "");
  EXPECT_EQ(run->exit_signal, SIGKILL);
  EXPECT_TRUE(fifo.all_are_gone());
  EXPECT_THAT(run_cgroups_of(::getpid()), IsEmpty());
}

/// A process that forks a successor and ends, without end.
void stop_chain(bool use_cgroup) {
  Fifo fifo;
  const UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  SupervisedCommand command = helper({"chain", fifo.path()});
  command.stop_fd = stop.get();
  command.use_cgroup = use_cgroup;
  std::thread stopper([&] {
    EXPECT_TRUE(fifo.all_are_up());
    ::eventfd_write(stop.get(), 1);
  });
  const auto run = run_supervised(command);
  stopper.join();
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(fifo.all_are_gone());
}

TEST(Supervisor, AChainOfForksDoesNotOutrunTheCgroup) {
  stop_chain(true);
}

TEST(Supervisor, AChainOfForksDoesNotOutrunTheProcessGroup) {
  stop_chain(false);
}

/// A runner in a process of its own, to be killed.
pid_t spawn_runner(const char* kind, const Fifo& fifo) {
  std::string words[] = {"helper", std::string(kHelperArgument), kind, fifo.path()};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t runner = 0;
  EXPECT_EQ(::posix_spawn(&runner, "/proc/self/exe", nullptr, nullptr, argv, environ), 0);
  return runner;
}

void kill_runner(const char* kind) {
  Fifo fifo;
  const pid_t runner = spawn_runner(kind, fifo);
  ASSERT_TRUE(fifo.all_are_up());
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  EXPECT_TRUE(fifo.all_are_gone());
  // The supervisor removes the cgroup last, after the processes are gone.
  const Nanos deadline = monotonic_now() + std::chrono::milliseconds(kPatienceMs);
  while (!run_cgroups_of(runner).empty() && monotonic_now() < deadline)
    sleep_until(monotonic_now() + 1ms);
  EXPECT_THAT(run_cgroups_of(runner), IsEmpty());
}

TEST(Supervisor, TheRunnersDeathEndsTheRun) {
  kill_runner("runner");
}

TEST(Supervisor, TheRunnersDeathEndsTheRunWithoutACgroupToo) {
  kill_runner("runner-bare");
}

pid_t only_child_of(pid_t parent) {
  const auto children = RealProcFs().read("/proc/" + std::to_string(parent) + "/task/" +
                                          std::to_string(parent) + "/children");
  if (!children || words(*children).size() != 1) return 0;
  return static_cast<pid_t>(*parse_integer(words(*children)[0], 1, 1 << 30));
}

TEST(Supervisor, WhatBothDeathsLeaveIsEndedLater) {
  if (!has_cgroups()) GTEST_SKIP() << "needs a cgroup v2 that we may write";
  Fifo fifo;
  const pid_t runner = spawn_runner("runner", fifo);
  ASSERT_TRUE(fifo.all_are_up());
  EXPECT_THAT(remove_stale_cgroups(RealProcFs()), IsEmpty()) << "its runner lives";
  ::kill(runner, SIGSTOP);  // so that it cannot see the supervisor end
  const pid_t supervisor = only_child_of(runner);
  if (supervisor == 0) {
    ::kill(runner, SIGKILL);
    ::waitpid(runner, nullptr, 0);
    GTEST_SKIP() << "this kernel does not list children";
  }
  ::kill(supervisor, SIGKILL);
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  ASSERT_EQ(run_cgroups_of(runner).size(), 1U);
  EXPECT_THAT(remove_stale_cgroups(RealProcFs()),
              Contains(HasSubstr("left by process " + std::to_string(runner))));
  EXPECT_TRUE(fifo.all_are_gone());
  EXPECT_THAT(run_cgroups_of(runner), IsEmpty());
}

}  // namespace
}  // namespace schedlab::os
