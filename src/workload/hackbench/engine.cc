#include "workload/hackbench/engine.h"

#include <sched.h>   // --fifo
#include <unistd.h>  // the wake byte starts the clock

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "os/clock.h"
#include "os/errno_text.h"
#include "os/thread_stats.h"
#include "workload/hackbench/channel.h"
#include "workload/hackbench/crew.h"
#include "workload/hackbench/ledger.h"
#include "workload/hackbench/signals.h"
#include "workload/hackbench/task.h"

namespace schedlab::workload::hackbench {

namespace {

Probe probe_of(const Options& options) {
  if (options.classic) return Probe::Classic;
  return options.latency ? Probe::Latency : Probe::Native;
}

/// Of all tasks that there were, up to their end.
os::SwitchCounts switches_of_tasks(TaskKind kind) {
  using os::UsageOf;
  if (kind == TaskKind::Process) return os::read_usage(UsageOf::Children).switches;
  return os::read_usage(UsageOf::Process).switches - os::read_usage(UsageOf::Thread).switches;
}

/// SCHED_FIFO, priority 1, for the calling thread until the end of the scope.
class FifoScope {
 public:
  FifoScope() = default;
  FifoScope(const FifoScope&) = delete;
  FifoScope& operator=(const FifoScope&) = delete;
  FifoScope(FifoScope&&) = delete;
  FifoScope& operator=(FifoScope&&) = delete;

  ~FifoScope() {
    if (policy_ >= 0) ::sched_setscheduler(0, policy_, &parameters_);
  }

  Status enter() {
    const int before = ::sched_getscheduler(0);
    ::sched_getparam(0, &parameters_);
    sched_param fifo{};
    fifo.sched_priority = 1;
    if (::sched_setscheduler(0, SCHED_FIFO, &fifo) != 0) {
      return failed("--fifo: cannot make the main thread SCHED_FIFO: " + os::errno_text(errno) +
                    "; needs CAP_SYS_NICE or `ulimit -r`, and real-time runtime in its cgroup");
    }
    policy_ = before;
    return {};
  }

 private:
  int policy_ = -1;
  sched_param parameters_{};
};

/// A group's descriptors as far as the parent still holds them.
struct Group {
  std::vector<os::UniqueFd> read_ends;
  std::vector<os::UniqueFd> write_ends;
  std::vector<int> write_fds;
};

class Run {
 public:
  explicit Run(const Options& options, Ledger ledger, Channel ready, Channel wake)
      : options_(options),
        ledger_(std::move(ledger)),
        ready_(std::move(ready)),
        wake_(std::move(wake)) {
    plan_.loops = options.loops;
    plan_.fds = options.fds;
    plan_.datasize = static_cast<std::size_t>(options.datasize);
    plan_.probe = probe_of(options);
    plan_.ready_fd = ready_.write_end.get();
    plan_.wake_fd = wake_.read_end.get();
    plan_.stamp_base_ns = os::monotonic_now().count();
    groups_.reserve(static_cast<std::size_t>(options.groups));
    crew_ = make_crew(options.tasks, plan_, static_cast<std::size_t>(options.task_count()));
  }

  Result<Measurement> measure(Nanos begin, SignalWatch& watch) {
    // Before there is any task: a process counts its live threads at once.
    const os::SwitchCounts before = switches_of_tasks(options_.tasks);
    for (std::int64_t group = 0; group < options_.groups; ++group)
      SCHEDLAB_RETURN_IF_ERROR(build_group());
    FifoScope fifo;
    if (options_.fifo) SCHEDLAB_RETURN_IF_ERROR(fifo.enter());
    SCHEDLAB_RETURN_IF_ERROR(collect_ready());
    watch.children_may_exit();

    const Nanos start = os::monotonic_now();
    if (::write(wake_.write_end.get(), "*", 1) != 1) {
      return failed("cannot wake the tasks: " + os::errno_text(errno));
    }
    SCHEDLAB_RETURN_IF_ERROR(crew_->wait_for_all());
    const Nanos end = os::monotonic_now();

    Measurement out;
    out.setup_time = start - begin;
    out.time = end - start;
    const os::SwitchCounts switches = switches_of_tasks(options_.tasks) - before;
    out.voluntary_switches = switches.voluntary;
    out.involuntary_switches = switches.involuntary;
    SCHEDLAB_RETURN_IF_ERROR(read_slots(out));
    if (!options_.classic) read_group_times(start, out);
    SCHEDLAB_RETURN_IF_ERROR(read_histograms(out));
    return out;
  }

 private:
  /// The receivers with their channels, then the senders. Slots lie in order of creation.
  Status build_group() {
    if (SignalWatch::interrupted_by() != 0) return interrupted_error();
    const bool processes = options_.tasks == TaskKind::Process;
    Group& group = groups_.emplace_back();
    for (std::int64_t i = 0; i < options_.fds; ++i) {
      SCHEDLAB_ASSIGN_OR_RETURN(Channel channel, make_channel(options_.ipc));
      TaskPlan plan = next_task();
      plan.read_fd = channel.read_end.get();
      plan.unused_fd = processes ? channel.write_end.get() : -1;
      if (options_.latency) plan.histogram_area = ledger_.histogram_area(receivers_++);
      SCHEDLAB_RETURN_IF_ERROR(crew_->start(plan));
      group.write_fds.push_back(channel.write_end.get());
      group.write_ends.push_back(std::move(channel.write_end));
      if (!processes) group.read_ends.push_back(std::move(channel.read_end));
    }
    for (std::int64_t i = 0; i < options_.fds; ++i) {
      TaskPlan plan = next_task();
      plan.write_fds = group.write_fds;
      SCHEDLAB_RETURN_IF_ERROR(crew_->start(plan));
    }
    if (processes) group.write_ends.clear();
    return {};
  }

