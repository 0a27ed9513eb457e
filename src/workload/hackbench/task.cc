#include "workload/hackbench/task.h"

// The hot file: its system calls are what is measured, so they stand here bare.
#include <poll.h>          // the start
#include <sched.h>         // sched_getcpu
#include <sys/mman.h>      // pages of large messages
#include <sys/resource.h>  // switches before the start
#include <sys/rseq.h>      // whether the CPU number is free of charge
#include <unistd.h>        // read and write are what is measured

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "core/histogram.h"
#include "os/clock.h"
#include "workload/hackbench/stamp.h"

namespace schedlab::workload::hackbench {

namespace {

/// Messages up to this size live on the task's stack, as the original's do; larger ones get pages
/// of their own, so that no stack can overflow.
constexpr std::size_t kStackMessage = std::size_t{16} << 10;

// A process finds its TLB empty after each switch to it, so every page that the loop touches costs
// a page walk per message, twice that in a virtual machine. Usual messages and descriptors
// therefore stand beside each other on the stack, and what the loop reads of the plan is in
// registers.
constexpr std::size_t kSmallMessage = 256;
constexpr std::size_t kFewFds = 32;

/// The descriptors a sender writes to: a copy on its stack where they are few.
class NearFds {
 public:
  explicit NearFds(std::span<const int> fds) : fds_(fds) {
    if (fds.size() > near_.size()) return;
    std::copy(fds.begin(), fds.end(), near_.begin());
    fds_ = std::span<const int>(near_).first(fds.size());
  }

  NearFds(const NearFds&) = delete;
  NearFds& operator=(const NearFds&) = delete;
  NearFds(NearFds&&) = delete;
  NearFds& operator=(NearFds&&) = delete;
  ~NearFds() = default;

  [[nodiscard]] std::span<const int> get() const { return fds_; }

 private:
  std::array<int, kFewFds> near_{};
  std::span<const int> fds_;
};

bool fail(TaskSlot& slot, TaskFailure failure, int error) {
  slot.failure_errno = error;
  slot.failure.store(failure, std::memory_order_release);
  return false;
}

/// Which CPU we are on from the area that the kernel keeps up to date for us (rseq): a load, no
/// system call. Without that area nothing is counted.
class MigrationCounter {
 public:
  explicit MigrationCounter(bool wanted) : counts_(wanted && __rseq_size > 0) {}

  void start() { cpu_ = counts_ ? ::sched_getcpu() : -1; }

  void look() {
    if (!counts_) return;
    const int cpu = ::sched_getcpu();
    migrations_ += cpu != cpu_ ? 1 : 0;
    cpu_ = cpu;
  }

  [[nodiscard]] std::int64_t result() const { return counts_ ? migrations_ : -1; }

 private:
  bool counts_;
  int cpu_ = -1;
  std::int64_t migrations_ = 0;
};

/// The pages of a large message.
class MessagePages {
 public:
  MessagePages() = default;
  MessagePages(const MessagePages&) = delete;
  MessagePages& operator=(const MessagePages&) = delete;
  MessagePages(MessagePages&&) = delete;
  MessagePages& operator=(MessagePages&&) = delete;

  ~MessagePages() {
    if (memory_ != nullptr) ::munmap(memory_, size_);
  }

