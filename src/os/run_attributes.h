// RunAttributes: what the scheduler is told about a run before it starts: where it may run, how
// nice, under which policy, in slices of what length. Set once, inherited by every thread and child
// of it.
//
// Each is read back after it was set: kernels accept and then clamp or ignore some of them without
// a word, and a run under other attributes than it claims is worse than none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/cpu_list.h"
#include "core/duration.h"
#include "core/result.h"

namespace schedlab::os {

struct SchedPolicy {
  enum class Kind { Other, Batch, Idle, Fifo };

  Kind kind = Kind::Other;
  std::int32_t priority = 0;  // 1 to 99 for Fifo, else 0

  friend bool operator==(const SchedPolicy&, const SchedPolicy&) = default;
};

/// "other", "batch", "idle", "fifo:10".
Result<SchedPolicy> parse_policy(std::string_view text);
std::string to_string(const SchedPolicy& policy);

struct RunAttributes {
  std::optional<CpuList> cpus{};
  std::optional<std::int32_t> nice{};  // -20 to 19; for other and batch
  std::optional<SchedPolicy> policy{};
  std::optional<Nanos> slice{};  // of the fair class; for other and batch, Linux 6.12 and newer

  [[nodiscard]] bool empty() const { return !cpus && !nice && !policy && !slice; }

  friend bool operator==(const RunAttributes&, const RunAttributes&) = default;
};

/// Usage errors: out of range, or a combination that means nothing (nice of a real-time task).
Status validate(const RunAttributes& attributes);

/// Sets them on the calling thread and reads them back. A policy without a slice gives the
/// default slice; what is not named stays. Errors say what was refused or ignored and what would
/// help. The thread may be left with some of them set.
Status apply_to_self(const RunAttributes& attributes);

/// Whether apply_to_self would succeed here and now, and then `then` under them (what a case needs
/// of the CPUs it will see), tried in a forked child that then exits; the caller is not touched.
Status probe(const RunAttributes& attributes, const std::function<Status()>& then = {});

}  // namespace schedlab::os
