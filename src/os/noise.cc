#include "os/noise.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/text.h"
#include "os/thread_stats.h"

namespace schedlab::os {

namespace {

constexpr std::string_view kStat = "/proc/stat";
constexpr std::string_view kCpuRoot = "/sys/devices/system/cpu";
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// The line of `text` whose first word is `key`, as words; empty when there is none.
std::vector<std::string_view> line_of(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    auto fields = words(line);
    if (!fields.empty() && fields.front() == key) return fields;
  }
  return {};
}

Result<std::int64_t> field(const std::vector<std::string_view>& fields,
                           std::size_t index,
                           std::string_view key) {
  if (index >= fields.size()) {
    return failed(fmt::format("{}: no field {} in line '{}'", kStat, index, key));
  }
  const auto number = parse_integer(fields[index], 0, kMost);
  if (!number) return failed(number.error().within(kStat).message);
  return *number;
}

Nanos from_ticks(std::int64_t ticks) {
  static const std::int64_t per_second = std::max(::sysconf(_SC_CLK_TCK), 1L);
  return Nanos(ticks * (1'000'000'000 / per_second));
}

Result<std::optional<std::int64_t>> read_throttle_events(const ProcFs& fs) {
  std::optional<std::int64_t> sum;
  for (const std::string& name : fs.list(kCpuRoot).value_or(std::vector<std::string>())) {
    if (!name.starts_with("cpu")) continue;
    for (const std::string_view count : {"core_throttle_count", "package_throttle_count"}) {
      const std::string path = fmt::format("{}/{}/thermal_throttle/{}", kCpuRoot, name, count);
      const auto text = fs.read(path);
      if (!text) continue;
      const auto number = parse_integer(trim(*text), 0, kMost);
      if (!number) return failed(number.error().within(path).message);
      sum = sum.value_or(0) + *number;
    }
  }
  return sum;
}

}  // namespace

Result<NoiseSample> read_noise(const ProcFs& fs) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string text, fs.read(kStat));
  const auto cpu = line_of(text, "cpu");
  NoiseSample sample;
  // user nice system idle iowait irq softirq steal guest guest_nice; guest stands within user.
  for (const std::size_t index : {1U, 2U, 3U, 6U, 7U}) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t ticks, field(cpu, index, "cpu"));
    sample.busy += from_ticks(ticks);
  }
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t steal, field(cpu, 8, "cpu"));
  sample.steal = from_ticks(steal);
  SCHEDLAB_ASSIGN_OR_RETURN(sample.interrupts, field(line_of(text, "intr"), 1, "intr"));
  SCHEDLAB_ASSIGN_OR_RETURN(sample.throttle_events, read_throttle_events(fs));
  sample.own_cpu = read_usage(UsageOf::Process).cpu_time();
  return sample;
}

NoiseDeltas between(const NoiseSample& before, const NoiseSample& after, Nanos run_cpu_time) {
  const Nanos known = run_cpu_time + (after.own_cpu - before.own_cpu);
  NoiseDeltas deltas;
  deltas.foreign_cpu = std::max(after.busy - before.busy - known, Nanos(0));
  // Steal and throttle counts have gone backwards on CPU hotplug; that is no negative noise.
  deltas.steal = std::max(after.steal - before.steal, Nanos(0));
  deltas.interrupts = std::max<std::int64_t>(after.interrupts - before.interrupts, 0);
  if (before.throttle_events && after.throttle_events) {
    deltas.throttle_events =
        std::max<std::int64_t>(*after.throttle_events - *before.throttle_events, 0);
  }
  return deltas;
}

}  // namespace schedlab::os
