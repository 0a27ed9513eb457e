// ArmSpec: one side of an A/B as the user wrote it ("cpus=0-3,nice=5"), parsed and checked before
// anything runs.
//
// Every knob of this version belongs to the run's own processes (affinity, policy, program,
// arguments), so that nothing on the machine has to be put back. Knobs are separated by commas; a
// piece that does not begin with a knob's name continues the value before it, so that `cpus=0,2`
// and `args:-M 0,1` read as one would expect.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cpu_list.h"
#include "core/result.h"
#include "os/run_attributes.h"

namespace schedlab::control {

struct ArmSpec {
  std::string text;              // as given
  os::RunAttributes attributes;  // cpus= nice= policy= slice=
  std::optional<std::string>
      program;  // cmd: another program with the same flags, resolved through PATH
  std::vector<std::string> extra_arguments;  // args: appended to the case's own
};

/// "same", or knobs `cpus=LIST nice=N policy=other|batch|idle|fifo:N slice=DURATION cmd:PROGRAM
/// args:WORDS`. Errors (Usage): empty, unknown knob (with the nearest known one), a knob given
/// twice, values out of range.
Result<ArmSpec> parse_arm_spec(std::string_view text);

/// Whether this machine can do it, tried in a child process and read back; `path` is $PATH for
/// cmd:. Fills in the program's full path. Errors: CPUs not allowed, permissions, a kernel without
/// the knob, no such program.
Status probe_arm_spec(ArmSpec& spec, std::string_view path);

}  // namespace schedlab::control
