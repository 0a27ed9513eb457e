// For os_test only: the commands that its tests run under a supervisor.
#pragma once

#include <string_view>

namespace schedlab::os {

inline constexpr std::string_view kHelperArgument = "__helper";

/// argv[2] names the command, the rest are its arguments:
///   speak              "out" to stdout, "err" to stderr, "result" to kResultFd; exits 3
///   die                by SIGUSR1
///   flood              to stdout without end
///   fds                its open descriptors, a line each
///   signals            its blocked and ignored signals, a line each
///   attributes         policy, nice, slice and CPUs of itself and of a child of its child
///   burn               50 ms of CPU time in a child, waited for
///   tree FIFO stay     itself, a child in a session of its own and an orphan of that, all of them
///                      deaf to signals; each opens FIFO and writes a byte; none ever ends
///   tree FIFO leave    the same, but itself exits with 7 once the others are there
///   chain FIFO         itself, and in another session a process that forks a successor and ends,
///                      without end; three bytes to FIFO, which all keep open
///   runner FIFO        runs "tree FIFO stay" by run_supervised
///   runner-bare FIFO   without a cgroup
int helper_main(int argc, const char* const* argv);

}  // namespace schedlab::os
