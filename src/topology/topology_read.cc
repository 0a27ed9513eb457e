// Topology::read: /sys as the running kernel fills it. A file that is absent leads to a stated
// assumption; a file that is there and makes no sense is an error that names it.
//
// Source: Documentation/admin-guide/cputopology.rst and Documentation/ABI/testing/
// sysfs-devices-system-cpu of the kernel tree.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "core/text.h"
#include "topology/topology.h"

namespace schedlab::topology {

namespace {

constexpr std::string_view kCpuRoot = "/sys/devices/system/cpu";
constexpr std::string_view kNodeRoot = "/sys/devices/system/node";

class SysReader {
 public:
  explicit SysReader(const os::ProcFs& fs) : fs_(fs) {}

  Result<std::vector<CpuPlace>> places();

  [[nodiscard]] std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  /// What `path` holds, parsed; nullopt when it cannot be read. Errors: it holds garbage.
  [[nodiscard]] Result<std::optional<CpuList>> read_list(const std::string& path) const;
  [[nodiscard]] Result<std::optional<std::int64_t>> read_number(const std::string& path) const;

  Result<CpuPlace> place(CpuId cpu);
  Result<std::int32_t> core_of(CpuId cpu);
  Result<std::int32_t> package_of(CpuId cpu);
  Result<std::int32_t> llc_of(CpuId cpu, std::int32_t package);
  Result<std::int32_t> group_key(CpuId cpu, const CpuList& shared, const std::string& path);
  [[nodiscard]] Result<std::map<CpuId, std::int32_t>> read_nodes();

  /// Remembers an assumption once, with the CPUs it was made for.
  void assume(CpuId cpu, const std::string& text) { assumed_[text].push_back(cpu); }

  void write_notes();

  const os::ProcFs& fs_;
  CpuList online_;
  std::map<std::string, std::vector<CpuId>> assumed_;
  std::map<std::string, CpuList> groups_;  // kind and key -> the group as its first CPU saw it
  std::vector<std::string> notes_;
};

std::string cpu_file(CpuId cpu, std::string_view rest) {
  return fmt::format("{}/cpu{}/{}", kCpuRoot, cpu.value, rest);
}

/// "index3" with prefix "index" -> 3.
std::optional<std::int64_t> number_after(std::string_view name, std::string_view prefix) {
  if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
  const auto number = parse_integer(name.substr(prefix.size()), 0, 1'000'000);
  return number ? std::optional(*number) : std::nullopt;
}

Result<std::optional<CpuList>> SysReader::read_list(const std::string& path) const {
  const auto text = fs_.read(path);
  if (!text) return std::optional<CpuList>();
  auto list = CpuList::parse(*text);
  if (!list) return failed(list.error().within(path).message);
  return std::optional(*std::move(list));
}

Result<std::optional<std::int64_t>> SysReader::read_number(const std::string& path) const {
  const auto text = fs_.read(path);
  if (!text) return std::optional<std::int64_t>();
  const auto number = parse_integer(trim(*text), -1, INT32_MAX);
  if (!number) return failed(number.error().within(path).message);
  return std::optional(*number);
}

/// A group of CPUs is keyed by its lowest online member: the kernel's own ids repeat.
Result<std::int32_t> SysReader::group_key(CpuId cpu,
                                          const CpuList& shared,
                                          const std::string& path) {
  const CpuList group = shared.intersect(online_);
  if (!group.contains(cpu)) {
    return failed(fmt::format("{}: says {}, which lacks CPU {} itself; is this /sys whole?",
                              path,
                              shared.to_string(),
                              cpu.value));
  }
  const std::int32_t key = group[0].value;
  const std::string file = path.substr(path.rfind('/') + 1);
  const auto [first, is_new] = groups_.try_emplace(fmt::format("{} {}", file, key), group);
  if (!is_new && first->second != group) {
    assume(cpu, fmt::format("{} differs from that of CPU {}; the two count as sharing", file, key));
  }
  return key;
}

Result<std::int32_t> SysReader::core_of(CpuId cpu) {
  // core_cpus_list since Linux 5.3; thread_siblings_list is the same under its old name.
  for (const std::string_view name : {"core_cpus_list", "thread_siblings_list"}) {
    const std::string path = cpu_file(cpu, fmt::format("topology/{}", name));
    SCHEDLAB_ASSIGN_OR_RETURN(const std::optional<CpuList> siblings, read_list(path));
    if (siblings) return group_key(cpu, *siblings, path);
  }
  assume(cpu, "no topology/core_cpus_list; counted as a core of its own");
  return cpu.value;
}

Result<std::int32_t> SysReader::package_of(CpuId cpu) {
  const std::string path = cpu_file(cpu, "topology/physical_package_id");
  SCHEDLAB_ASSIGN_OR_RETURN(const std::optional<std::int64_t> id, read_number(path));
  if (id) return static_cast<std::int32_t>(*id);
  assume(cpu, "no topology/physical_package_id; counted as one package");
  return -1;
}

Result<std::int32_t> SysReader::llc_of(CpuId cpu, std::int32_t package) {
  const std::string cache = cpu_file(cpu, "cache");
  std::int64_t highest = 0;
  std::string highest_path;
  for (const std::string& name : fs_.list(cache).value_or(std::vector<std::string>())) {
    if (!number_after(name, "index")) continue;
    const std::string index = cache + "/" + name;
    SCHEDLAB_ASSIGN_OR_RETURN(const std::optional<std::int64_t> level,
                              read_number(index + "/level"));
    const auto type = fs_.read(index + "/type");
    if (!level || (type && trim(*type) == "Instruction") || *level <= highest) continue;
    highest = *level;
    highest_path = index + "/shared_cpu_list";
  }
  if (highest > 0) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::optional<CpuList> shared, read_list(highest_path));
    if (shared) return group_key(cpu, *shared, highest_path);
  }
  assume(cpu, "no cache directory in /sys; counted as one LLC per package");
  return -2 - package;  // apart from every key that is a CPU id
}

