#include "workload/hackbench/crew.h"

// Making, killing and reaping tasks is this workload's own business: it is part of what is timed.
#include <pthread.h>    // timed join
#include <sys/prctl.h>  // PR_SET_PDEATHSIG
#include <sys/wait.h>   // reaping is part of Time
#include <unistd.h>     // fork is what is measured

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>
#include <utility>
#include <vector>

#include "os/clock.h"
#include "os/errno_text.h"
#include "workload/hackbench/signals.h"
#include "workload/hackbench/thread_stack.h"

namespace schedlab::workload::hackbench {

namespace {

std::string ending_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "was killed by signal " + std::to_string(signal) +
           (signal == SIGKILL ? " (out of memory?)" : "");
  }
  return "exited with status " + std::to_string(WEXITSTATUS(status));
}

bool asked_to_stop(int status) {
  if (!WIFSIGNALED(status)) return false;
  const int signal = WTERMSIG(status);
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

class ProcessCrew final : public Crew {
 public:
  explicit ProcessCrew(std::size_t tasks) {
    started_.reserve(tasks);
    reaped_.reserve(tasks);
  }

  ProcessCrew(const ProcessCrew&) = delete;
  ProcessCrew& operator=(const ProcessCrew&) = delete;
  ProcessCrew(ProcessCrew&&) = delete;
  ProcessCrew& operator=(ProcessCrew&&) = delete;

  ~ProcessCrew() override { ProcessCrew::abandon(); }

  Status start(const TaskPlan& plan) override {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) be_child(plan, parent);
    if (child < 0) {
      return failed("cannot fork task " + std::to_string(started_.size() + 1) + ": " +
                    os::errno_text(errno) + "; lower --groups or raise `ulimit -u` or pids.max");
    }
    started_.push_back({child, plan.slot});
    return {};
  }

  Status wait_for_all() override {
    // Any child, as the original: waiting for a given one would wake this process at other times.
    while (reaped_.size() < started_.size()) {
      int status = 0;
      const pid_t child = ::waitpid(-1, &status, 0);
      if (child < 0) {
        if (SignalWatch::interrupted_by() != 0) return interrupted_error();
        if (errno == EINTR) continue;
        return failed("cannot wait for tasks: " + os::errno_text(errno));
      }
      reaped_.push_back(child);
      if (status != 0) return task_error(child, status);
    }
    return {};
  }

  void abandon() override {
    std::sort(reaped_.begin(), reaped_.end());
    for (const Child& child : started_) {
      if (is_reaped(child.pid)) continue;
      ::kill(child.pid, SIGKILL);
    }
    for (const Child& child : started_) {
      if (is_reaped(child.pid)) continue;
      while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    started_.clear();
    reaped_.clear();
  }

 private:
  struct Child {
    pid_t pid;
    const TaskSlot* slot;
  };

  [[noreturn]] static void be_child(const TaskPlan& plan, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have died before the line above took effect.
    if (::getppid() != parent) ::_exit(EXIT_FAILURE);
    SignalWatch::reset_in_child();
    if (plan.unused_fd >= 0) ::close(plan.unused_fd);
    const bool done = run_task(plan);
    ::_exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
  }

  [[nodiscard]] bool is_reaped(pid_t pid) const {
    return std::binary_search(reaped_.begin(), reaped_.end(), pid);
  }

  [[nodiscard]] Error task_error(pid_t pid, int status) const {
    // Ctrl-C or a lost terminal reaches the whole process group, and a task may be gone before we
    // see it ourselves.
    if (asked_to_stop(status) || SignalWatch::interrupted_by() != 0) return interrupted_error();
    for (const Child& child : started_) {
      if (child.pid != pid) continue;
      const std::string reason = describe_failure(*child.slot);
      return failed("a task " + (reason.empty() ? ending_of(status) : "failed: " + reason));
    }
    return failed("a child that is no task of the run ended during it");
  }

  std::vector<Child> started_;
  std::vector<pid_t> reaped_;
};

class ThreadCrew final : public Crew {
 public:
  ThreadCrew(RunPlan& run, std::size_t tasks) : run_(run) {
    plans_.reserve(tasks);
    stacks_.reserve(tasks);
    threads_.reserve(tasks);
  }

  ThreadCrew(const ThreadCrew&) = delete;
  ThreadCrew& operator=(const ThreadCrew&) = delete;
  ThreadCrew(ThreadCrew&&) = delete;
  ThreadCrew& operator=(ThreadCrew&&) = delete;

  ~ThreadCrew() override { ThreadCrew::abandon(); }

  Status start(const TaskPlan& plan) override {
    plans_.push_back(plan);
    auto stack = ThreadStack::map(stack_size());
    if (!stack) return cannot_create(stack.error().message);
    stacks_.push_back(std::move(*stack));
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    stacks_.back().use_in(attributes);
    // Ctrl-C is for the main thread alone.
    sigset_t blocked;
    sigset_t before;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGINT);
    ::sigaddset(&blocked, SIGTERM);
    ::sigaddset(&blocked, SIGHUP);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
    pthread_t thread{};
    const int error = ::pthread_create(&thread, &attributes, be_thread, &plans_.back());
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::pthread_attr_destroy(&attributes);
    if (error != 0) return cannot_create(os::errno_text(error));
    threads_.push_back(thread);
    return {};
  }

  Status wait_for_all() override {
    for (; joined_ < threads_.size(); ++joined_) {
      // A thread that fails cannot end this wait, so it looks up four times a second.
      constexpr Nanos kLookUp = std::chrono::milliseconds(250);
      while (!join(threads_[joined_], kLookUp)) {
        SCHEDLAB_RETURN_IF_ERROR(look_for_trouble());
      }
    }
    return {};
  }

  void abandon() override {
    run_.stop.store(true, std::memory_order_relaxed);
    for (; joined_ < threads_.size(); ++joined_) {
      // A nudge that comes just before a blocking call is lost, so it is repeated.
      constexpr Nanos kNudgeAgain = std::chrono::milliseconds(5);
      do {
        for (std::size_t i = joined_; i < threads_.size(); ++i)
          ::pthread_kill(threads_[i], SignalWatch::kNudge);
      } while (!join(threads_[joined_], kNudgeAgain));
    }
  }

 private:
  [[nodiscard]] Error cannot_create(const std::string& why) const {
    return failed("cannot create thread " + std::to_string(plans_.size()) + ": " + why +
                  "; lower --groups or raise `ulimit -u`, kernel.threads-max, pids.max or "
                  "vm.max_map_count");
  }

  static void* be_thread(void* plan) {
    run_task(*static_cast<const TaskPlan*>(plan));
    return nullptr;
  }

  /// Room for the message on the stack and for what the C library puts there; sanitizers want more.
  /// Whole pages.
  static std::size_t stack_size() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr std::size_t kRoom = std::size_t{1} << 20;
#else
    constexpr std::size_t kRoom = std::size_t{64} << 10;
#endif
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto smallest = static_cast<std::size_t>(::sysconf(_SC_THREAD_STACK_MIN));
    return kRoom + (smallest + page - 1) / page * page;
  }

  /// The wall clock may step: then a look comes sooner or later, and nothing else changes.
  /// ThreadSanitizer does not know pthread_clockjoin_np, which would not have that flaw.
  static bool join(pthread_t thread, Nanos patience) {
    const Nanos deadline = os::wall_now() + patience;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(deadline);
    timespec when{};
    when.tv_sec = seconds.count();
    when.tv_nsec = (deadline - seconds).count();
    return ::pthread_timedjoin_np(thread, nullptr, &when) != ETIMEDOUT;
  }

  [[nodiscard]] Status look_for_trouble() const {
    if (SignalWatch::interrupted_by() != 0) return interrupted_error();
    for (const TaskPlan& plan : plans_) {
      const std::string reason = describe_failure(*plan.slot);
      if (!reason.empty()) return failed("a task failed: " + reason);
    }
    return {};
  }

  RunPlan& run_;
  std::vector<TaskPlan> plans_;
  std::vector<ThreadStack> stacks_;
  std::vector<pthread_t> threads_;
  std::size_t joined_ = 0;
};

}  // namespace

