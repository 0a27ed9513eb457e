// The machine's settings that decide scheduler figures, as "item<TAB>value" lines, stored by the
// hash of the text.
//
// Only what should stand still between runs belongs here; what moves (load, interrupts, steal) is
// noise and is in NoiseDeltas. Absent and unreadable are values of their own: "(absent)",
// "(unreadable: Permission denied)".
#pragma once

#include <string>

#include "os/procfs.h"

namespace schedlab::control {

struct Environment {
  std::string hash;  // 32 hex digits of the text
  std::string text;  // sorted lines, each "item<TAB>value"
};

/// Never fails: what can't be read is told as such.
Environment capture_environment(const os::ProcFs& fs);

/// The hash under which a text is stored (two FNV-1a sums of 64 bits, not cryptographic).
std::string environment_hash(std::string_view text);

}  // namespace schedlab::control
