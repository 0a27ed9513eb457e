#include "os/run_cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <limits>
#include <optional>

#include "core/text.h"
#include "os/clock.h"
#include "os/errno_text.h"
#include "os/pipe.h"
#include "os/process.h"

namespace schedlab::os {

namespace {

constexpr std::string_view kUnified = "0::";
constexpr std::string_view kPrefix = "schedlab-";
constexpr int kMaxRunsAtOnce = 1000;

struct Mount {
  std::string root;   // the part of the hierarchy that is mounted
  std::string point;  // where
};

/// mountinfo writes blanks, tabs, newlines and backslashes as \ooo.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) { return at < text.size() ? text[at] - '0' : 8; };
    const auto is_octal = [&](std::size_t at) { return digit(at) >= 0 && digit(at) < 8; };
    if (text[i] == '\\' && is_octal(i + 1) && is_octal(i + 2) && is_octal(i + 3)) {
      out += static_cast<char>(digit(i + 1) * 64 + digit(i + 2) * 8 + digit(i + 3));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Fields of mountinfo after proc(5): id, parent, device, root, point, options, any number of
/// optional ones, "-", type, source, options.
std::optional<Mount> cgroup2_mount(std::string_view mountinfo) {
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::size_t dash = line.find(" - cgroup2 ");
    if (dash == std::string_view::npos) continue;
    const auto fields = words(line.substr(0, dash));
    if (fields.size() >= 6) return Mount{.root = unescape(fields[3]), .point = unescape(fields[4])};
  }
  return std::nullopt;
}

std::optional<std::string> own_path(std::string_view cgroup) {
  for (const std::string_view line : split(cgroup, '\n')) {
    if (line.starts_with(kUnified)) return std::string(line.substr(kUnified.size()));
  }
  return std::nullopt;
}

Status write_file(const std::string& path, std::string_view text) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || !write_all(fd.get(), text)) {
    return failed(fmt::format("cannot write {}: {}", path, errno_text(errno)));
  }
  return {};
}

struct Owner {
  pid_t pid = 0;
  std::int64_t start_ticks = 0;
};

std::optional<Owner> owner_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const auto parts = split(name.substr(kPrefix.size()), '-');
  if (parts.size() != 3) return std::nullopt;
  const auto pid = parse_integer(parts[0], 1, std::numeric_limits<pid_t>::max());
  const auto start = parse_integer(parts[1], 0, std::numeric_limits<std::int64_t>::max());
  const auto number = parse_integer(parts[2], 0, kMaxRunsAtOnce);
  if (!pid || !start || !number) return std::nullopt;
  return Owner{.pid = static_cast<pid_t>(*pid), .start_ticks = *start};
}

bool is_alive(const ProcFs& fs, const Owner& owner) {
  const auto stat = read_process_stat(fs, owner.pid);
  return stat && stat->start_ticks == owner.start_ticks && stat->state != 'Z';
}

/// Directories directly beneath: in cgroupfs every other entry is a file.
std::vector<std::string> sub_cgroups(const ProcFs& fs, std::string_view directory) {
  std::vector<std::string> subs;
  for (const std::string& name : fs.list(directory).value_or(std::vector<std::string>())) {
    const std::string path = fmt::format("{}/{}", directory, name);

    struct stat status {};

    if (::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) subs.push_back(path);
  }
  return subs;
}

/// Before cgroup.kill: what forks meanwhile is met by the next call.
Status kill_one_by_one(const ProcFs& fs, std::string_view directory) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string text,
                            fs.read(fmt::format("{}/cgroup.procs", directory)));
  for (const std::string_view word : words(text)) {
    const auto pid = parse_integer(word, 1, std::numeric_limits<pid_t>::max());
    if (pid) ::kill(static_cast<pid_t>(*pid), SIGKILL);
  }
  for (const std::string& sub : sub_cgroups(fs, directory)) {
    SCHEDLAB_RETURN_IF_ERROR(kill_one_by_one(fs, sub));
  }
  return {};
}

