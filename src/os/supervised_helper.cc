#include "os/supervised_helper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/text.h"
#include "os/affinity.h"
#include "os/pipe.h"
#include "os/supervisor.h"
#include "os/thread_stats.h"

namespace schedlab::os {

namespace {

using Arguments = std::vector<std::string>;

int speak(const Arguments&) {
  write_all(STDOUT_FILENO, "out");
  write_all(STDERR_FILENO, "err");
  write_all(kResultFd, "result");
  return 3;
}

int die(const Arguments&) {
  ::kill(::getpid(), SIGUSR1);
  return 0;
}

int flood(const Arguments&) {
  const std::string block(4096, 'x');
  while (write_all(STDOUT_FILENO, block)) {
  }
  for (;;)
    ::pause();
}

int fds(const Arguments&) {
  for (const std::string& name : RealProcFs().list("/proc/self/fd").value_or(Arguments())) {
    // The directory that is being listed counts itself; it is gone by now.
    if (::fcntl(std::stoi(name), F_GETFD) >= 0) write_all(STDOUT_FILENO, name + "\n");
  }
  return 0;
}

int signals(const Arguments&) {
  sigset_t blocked{};
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  // Up to 31: 32 and 33 are glibc's own, which its posix_spawn leaves ignored.
  for (int signal = 1; signal < 32; ++signal) {
    struct sigaction action {};

    if (::sigismember(&blocked, signal) == 1)
      write_all(STDOUT_FILENO, fmt::format("{} blocked\n", signal));
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
      write_all(STDOUT_FILENO, fmt::format("{} ignored\n", signal));
    }
  }
  return 0;
}

void print_attributes() {
  std::uint32_t raw[12] = {sizeof raw};
  ::syscall(SYS_sched_getattr, 0, raw, sizeof raw, 0);
  const std::uint64_t slice = raw[6] | std::uint64_t{raw[7]} << 32U;
  write_all(STDOUT_FILENO,
            fmt::format("policy={} nice={} slice={} cpus={}\n",
                        ::sched_getscheduler(0),
                        ::getpriority(PRIO_PROCESS, 0),
                        slice,
                        allowed_cpus()->to_string()));
}

/// Runs `body` in a forked child and waits for it.
template <typename Body>
void in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

int attributes(const Arguments&) {
  print_attributes();
  in_child([] { in_child([] { print_attributes(); }); });
  return 0;
}

int burn(const Arguments&) {
  in_child([] {
    while (read_usage(UsageOf::Process).cpu_time() < std::chrono::milliseconds(50)) {
    }
  });
  return 0;
}

[[noreturn]] void stay() {
  for (;;)
    ::pause();
}

/// Opens the FIFO for good and says so in it and on `ready`.
void show_up(const std::string& fifo, int ready) {
  const int fd = ::open(fifo.c_str(), O_WRONLY);
  write_all(fd, "x");
  if (ready >= 0) write_all(ready, "r");
}

int tree(const Arguments& arguments) {
  const std::string& fifo = arguments.at(0);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE})
    ::signal(signal, SIG_IGN);
  auto ready = Pipe::open();
  if (::fork() == 0) {
    ::setsid();
    if (::fork() == 0) {
      if (::fork() == 0) {
        ::setsid();
        show_up(fifo, ready->write_end.get());
        stay();
      }
      ::_exit(0);
    }
    show_up(fifo, ready->write_end.get());
    stay();
  }
  show_up(fifo, -1);
  char bytes[2];
  for (int seen = 0; seen < 2;)
    seen += static_cast<int>(::read(ready->read_end.get(), bytes, sizeof bytes));
  if (arguments.at(1) == "leave") return 7;
  stay();
}

int chain(const Arguments& arguments) {
  const int fd = ::open(arguments.at(0).c_str(), O_WRONLY);
  write_all(fd, "xxx");
  if (::fork() > 0) stay();  // the command itself stays, its descendants come and go
  ::setsid();
  for (;;) {
    if (::fork() > 0) ::_exit(0);
  }
}

int run_tree(const Arguments& arguments, bool use_cgroup) {
  SupervisedCommand command;
  command.program = "/proc/self/exe";
  command.arguments = {"helper", std::string(kHelperArgument), "tree", arguments.at(0), "stay"};
  command.use_cgroup = use_cgroup;
  return run_supervised(command) ? 0 : 1;
}

}  // namespace

int helper_main(int argc, const char* const* argv) {
  const std::map<std::string, int (*)(const Arguments&), std::less<>> commands{
      {"speak", speak},
      {"die", die},
      {"flood", flood},
      {"fds", fds},
      {"signals", signals},
      {"attributes", attributes},
      {"burn", burn},
      {"tree", tree},
      {"chain", chain},
      {"runner", [](const Arguments& arguments) { return run_tree(arguments, true); }},
      {"runner-bare", [](const Arguments& arguments) { return run_tree(arguments, false); }}};
  const auto command = argc > 2 ? commands.find(argv[2]) : commands.end();
  if (command == commands.end()) return 99;
  return command->second(Arguments(argv + 3, argv + argc));
}

}  // namespace schedlab::os
