#include "workload/schbench/thread_usage.h"

#include <fmt/format.h>
#include <sys/resource.h>  // per-thread figures that only the thread itself can ask for

#include "core/text.h"
#include "os/procfs.h"

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

std::optional<std::int64_t> number(std::string_view text) {
  auto value = parse_integer(text, 0, INT64_MAX);
  return value ? std::optional(*value) : std::nullopt;
}

void take_schedstat(std::string_view text, ThreadUsage& usage) {
  const auto fields = words(text);
  if (fields.size() < 3) return;
  const auto cpu = number(fields[0]);
  const auto delay = number(fields[1]);
  const auto slices = number(fields[2]);
  // "0 0 0" of a thread that has run: the kernel does not account delays.
  if (!cpu || !delay || !slices || *cpu == 0) return;
  usage.cpu_time = Nanos(*cpu);
  usage.run_delay = Nanos(*delay);
  usage.timeslices = *slices;
}

void take_migrations(std::string_view text, ThreadUsage& usage) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with("se.nr_migrations")) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) usage.migrations = number(trim(line.substr(colon + 1)));
    return;
  }
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
  ThreadUsage usage;
  rusage kernel_usage{};
  ::getrusage(RUSAGE_THREAD, &kernel_usage);
  usage.voluntary_switches = kernel_usage.ru_nvcsw;
  usage.involuntary_switches = kernel_usage.ru_nivcsw;
  const os::RealProcFs files;
  if (const auto text = files.read("/proc/thread-self/schedstat")) take_schedstat(*text, usage);
  if (const auto text = files.read("/proc/thread-self/sched")) take_migrations(*text, usage);
  return usage;
}

ThreadUsage read_schedstat_of(std::int32_t thread_id) {
  ThreadUsage usage;
  const os::RealProcFs files;
  if (const auto text = files.read(fmt::format("/proc/self/task/{}/schedstat", thread_id))) {
    take_schedstat(*text, usage);
  }
  return usage;
}

}  // namespace schedlab::workload::schbench