std::unique_ptr<Crew> make_crew(TaskKind kind, RunPlan& run, std::size_t tasks) {
  if (kind == TaskKind::Thread) return std::make_unique<ThreadCrew>(run, tasks);
  return std::make_unique<ProcessCrew>(tasks);
}

std::string describe_failure(const TaskSlot& slot) {
  const auto with_errno = [&slot](const char* what) {
    return std::string(what) + ": " + os::errno_text(slot.failure_errno);
  };
  switch (slot.failure.load(std::memory_order_acquire)) {
    case TaskFailure::None:
      return {};
    case TaskFailure::Memory:
      return with_errno("no memory for its message; lower --datasize or --groups");
    case TaskFailure::Ready:
      return with_errno("writing its ready byte");
    case TaskFailure::Wake:
      return with_errno("waiting for the start");
    case TaskFailure::Read:
      return with_errno("read");
    case TaskFailure::Write:
      return with_errno("write");
    case TaskFailure::EndOfFile:
      return "its senders are gone with messages outstanding";
    case TaskFailure::Histogram:
      return "its histogram is larger than the room for it";
  }
  return "unknown failure";
}

Error interrupted_error() {
  return {"interrupted, no result", Error::Kind::Interrupted};
}

}  // namespace schedlab::workload::hackbench