  /// nullptr when there is no memory.
  char* map(std::size_t size) {
    void* const memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    memory_ = memory;
    size_ = size;
    return static_cast<char*>(memory);
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

/// Interrupted calls are tried again, unless the run is to stop.
bool try_again(const RunPlan& run) {
  return errno == EINTR && !run.stop.load(std::memory_order_relaxed);
}

bool write_whole(const RunPlan& run, int fd, const char* data, std::size_t size, TaskSlot& slot) {
  std::size_t done = 0;
  do {
    const ssize_t count = ::write(fd, data + done, size - done);
    if (count < 0) [[unlikely]] {
      if (try_again(run)) continue;
      return fail(slot, TaskFailure::Write, errno);
    }
    done += static_cast<std::size_t>(count);
  } while (done < size);
  return true;
}

bool read_whole(const RunPlan& run, int fd, char* data, std::size_t size, TaskSlot& slot) {
  std::size_t done = 0;
  do {
    const ssize_t count = ::read(fd, data + done, size - done);
    if (count <= 0) [[unlikely]] {
      if (count == 0) return fail(slot, TaskFailure::EndOfFile, 0);
      if (try_again(run)) continue;
      return fail(slot, TaskFailure::Read, errno);
    }
    done += static_cast<std::size_t>(count);
  } while (done < size);
  return true;
}

std::uint64_t nanos_since(std::int64_t base_ns) {
  return static_cast<std::uint64_t>(os::monotonic_now().count() - base_ns);
}

template <Probe P>
bool send_all(const TaskPlan& plan, char* message, MigrationCounter& migrations) {
  const RunPlan& run = *plan.run;
  const std::int64_t loops = run.loops;
  const std::size_t size = run.datasize;
  const NearFds fds(plan.write_fds);
  std::int64_t sent = 0;
  for (std::int64_t loop = 0; loop < loops; ++loop) {
    for (const int fd : fds.get()) {
      if constexpr (P == Probe::Latency) write_stamp(message, nanos_since(run.stamp_base_ns));
      if (!write_whole(run, fd, message, size, *plan.slot)) return false;
      if constexpr (P != Probe::Classic) migrations.look();
      ++sent;
    }
  }
  plan.slot->messages = sent;
  return true;
}

template <Probe P>
bool receive_all(const TaskPlan& plan,
                 char* message,
                 MigrationCounter& migrations,
                 std::optional<Histogram>& histogram) {
  const RunPlan& run = *plan.run;
  const std::int64_t expected = run.fds * run.loops;
  const std::size_t size = run.datasize;
  const int fd = plan.read_fd;
  std::int64_t received = 0;
  std::int64_t unstamped = 0;
  for (; received < expected; ++received) {
    if (!read_whole(run, fd, message, size, *plan.slot)) return false;
    if constexpr (P == Probe::Latency) {
      const std::uint64_t now = nanos_since(run.stamp_base_ns);
      const auto sent = read_stamp(message, now);
      if (sent) histogram->record(now - *sent);
      unstamped += sent ? 0 : 1;
    }
    if constexpr (P != Probe::Classic) migrations.look();
  }
  plan.slot->messages = received;
  plan.slot->unstamped = unstamped;
  return true;
}

bool pass_messages(const TaskPlan& plan,
                   char* message,
                   MigrationCounter& migrations,
                   std::optional<Histogram>& histogram) {
  const bool sender = plan.read_fd < 0;
  switch (plan.run->probe) {
    case Probe::Classic:
      return sender ? send_all<Probe::Classic>(plan, message, migrations)
                    : receive_all<Probe::Classic>(plan, message, migrations, histogram);
    case Probe::Native:
      return sender ? send_all<Probe::Native>(plan, message, migrations)
                    : receive_all<Probe::Native>(plan, message, migrations, histogram);
    case Probe::Latency:
      break;
  }
  return sender ? send_all<Probe::Latency>(plan, message, migrations)
                : receive_all<Probe::Latency>(plan, message, migrations, histogram);
}

void note_switches_so_far(TaskSlot& slot) {
  rusage usage{};
  if (::getrusage(RUSAGE_THREAD, &usage) != 0) return;
  slot.voluntary_before = usage.ru_nvcsw;
  slot.involuntary_before = usage.ru_nivcsw;
}

bool say_ready(const RunPlan& run, TaskSlot& slot) {
  constexpr char kReady = '*';
  return write_whole(run, run.ready_fd, &kReady, 1, slot) || fail(slot, TaskFailure::Ready, errno);
}

/// Says ready and sleeps until the parent's wake byte, which nobody reads: one byte wakes all.
bool wait_for_start(const RunPlan& run, TaskSlot& slot) {
  if (!say_ready(run, slot)) return false;
  pollfd wake{.fd = run.wake_fd, .events = POLLIN, .revents = 0};
  while (::poll(&wake, 1, -1) != 1) {
    if (!try_again(run)) return fail(slot, TaskFailure::Wake, errno);
  }
  return !run.stop.load(std::memory_order_relaxed) || fail(slot, TaskFailure::Wake, EINTR);
}

/// Hands the histogram to the parent.
bool deliver(const Histogram& histogram, const TaskPlan& plan) {
  const std::string bytes = histogram.serialise();
  if (bytes.size() > plan.histogram_area.size()) {
    return fail(*plan.slot, TaskFailure::Histogram, 0);
  }
  std::memcpy(plan.histogram_area.data(), bytes.data(), bytes.size());
  plan.slot->histogram_size = static_cast<std::uint32_t>(bytes.size());
  return true;
}

bool run_with_message(const TaskPlan& plan, char* message) {
  const RunPlan& run = *plan.run;
  TaskSlot& slot = *plan.slot;
  std::memset(message, '-', run.datasize);
  std::optional<Histogram> histogram;
  if (!plan.histogram_area.empty()) histogram.emplace();
  MigrationCounter migrations(run.probe != Probe::Classic);
  // These also touch the slot and the vDSO's pages, which a forked process must fault in anew.
  note_switches_so_far(slot);
  slot.ended_ns = os::monotonic_now().count();

  if (!wait_for_start(run, slot)) return false;
  migrations.start();
  if (!pass_messages(plan, message, migrations, histogram)) return false;
  if (run.probe == Probe::Classic) return true;
  slot.ended_ns = os::monotonic_now().count();
  slot.migrations = migrations.result();
  return !histogram || deliver(*histogram, plan);
}

}  // namespace

bool run_task(const TaskPlan& plan) {
  if (plan.run->datasize <= kSmallMessage) {
    alignas(64) std::array<char, kSmallMessage> message;  // NOLINT: filled as far as it is used
    return run_with_message(plan, message.data());
  }
  if (plan.run->datasize <= kStackMessage) {
    alignas(64) std::array<char, kStackMessage> message;  // NOLINT: filled as far as it is used
    return run_with_message(plan, message.data());
  }
  MessagePages pages;
  char* const message = pages.map(plan.run->datasize);
  if (message == nullptr) {
    fail(*plan.slot, TaskFailure::Memory, errno);
    // The parent counts these bytes and would wait for ever for that of a thread that just ended.
    say_ready(*plan.run, *plan.slot);
    return false;
  }
  return run_with_message(plan, message);
}

}  // namespace schedlab::workload::hackbench
