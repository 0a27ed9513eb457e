#include "os/process.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <limits>

#include "core/text.h"
#include "os/clock.h"

namespace schedlab::os {

namespace {

constexpr std::string_view kTasks = "/proc/self/task";
constexpr std::size_t kParent = 1;  // field 4 of proc(5)
constexpr std::size_t kStart = 19;  // field 22
constexpr std::int64_t kMaxPid = std::numeric_limits<pid_t>::max();

void append_pids(std::string_view text, std::vector<pid_t>& pids) {
  for (const std::string_view word : words(text)) {
    if (const auto pid = parse_integer(word, 1, kMaxPid)) {
      pids.push_back(static_cast<pid_t>(*pid));
    }
  }
}

std::vector<pid_t> children_by_parent(const ProcFs& fs) {
  std::vector<pid_t> children;
  const pid_t self = ::getpid();
  for (const std::string& name : fs.list("/proc").value_or(std::vector<std::string>())) {
    const auto pid = parse_integer(name, 1, kMaxPid);
    if (!pid) continue;
    const auto stat = read_process_stat(fs, static_cast<pid_t>(*pid));
    if (stat && stat->parent == self) children.push_back(static_cast<pid_t>(*pid));
  }
  return children;
}

/// The group too: the kernel kills it in one stroke, so that what keeps forking cannot outrun us.
void kill_with_group(pid_t child) {
  const pid_t group = ::getpgid(child);
  if (group > 1 && group != ::getpgrp()) ::kill(-group, SIGKILL);
  ::kill(child, SIGKILL);
}

void drop_spared(std::vector<pid_t>& children, std::span<const pid_t> spared) {
  std::erase_if(children, [&](pid_t child) {
    return std::find(spared.begin(), spared.end(), child) != spared.end();
  });
}

/// The kernel's list of children may miss some while others exit (proc(5)), so an empty list proves
/// nothing: waitid knows, and where spared children hide its answer, every process's parent does.
bool no_child_is_left(const ProcFs& fs, std::span<const pid_t> spared) {
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD) return true;
  if (spared.empty()) return false;
  std::vector<pid_t> children = children_by_parent(fs);
  drop_spared(children, spared);
  return children.empty();
}

struct Reaped {
  std::int64_t ended = 0;
  std::int64_t killed = 0;  // of them by SIGKILL
};

Reaped reap_ended(std::span<const pid_t> children) {
  Reaped reaped;
  for (const pid_t child : children) {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) != child) continue;
    ++reaped.ended;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ++reaped.killed;
  }
  return reaped;
}

}  // namespace

Result<ProcessStat> read_process_stat(const ProcFs& fs, pid_t pid) {
  const std::string path = fmt::format("/proc/{}/stat", pid);
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string text, fs.read(path));
  // The name in parentheses may itself hold blanks and parentheses: count from the last one.
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos) return failed(path + ": no process name in it");
  const auto fields = words(std::string_view(text).substr(close + 1));
  if (fields.size() <= kStart || fields.front().size() != 1) {
    return failed(path + ": too few fields in it");
  }
  const auto parent = parse_integer(fields[kParent], 0, kMaxPid);
  const auto start = parse_integer(fields[kStart], 0, std::numeric_limits<std::int64_t>::max());
  if (!parent) return failed(parent.error().within(path).message);
  if (!start) return failed(start.error().within(path).message);
  return ProcessStat{.parent = static_cast<pid_t>(*parent),
                     .state = fields.front().front(),
                     .start_ticks = *start};
}

std::vector<pid_t> children_of_self(const ProcFs& fs) {
  std::vector<pid_t> children;
  bool known = false;
  for (const std::string& task : fs.list(kTasks).value_or(std::vector<std::string>())) {
    const auto text = fs.read(fmt::format("{}/{}/children", kTasks, task));
    if (!text) continue;
    known = true;
    append_pids(*text, children);
  }
  if (!known) children = children_by_parent(fs);
  std::sort(children.begin(), children.end());
  return children;
}

std::int64_t kill_and_reap_children(const ProcFs& fs,
                                    std::span<const pid_t> spared,
                                    Nanos patience) {
  const Nanos deadline = monotonic_now() + patience;
  std::int64_t killed = 0;
  for (;;) {
    std::vector<pid_t> children = children_of_self(fs);
    drop_spared(children, spared);
    if (children.empty() && no_child_is_left(fs, spared)) return killed;
    for (const pid_t child : children)
      kill_with_group(child);
    const Reaped reaped = reap_ended(children);
    killed += reaped.killed;
    if (monotonic_now() >= deadline) return killed;
    if (reaped.ended == 0) sleep_until(monotonic_now() + std::chrono::microseconds(500));
  }
}

SubreaperScope::SubreaperScope() {
  ::prctl(PR_GET_CHILD_SUBREAPER, &before_, 0, 0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

SubreaperScope::~SubreaperScope() {
  ::prctl(PR_SET_CHILD_SUBREAPER, before_, 0, 0, 0);
}

}  // namespace schedlab::os
