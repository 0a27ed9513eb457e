// The cgroup of a run: made so that every process of the run can be killed in one stroke, whatever
// it forked and however it detached itself.
//
// It is a fresh cgroup v2 beneath our own, with no controllers. That matters: a cgroup with the cpu
// controller is a task group of its own to the scheduler, with its own runqueues and weights on
// each CPU, and to put a run into one changes what is measured. Where the cpu controller is on for
// the children of our own cgroup, no cgroup is made, and the run goes on without.
//
// The name tells whose it is: schedlab-<pid of the runner>-<its start, in ticks since boot>-<n>.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/duration.h"
#include "core/result.h"
#include "os/procfs.h"

namespace schedlab::os {

/// Directory of the cgroup v2 that the calling process is in. Errors: no cgroup2 mount, or a mount
/// that does not show our cgroup.
Result<std::string> own_cgroup_directory(const ProcFs& fs);

/// Makes one beneath our own; its directory. Errors say why there is none: not mounted, not
/// writable, or the cpu controller would come with it.
Result<std::string> create_run_cgroup(const ProcFs& fs);

/// Moves a process (all its threads) there.
Status move_to_cgroup(std::string_view directory, pid_t process);

/// SIGKILLs everything in it and beneath: cgroup.kill, or before Linux 5.14 one by one.
Status kill_cgroup(const ProcFs& fs, std::string_view directory);

/// Removes it with the cgroups beneath, killing what is left in them, for up to `patience`. A
/// directory that is not there is fine. Errors: still busy, not allowed.
Status remove_cgroup(const ProcFs& fs, std::string_view directory, Nanos patience);

/// Kills and removes the cgroups beneath our own whose runner is dead (its pid unused, or used by a
/// process that started at another time). What was done, a line each; failures too.
std::vector<std::string> remove_stale_cgroups(const ProcFs& fs);

}  // namespace schedlab::os
