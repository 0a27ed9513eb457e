#include "control/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/cpu_list.h"
#include "core/fnv1a.h"
#include "core/text.h"

namespace schedlab::control {

namespace {

struct Item {
  std::string_view name;
  std::string_view path;
};

/// One value for the machine.
constexpr std::array<Item, 35> kFiles = {{
    {"kernel", "/proc/version"},
    {"boot", "/proc/sys/kernel/random/boot_id"},
    {"cmdline", "/proc/cmdline"},
    {"cpus.online", "/sys/devices/system/cpu/online"},
    {"cpus.isolated", "/sys/devices/system/cpu/isolated"},
    {"cpus.nohz_full", "/sys/devices/system/cpu/nohz_full"},
    {"smt", "/sys/devices/system/cpu/smt/control"},
    {"cpufreq.boost", "/sys/devices/system/cpu/cpufreq/boost"},
    {"cpufreq.no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo"},
    {"cpufreq.intel_pstate", "/sys/devices/system/cpu/intel_pstate/status"},
    {"cpufreq.amd_pstate", "/sys/devices/system/cpu/amd_pstate/status"},
    {"cpuidle.driver", "/sys/devices/system/cpu/cpuidle/current_driver"},
    {"cpuidle.governor", "/sys/devices/system/cpu/cpuidle/current_governor"},
    {"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"thp.enabled", "/sys/kernel/mm/transparent_hugepage/enabled"},
    {"thp.defrag", "/sys/kernel/mm/transparent_hugepage/defrag"},
    {"ksm.run", "/sys/kernel/mm/ksm/run"},
    {"sched.preempt", "/sys/kernel/debug/sched/preempt"},
    {"sched.features", "/sys/kernel/debug/sched/features"},
    {"sched.base_slice_ns", "/sys/kernel/debug/sched/base_slice_ns"},
    {"sched.migration_cost_ns", "/sys/kernel/debug/sched/migration_cost_ns"},
    {"sched.nr_migrate", "/sys/kernel/debug/sched/nr_migrate"},
    {"sched.tunable_scaling", "/sys/kernel/debug/sched/tunable_scaling"},
    {"sched_ext.state", "/sys/kernel/sched_ext/state"},
    {"sched_ext.ops", "/sys/kernel/sched_ext/root/ops"},
    {"sysctl.sched_autogroup_enabled", "/proc/sys/kernel/sched_autogroup_enabled"},
    {"sysctl.sched_schedstats", "/proc/sys/kernel/sched_schedstats"},
    {"sysctl.sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us"},
    {"sysctl.numa_balancing", "/proc/sys/kernel/numa_balancing"},
    {"sysctl.timer_migration", "/proc/sys/kernel/timer_migration"},
    {"sysctl.watchdog", "/proc/sys/kernel/watchdog"},
    {"sysctl.randomize_va_space", "/proc/sys/kernel/randomize_va_space"},
    {"sysctl.pipe_user_pages_soft", "/proc/sys/fs/pipe-user-pages-soft"},
    {"sysctl.tainted", "/proc/sys/kernel/tainted"},
    {"cgroup", "/proc/self/cgroup"},
}};

/// One value per CPU, folded into "value (CPU list)" when they differ.
constexpr std::array<Item, 6> kPerCpuFiles = {{
    {"cpufreq.driver", "cpufreq/scaling_driver"},
    {"cpufreq.governor", "cpufreq/scaling_governor"},
    {"cpufreq.min_khz", "cpufreq/scaling_min_freq"},
    {"cpufreq.max_khz", "cpufreq/scaling_max_freq"},
    {"cpufreq.epp", "cpufreq/energy_performance_preference"},
    {"microcode", "microcode/version"},
}};

constexpr std::string_view kCpuDirectory = "/sys/devices/system/cpu";
constexpr std::string_view kVulnerabilities = "/sys/devices/system/cpu/vulnerabilities";

std::string one_line(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(trim(text), '\n')) {
    if (!out.empty()) out += " | ";
    out += trim(line);
  }
  return printable(out, 4000);
}

std::string value_of(const os::ProcFs& fs, std::string_view path) {
  const auto text = fs.read(path);
  if (text) return one_line(*text);
  const bool absent = text.error().message.find("No such file") != std::string::npos;
  return absent ? "(absent)" : fmt::format("({})", printable(text.error().message));
}

std::string per_cpu_value(const os::ProcFs& fs, const CpuList& cpus, std::string_view file) {
  std::map<std::string, std::vector<CpuId>> seen;
  for (const CpuId cpu : cpus) {
    seen[value_of(fs, fmt::format("{}/cpu{}/{}", kCpuDirectory, cpu.value, file))].push_back(cpu);
  }
  if (seen.empty()) return "(absent)";
  if (seen.size() == 1) return seen.begin()->first;
  std::string out;
  for (auto& [value, members] : seen) {
    out +=
        fmt::format("{}{} (CPUs {})", out.empty() ? "" : ", ", value, CpuList(members).to_string());
  }
  return out;
}

/// First value of `key` in /proc/cpuinfo or /proc/meminfo style text.
std::string field_of(const os::ProcFs& fs, std::string_view path, std::string_view key) {
  const auto text = fs.read(path);
  if (!text) return value_of(fs, path);
  for (const std::string_view line : split(*text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key) {
      return printable(trim(line.substr(colon + 1)));
    }
  }
  return "(absent)";
}

}  // namespace

std::string environment_hash(std::string_view text) {
  return fmt::format("{:016x}{:016x}", fnv1a(text), fnv1a(text, 0x84222325CBF29CE4U));
}

Environment capture_environment(const os::ProcFs& fs) {
  std::map<std::string, std::string> items;
  for (const Item& item : kFiles)
    items[std::string(item.name)] = value_of(fs, item.path);
  const auto online = CpuList::parse(items["cpus.online"]);
  const CpuList cpus = online ? *online : CpuList();
  for (const Item& item : kPerCpuFiles) {
    items[std::string(item.name)] = per_cpu_value(fs, cpus, item.path);
  }
  items["cpu.model"] = field_of(fs, "/proc/cpuinfo", "model name");
  items["memory.total"] = field_of(fs, "/proc/meminfo", "MemTotal");
  items["memory.hugepages"] = field_of(fs, "/proc/meminfo", "HugePages_Total");
  if (const auto names = fs.list(kVulnerabilities)) {
    for (const std::string& name : *names) {
      items["mitigation." + name] = value_of(fs, fmt::format("{}/{}", kVulnerabilities, name));
    }
  }
  Environment out;
  for (const auto& [name, value] : items)
    out.text += name + '\t' + value + '\n';
  out.hash = environment_hash(out.text);
  return out;
}

}  // namespace schedlab::control