  TaskPlan next_task() {
    TaskPlan plan;
    plan.run = &plan_;
    plan.slot = &ledger_.slots()[tasks_++];
    return plan;
  }

  /// One byte from every task, also from one that could not make ready: then its slot says why.
  Status collect_ready() {
    for (std::size_t left = tasks_; left > 0;) {
      char byte = 0;
      const ssize_t count = ::read(ready_.read_end.get(), &byte, 1);
      if (count == 1) {
        --left;
        continue;
      }
      if (count == 0 || errno != EINTR) {
        return failed("cannot read the tasks' ready bytes: " +
                      (count == 0 ? std::string("end of file") : os::errno_text(errno)));
      }
      if (SignalWatch::interrupted_by() != 0) return interrupted_error();
      // A task died before it was ready; waiting gives its reason.
      if (SignalWatch::child_ended() && options_.tasks == TaskKind::Process) {
        SCHEDLAB_RETURN_IF_ERROR(crew_->wait_for_all());
      }
    }
    if (SignalWatch::interrupted_by() != 0) return interrupted_error();
    for (const TaskSlot& slot : ledger_.slots()) {
      const std::string reason = describe_failure(slot);
      if (!reason.empty()) return failed("a task failed: " + reason);
    }
    return {};
  }

  /// Whether every task did all it had to; sums.
  Status read_slots(Measurement& out) {
    std::int64_t migrations = 0;
    bool counted = !options_.classic;
    const std::int64_t tasks_per_group = 2 * options_.fds;
    std::int64_t index = 0;
    for (const TaskSlot& slot : ledger_.slots()) {
      const bool receiver = index++ % tasks_per_group < options_.fds;
      const std::string reason = describe_failure(slot);
      if (!reason.empty()) return failed("a task failed: " + reason);
      if (slot.messages != options_.messages_per_task()) {
        return failed("a task passed " + std::to_string(slot.messages) + " messages instead of " +
                      std::to_string(options_.messages_per_task()));
      }
      out.messages += receiver ? slot.messages : 0;
      out.unstamped += slot.unstamped;
      out.voluntary_switches -= slot.voluntary_before;
      out.involuntary_switches -= slot.involuntary_before;
      counted = counted && slot.migrations >= 0;
      migrations += slot.migrations;
    }
    if (counted) out.migrations = migrations;
    return {};
  }

  void read_group_times(Nanos start, Measurement& out) {
    const auto slots = ledger_.slots();
    const auto per_group = static_cast<std::size_t>(2 * options_.fds);
    Nanos last{0};
    for (std::size_t first = 0; first < slots.size(); first += per_group) {
      std::int64_t ended = 0;
      for (const TaskSlot& slot : slots.subspan(first, per_group))
        ended = std::max(ended, slot.ended_ns);
      out.group_times.push_back(Nanos(ended) - start);
      last = std::max(last, out.group_times.back());
    }
    out.message_time = last;
  }

  Status read_histograms(Measurement& out) {
    if (!options_.latency) return {};
    Histogram all;
    const auto slots = ledger_.slots();
    const auto fds = static_cast<std::size_t>(options_.fds);
    for (std::size_t receiver = 0; receiver < receivers_; ++receiver) {
      const std::size_t slot = receiver / fds * 2 * fds + receiver % fds;
      const auto area = ledger_.histogram_area(receiver);
      SCHEDLAB_ASSIGN_OR_RETURN(
          const Histogram one,
          Histogram::deserialise(std::string_view(area.data(), slots[slot].histogram_size)));
      all.merge(one);
    }
    out.message_latency = std::move(all);
    return {};
  }

  const Options& options_;
  Ledger ledger_;
  Channel ready_;
  Channel wake_;
  RunPlan plan_;
  std::vector<Group> groups_;
  std::size_t tasks_ = 0;
  std::size_t receivers_ = 0;
  std::unique_ptr<Crew> crew_;  // last: it ends its tasks before anything they use goes
};

}  // namespace

Result<Measurement> measure(const Options& options) {
  SignalWatch watch;
  const Nanos begin = os::monotonic_now();
  const auto histograms = options.latency ? options.channel_count() : 0;
  SCHEDLAB_ASSIGN_OR_RETURN(Ledger ledger,
                            Ledger::map(static_cast<std::size_t>(options.task_count()),
                                        static_cast<std::size_t>(histograms)));
  SCHEDLAB_ASSIGN_OR_RETURN(Channel ready, make_channel(options.ipc));
  SCHEDLAB_ASSIGN_OR_RETURN(Channel wake, make_channel(options.ipc));
  Run run(options, std::move(ledger), std::move(ready), std::move(wake));
  return run.measure(begin, watch);
}

}  // namespace schedlab::workload::hackbench
