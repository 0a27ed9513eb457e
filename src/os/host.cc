#include "os/host.h"

#include "core/cpu_list.h"
#include "core/text.h"

namespace schedlab::os {

namespace {

constexpr std::string_view kOnline = "/sys/devices/system/cpu/online";

/// The value of the first line "key : value" of /proc/cpuinfo, empty when there is none.
std::string_view cpuinfo_value(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key) {
      return trim(line.substr(colon + 1));
    }
  }
  return {};
}

/// x86, MIPS, RISC-V and POWER name the model under these keys; arm64 gives numbers only.
std::string cpu_model(std::string_view cpuinfo) {
  for (const std::string_view key : {"model name", "cpu model", "uarch", "cpu", "Model"}) {
    const std::string_view value = cpuinfo_value(cpuinfo, key);
    if (!value.empty()) return printable(value);
  }
  const std::string_view implementer = cpuinfo_value(cpuinfo, "CPU implementer");
  const std::string_view part = cpuinfo_value(cpuinfo, "CPU part");
  if (implementer.empty() || part.empty()) return "unknown";
  return printable("implementer " + std::string(implementer) + " part " + std::string(part));
}

Result<std::string> read_line(const ProcFs& fs, std::string_view path) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string text, fs.read(path));
  const std::string_view line = trim(text);
  if (line.empty()) return failed("cannot read " + std::string(path) + ": it is empty");
  return printable(line);
}

}  // namespace

Result<Host> read_host(const ProcFs& fs) {
  Host host;
  SCHEDLAB_ASSIGN_OR_RETURN(host.hostname, read_line(fs, "/proc/sys/kernel/hostname"));
  SCHEDLAB_ASSIGN_OR_RETURN(host.kernel_release, read_line(fs, "/proc/sys/kernel/osrelease"));
  SCHEDLAB_ASSIGN_OR_RETURN(host.kernel_version, read_line(fs, "/proc/sys/kernel/version"));
  SCHEDLAB_ASSIGN_OR_RETURN(host.boot_id, read_line(fs, "/proc/sys/kernel/random/boot_id"));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string online, fs.read(kOnline));
  const auto cpus = CpuList::parse(online);
  if (!cpus) return failed(cpus.error().within(kOnline).message);
  host.online_cpus = static_cast<std::int32_t>(cpus->size());
  host.cpu_model = cpu_model(fs.read("/proc/cpuinfo").value_or(std::string()));
  return host;
}

}  // namespace schedlab::os
