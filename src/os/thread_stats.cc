#include "os/thread_stats.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <limits>

#include "core/check.h"
#include "core/text.h"

namespace schedlab::os {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Nanos to_nanos(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

int to_kernel(UsageOf whose) {
  switch (whose) {
    case UsageOf::Thread:
      return RUSAGE_THREAD;
    case UsageOf::Process:
      return RUSAGE_SELF;
    case UsageOf::Children:
      return RUSAGE_CHILDREN;
  }
  check_failed(__FILE__, __LINE__, "UsageOf has three values");
}

}  // namespace

Usage read_usage(UsageOf whose) {
  rusage raw{};
  SCHEDLAB_CHECK(::getrusage(to_kernel(whose), &raw) == 0);
  return {.switches = {.voluntary = raw.ru_nvcsw, .involuntary = raw.ru_nivcsw},
          .user = to_nanos(raw.ru_utime),
          .system = to_nanos(raw.ru_stime)};
}

std::string task_directory(pid_t process, pid_t thread) {
  return fmt::format("/proc/{}/task/{}", process, thread);
}

Result<SchedStat> read_schedstat(const ProcFs& fs, std::string_view directory) {
  const std::string path = fmt::format("{}/schedstat", directory);
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string text, fs.read(path));
  const auto fields = words(text);
  if (fields.size() != 3) {
    return failed(fmt::format("{}: '{}' is not three numbers", path, printable(trim(text))));
  }
  std::int64_t numbers[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = parse_integer(fields[i], 0, kMost);
    if (!number) return failed(number.error().within(path).message);
    numbers[i] = *number;
  }
  // Whoever reads or is read has run at least once: a count of 0 means that nobody counts.
  if (numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0) {
    return failed(path + ": this kernel does not count run delay; boot with CONFIG_SCHEDSTATS=y");
  }
  return SchedStat{
      .on_cpu = Nanos(numbers[0]), .run_delay = Nanos(numbers[1]), .timeslices = numbers[2]};
}

std::optional<std::int64_t> read_migrations(const ProcFs& fs, std::string_view directory) {
  const auto text = fs.read(fmt::format("{}/sched", directory));
  if (!text) return std::nullopt;
  for (const std::string_view line : split(*text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != "se.nr_migrations") {
      continue;
    }
    const auto number = parse_integer(trim(line.substr(colon + 1)), 0, kMost);
    return number ? std::optional(*number) : std::nullopt;
  }
  return std::nullopt;
}

Result<ProcessSchedStat> read_process_schedstat(const ProcFs& fs, pid_t process) {
  const std::string tasks = fmt::format("/proc/{}/task", process);
  SCHEDLAB_ASSIGN_OR_RETURN(const auto threads, fs.list(tasks));
  ProcessSchedStat total{.sum = {}, .migrations = 0, .threads = 0};
  Error last = failed("cannot read " + tasks + ": it lists no thread");
  for (const std::string& thread : threads) {
    const std::string directory = fmt::format("{}/{}", tasks, thread);
    const auto stat = read_schedstat(fs, directory);
    if (!stat) {  // it ended since the listing
      last = stat.error();
      continue;
    }
    ++total.threads;
    total.sum.on_cpu += stat->on_cpu;
    total.sum.run_delay += stat->run_delay;
    total.sum.timeslices += stat->timeslices;
    const auto migrations = read_migrations(fs, directory);
    if (!migrations) total.migrations.reset();
    if (total.migrations) *total.migrations += *migrations;
  }
  if (total.threads == 0) return last;
  return total;
}

}  // namespace schedlab::os
