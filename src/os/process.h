// Processes by id: whether one is still the one we knew, who our children are, and ending them all.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/duration.h"
#include "core/result.h"
#include "os/procfs.h"

namespace schedlab::os {

struct ProcessStat {
  pid_t parent = 0;
  char state = '?';              // 'R', 'S', 'Z', ... of proc(5)
  std::int64_t start_ticks = 0;  // since boot: with the pid, names a process for good
};

/// From /proc/PID/stat. Errors: no such process, garbage.
Result<ProcessStat> read_process_stat(const ProcFs& fs, pid_t pid);

/// The direct children of the calling process, zombies too, ascending. From /proc/self/task/*/
/// children, or where the kernel lacks those from every process's parent.
std::vector<pid_t> children_of_self(const ProcFs& fs);

/// SIGKILLs and reaps every child not in `spared`, with its process group unless that is our own,
/// and whatever those leave to us as subreaper,
/// until none is left or `patience` is over. How many had to be killed; what had ended by itself
/// does not count.
std::int64_t kill_and_reap_children(const ProcFs& fs,
                                    std::span<const pid_t> spared,
                                    Nanos patience);

/// While it lives, processes whose parents end become ours instead of init's
/// (PR_SET_CHILD_SUBREAPER). Process-wide.
class SubreaperScope {
 public:
  SubreaperScope();
  ~SubreaperScope();
  SubreaperScope(const SubreaperScope&) = delete;
  SubreaperScope& operator=(const SubreaperScope&) = delete;
  SubreaperScope(SubreaperScope&&) = delete;
  SubreaperScope& operator=(SubreaperScope&&) = delete;

 private:
  int before_ = 0;
};

}  // namespace schedlab::os
