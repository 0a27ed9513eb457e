#include "workload/schbench/thread_usage.h"

#include <unistd.h>  // getpid: under which id /proc knows us

#include "os/procfs.h"
#include "os/thread_stats.h"

namespace schedlab::workload::schbench {

namespace {

template <typename T>
std::optional<T> both(const std::optional<T>& a, const std::optional<T>& b, int sign) {
  if (!a || !b) return std::nullopt;
  return sign < 0 ? *a - *b : *a + *b;
}

ThreadUsage combine(const ThreadUsage& a, const ThreadUsage& b, int sign) {
  ThreadUsage out;
  out.voluntary_switches = a.voluntary_switches + sign * b.voluntary_switches;
  out.involuntary_switches = a.involuntary_switches + sign * b.involuntary_switches;
  out.cpu_time = a.cpu_time + sign * b.cpu_time;
  out.run_delay = both(a.run_delay, b.run_delay, sign);
  out.timeslices = both(a.timeslices, b.timeslices, sign);
  out.migrations = both(a.migrations, b.migrations, sign);
  return out;
}

void take_schedstat(const os::ProcFs& files, std::string_view directory, ThreadUsage& usage) {
  const auto stat = os::read_schedstat(files, directory);
  if (!stat) return;  // gone, or the kernel does not account delays
  usage.cpu_time = stat->on_cpu;
  usage.run_delay = stat->run_delay;
  usage.timeslices = stat->timeslices;
}

}  // namespace

ThreadUsage operator-(const ThreadUsage& a, const ThreadUsage& b) {
  return combine(a, b, -1);
}

ThreadUsage operator+(const ThreadUsage& a, const ThreadUsage& b) {
  return combine(a, b, 1);
}

std::int64_t ThreadUsage::delay_per_slice_us() const {
  if (!run_delay || !timeslices || *timeslices == 0) return 0;
  return *run_delay / std::chrono::microseconds(1) / *timeslices;
}

ThreadUsage zero_usage() {
  ThreadUsage usage;
  usage.run_delay = Nanos{0};
  usage.timeslices = 0;
  usage.migrations = 0;
  return usage;
}

ThreadUsage read_own_usage() {
  const os::RealProcFs files;
  const os::Usage kernel = os::read_usage(os::UsageOf::Thread);
  ThreadUsage usage;
  usage.voluntary_switches = kernel.switches.voluntary;
  usage.involuntary_switches = kernel.switches.involuntary;
  usage.cpu_time = kernel.cpu_time();  // until schedstat gives it to the nanosecond
  take_schedstat(files, os::kThisThread, usage);
  usage.migrations = os::read_migrations(files, os::kThisThread);
  return usage;
}

ThreadUsage read_schedstat_of(std::int32_t thread_id) {
  ThreadUsage usage;
  take_schedstat(os::RealProcFs(), os::task_directory(::getpid(), thread_id), usage);
  return usage;
}

}  // namespace schedlab::workload::schbench
