// The three ways a message can go: AF_UNIX stream socket pair, pipe, TCP over loopback.
#pragma once

#include "core/result.h"
#include "os/unique_fd.h"
#include "workload/hackbench/options.h"

namespace schedlab::workload::hackbench {

struct Channel {
  os::UniqueFd read_end;
  os::UniqueFd write_end;
};

/// Blocking at both ends, closed on exec. A TCP pair listens on 127.0.0.1 only, for as long as the
/// call lasts, and takes no connection but its own. Errors name the call and the system's reason.
Result<Channel> make_channel(Ipc ipc);

}  // namespace schedlab::workload::hackbench