/// errno of the first rmdir that failed, 0 when all is gone.
int remove_tree(const ProcFs& fs, const std::string& directory) {
  for (const std::string& sub : sub_cgroups(fs, directory)) {
    if (const int error = remove_tree(fs, sub); error != 0) return error;
  }
  if (::rmdir(directory.c_str()) == 0 || errno == ENOENT) return 0;
  return errno;
}

bool has_word(std::string_view text, std::string_view wanted) {
  for (const std::string_view word : words(text)) {
    if (word == wanted) return true;
  }
  return false;
}

}  // namespace

Result<std::string> own_cgroup_directory(const ProcFs& fs) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string mountinfo, fs.read("/proc/self/mountinfo"));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string cgroup, fs.read("/proc/self/cgroup"));
  const auto mount = cgroup2_mount(mountinfo);
  const auto path = own_path(cgroup);
  if (!mount || !path) return failed("cgroup v2 is not mounted");
  std::string_view rest = *path;
  if (mount->root != "/") {
    const bool inside = rest.starts_with(mount->root) &&
                        (rest.size() == mount->root.size() || rest[mount->root.size()] == '/');
    if (!inside) {
      return failed(fmt::format("the mount {} does not show our cgroup {}", mount->point, *path));
    }
    rest.remove_prefix(mount->root.size());
  }
  if (rest == "/") rest = {};
  return mount->point + std::string(rest);
}

Result<std::string> create_run_cgroup(const ProcFs& fs) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string own, own_cgroup_directory(fs));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string passed_on, fs.read(own + "/cgroup.subtree_control"));
  if (has_word(passed_on, "cpu")) {
    return failed(
        fmt::format("the cpu controller is on beneath {}, and one more task group would change "
                    "what is measured",
                    own));
  }
  const pid_t self = ::getpid();
  SCHEDLAB_ASSIGN_OR_RETURN(const ProcessStat stat, read_process_stat(fs, self));
  for (int number = 0; number < kMaxRunsAtOnce; ++number) {
    std::string path = fmt::format("{}/{}{}-{}-{}", own, kPrefix, self, stat.start_ticks, number);
    if (::mkdir(path.c_str(), 0755) == 0) return path;
    if (errno != EEXIST) {
      return failed(fmt::format("cannot make a cgroup in {}: {}", own, errno_text(errno)));
    }
  }
  return failed(fmt::format("{} is full of cgroups of this process", own));
}

Status move_to_cgroup(std::string_view directory, pid_t process) {
  return write_file(fmt::format("{}/cgroup.procs", directory), std::to_string(process));
}

Status kill_cgroup(const ProcFs& fs, std::string_view directory) {
  const std::string kill_file = fmt::format("{}/cgroup.kill", directory);
  if (::access(kill_file.c_str(), F_OK) == 0) return write_file(kill_file, "1");
  return kill_one_by_one(fs, directory);
}

Status remove_cgroup(const ProcFs& fs, std::string_view directory, Nanos patience) {
  const Nanos deadline = monotonic_now() + patience;
  for (;;) {
    const int error = remove_tree(fs, std::string(directory));
    if (error == 0) return {};
    if (error == EBUSY) SCHEDLAB_RETURN_IF_ERROR(kill_cgroup(fs, directory));
    if (error != EBUSY || monotonic_now() >= deadline) {
      return failed(fmt::format(
          "cannot remove the cgroup {}: {}; remove it by rmdir", directory, errno_text(error)));
    }
    sleep_until(monotonic_now() + std::chrono::milliseconds(1));
  }
}

std::vector<std::string> remove_stale_cgroups(const ProcFs& fs) {
  std::vector<std::string> done;
  const auto own = own_cgroup_directory(fs);
  if (!own) return done;
  for (const std::string& path : sub_cgroups(fs, *own)) {
    const auto owner = owner_of(std::string_view(path).substr(own->size() + 1));
    if (!owner || is_alive(fs, *owner)) continue;
    const Status removed = remove_cgroup(fs, path, std::chrono::seconds(2));
    done.push_back(removed ? fmt::format("removed {}, left by process {}", path, owner->pid)
                           : removed.error().message);
  }
  return done;
}

}  // namespace schedlab::os
