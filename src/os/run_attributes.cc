#include "os/run_attributes.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/text.h"
#include "os/affinity.h"
#include "os/errno_text.h"
#include "os/pipe.h"

namespace schedlab::os {

namespace {

constexpr std::string_view kFifo = "fifo:";
using Kind = SchedPolicy::Kind;

/// The first version of the kernel's struct sched_attr (include/uapi/linux/sched/types.h); glibc
/// 2.36 has none. In fair policies `runtime` is the slice, 0 for the default one.
struct SchedAttr {
  std::uint32_t size = sizeof(SchedAttr);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

static_assert(sizeof(SchedAttr) == 48);

Result<SchedAttr> get_attr() {
  SchedAttr attr;
  if (::syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) != 0) {
    return failed("cannot read the scheduling attributes of this thread: " + errno_text(errno));
  }
  return attr;
}

std::uint32_t to_kernel(Kind kind) {
  switch (kind) {
    case Kind::Other:
      return SCHED_OTHER;
    case Kind::Batch:
      return SCHED_BATCH;
    case Kind::Idle:
      return SCHED_IDLE;
    case Kind::Fifo:
      return SCHED_FIFO;
  }
  return SCHED_OTHER;
}

bool is_fair(std::uint32_t policy) {
  return policy == SCHED_OTHER || policy == SCHED_BATCH;
}

/// "policy fifo:10, slice 1ms": what is being asked for, as the errors say it.
std::string describe(const RunAttributes& attributes) {
  std::string out;
  const auto add = [&](const std::string& item) { out += (out.empty() ? "" : ", ") + item; };
  if (attributes.policy) add("policy " + to_string(*attributes.policy));
  if (attributes.nice) add(fmt::format("nice {}", *attributes.nice));
  if (attributes.slice) add("slice " + format_duration(*attributes.slice));
  return out;
}

Error refusal(const RunAttributes& attributes, int error) {
  std::string_view help = "this kernel or its security module does not allow it";
  if (error == EPERM || error == EACCES) {
    const bool real_time = attributes.policy && attributes.policy->kind == Kind::Fifo;
    help = real_time ? "run as root, or raise the limit rtprio (ulimit -r)"
                     : "run as root, or raise the limit nice (ulimit -e)";
  }
  return failed(
      fmt::format("cannot set {}: {}; {}", describe(attributes), errno_text(error), help));
}

Status verify_slice(Nanos wanted, std::uint64_t got) {
  if (got == static_cast<std::uint64_t>(wanted.count())) return {};
  const std::string asked = format_duration(wanted);
  if (got == 0) {
    return failed(fmt::format(
        "cannot set slice {}: this kernel ignores it; Linux 6.12 or newer is needed", asked));
  }
  return failed(fmt::format("cannot set slice {}: the kernel made it {}; it allows 100us to 100ms",
                            asked,
                            format_duration(Nanos(static_cast<std::int64_t>(got)))));
}

Status verify(const RunAttributes& attributes) {
  SCHEDLAB_ASSIGN_OR_RETURN(const SchedAttr now, get_attr());
  if (const auto& policy = attributes.policy) {
    if (now.policy != to_kernel(policy->kind) ||
        now.priority != static_cast<std::uint32_t>(policy->priority)) {
      return failed("cannot set policy " + to_string(*policy) + ": the kernel kept another");
    }
  }
  if (attributes.nice && now.nice != *attributes.nice) {
    return failed(fmt::format("cannot set nice {}: the kernel kept {}; raise the limit nice",
                              *attributes.nice,
                              now.nice));
  }
  if (attributes.slice) return verify_slice(*attributes.slice, now.runtime);
  return {};
}

/// Policy, nice and slice go in one call: each later call would reset the slice.
Status set_scheduling(const RunAttributes& attributes) {
  SCHEDLAB_ASSIGN_OR_RETURN(const SchedAttr before, get_attr());
  SchedAttr wanted;
  wanted.policy = attributes.policy ? to_kernel(attributes.policy->kind) : before.policy;
  if (!is_fair(wanted.policy) && (attributes.slice || attributes.nice)) {
    return usage_error(
        fmt::format("cannot set {}: it is for policies other and batch, and this "
                    "process runs under another; add policy=other",
                    describe(attributes)));
  }
  if (is_fair(wanted.policy)) wanted.nice = attributes.nice.value_or(before.nice);
  if (attributes.policy) {
    wanted.priority = static_cast<std::uint32_t>(attributes.policy->priority);
  }
  if (attributes.slice) wanted.runtime = static_cast<std::uint64_t>(attributes.slice->count());
  if (::syscall(SYS_sched_setattr, 0, &wanted, 0) != 0) return refusal(attributes, errno);
  return verify(attributes);
}

/// nice alone goes by setpriority, which leaves a slice that the caller has.
Status set_nice(const RunAttributes& attributes) {
  if (::setpriority(PRIO_PROCESS, 0, *attributes.nice) != 0) return refusal(attributes, errno);
  return verify(attributes);
}

[[noreturn]] void probe_in_child(const RunAttributes& attributes,
                                 const std::function<Status()>& then,
                                 int report) {
  Status tried = apply_to_self(attributes);
  if (tried && then) tried = then();
  if (tried) ::_exit(0);
  const std::string text = encode_error(tried.error());
  write_all(report, text);
  ::_exit(1);
}

}  // namespace

Result<SchedPolicy> parse_policy(std::string_view text) {
  if (text == "other") return SchedPolicy{.kind = Kind::Other};
  if (text == "batch") return SchedPolicy{.kind = Kind::Batch};
  if (text == "idle") return SchedPolicy{.kind = Kind::Idle};
  if (text.starts_with(kFifo)) {
    const auto priority = parse_integer(text.substr(kFifo.size()), 1, 99);
    if (!priority) return priority.error().within("priority of policy fifo");
    return SchedPolicy{.kind = Kind::Fifo, .priority = static_cast<std::int32_t>(*priority)};
  }
  return usage_error(
      fmt::format("unknown policy '{}' (known: other, batch, idle, fifo:1 to "
                  "fifo:99)",
                  printable(text)));
}

std::string to_string(const SchedPolicy& policy) {
  switch (policy.kind) {
    case Kind::Other:
      return "other";
    case Kind::Batch:
      return "batch";
    case Kind::Idle:
      return "idle";
    case Kind::Fifo:
      return fmt::format("fifo:{}", policy.priority);
  }
  return "other";
}

Status validate(const RunAttributes& attributes) {
  if (attributes.cpus && attributes.cpus->empty()) {
    return usage_error("cannot run on no CPU at all; name at least one");
  }
  if (attributes.nice && (*attributes.nice < -20 || *attributes.nice > 19)) {
    return usage_error(fmt::format("nice {} is not from -20 to 19", *attributes.nice));
  }
  if (attributes.slice && *attributes.slice <= Nanos(0)) {
    return usage_error("a slice must be longer than nothing; the kernel allows 100us to 100ms");
  }
  if (!attributes.policy) return {};
  const SchedPolicy& policy = *attributes.policy;
  const bool fifo = policy.kind == Kind::Fifo;
  if (policy.priority < (fifo ? 1 : 0) || policy.priority > (fifo ? 99 : 0)) {
    return usage_error(
        fmt::format("priority {} does not fit policy {}", policy.priority, to_string(policy)));
  }
  if (!is_fair(to_kernel(policy.kind)) && (attributes.nice || attributes.slice)) {
    return usage_error(fmt::format("policy {} has no {}; only other and batch have",
                                   to_string(policy),
                                   attributes.nice ? "nice value" : "slice"));
  }
  return {};
}

Status apply_to_self(const RunAttributes& attributes) {
  SCHEDLAB_RETURN_IF_ERROR(validate(attributes));
  if (attributes.cpus) SCHEDLAB_RETURN_IF_ERROR(bind_current_thread(*attributes.cpus));
  if (attributes.policy || attributes.slice) return set_scheduling(attributes);
  if (attributes.nice) return set_nice(attributes);
  return {};
}

Status probe(const RunAttributes& attributes, const std::function<Status()>& then) {
  SCHEDLAB_RETURN_IF_ERROR(validate(attributes));
  SCHEDLAB_ASSIGN_OR_RETURN(Pipe report, Pipe::open());
  const pid_t child = ::fork();
  if (child < 0) return failed("cannot fork to try run attributes: " + errno_text(errno));
  if (child == 0) probe_in_child(attributes, then, report.write_end.get());
  report.write_end.reset();
  const std::string text = read_to_end(report.read_end.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!text.empty()) return decode_error(text);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return failed("cannot try run attributes: the process that tried died");
}

}  // namespace schedlab::os