Result<std::map<CpuId, std::int32_t>> SysReader::read_nodes() {
  std::map<CpuId, std::int32_t> node_of;
  for (const std::string& name : fs_.list(kNodeRoot).value_or(std::vector<std::string>())) {
    const auto node = number_after(name, "node");
    if (!node) continue;
    const std::string path = fmt::format("{}/{}/cpulist", kNodeRoot, name);
    const auto text = fs_.read(path);
    if (!text || trim(*text).empty()) continue;  // a node of memory alone
    SCHEDLAB_ASSIGN_OR_RETURN(const std::optional<CpuList> cpus, read_list(path));
    for (const CpuId cpu : *cpus) {
      const auto [other, is_new] = node_of.try_emplace(cpu, static_cast<std::int32_t>(*node));
      if (!is_new) {
        return failed(fmt::format("{}: names CPU {}, which node{} names too; is this /sys whole?",
                                  path,
                                  cpu.value,
                                  other->second));
      }
    }
  }
  return node_of;
}

Result<CpuPlace> SysReader::place(CpuId cpu) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int32_t core, core_of(cpu));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int32_t package, package_of(cpu));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int32_t llc, llc_of(cpu, package));
  return CpuPlace{.cpu = cpu, .core = core, .llc = llc, .package = package, .node = 0};
}

Result<std::vector<CpuPlace>> SysReader::places() {
  const std::string path = fmt::format("{}/online", kCpuRoot);
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string text, fs_.read(path));
  auto online = CpuList::parse(text);
  if (!online) return failed(online.error().within(path).message);
  online_ = *std::move(online);

  SCHEDLAB_ASSIGN_OR_RETURN(const auto node_of, read_nodes());
  if (node_of.empty()) notes_.emplace_back("no node directory in /sys; counted as one node");
  std::vector<CpuPlace> places;
  for (const CpuId cpu : online_) {
    SCHEDLAB_ASSIGN_OR_RETURN(CpuPlace placed, place(cpu));
    if (const auto node = node_of.find(cpu); node != node_of.end()) {
      placed.node = node->second;
    } else if (!node_of.empty()) {
      placed.node = -1;
      assume(cpu, "in no node's cpulist; counted as one more node");
    }
    places.push_back(placed);
  }
  write_notes();
  return places;
}

void SysReader::write_notes() {
  for (auto& [text, cpus] : assumed_) {
    notes_.push_back(fmt::format("CPU {}: {}", CpuList(std::move(cpus)).to_string(), text));
  }
  assumed_.clear();
}

}  // namespace

Result<Topology> Topology::read(const os::ProcFs& fs) {
  SysReader reader(fs);
  auto places = reader.places();
  if (!places) return places.error().within("cannot read the CPU topology");
  SCHEDLAB_ASSIGN_OR_RETURN(Topology topology, from_places(*std::move(places)));
  topology.notes_ = reader.take_notes();
  return topology;
}

}  // namespace schedlab::topology
