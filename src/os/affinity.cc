#include "os/affinity.h"

#include <fmt/format.h>
#include <sched.h>

#include <array>

#include "os/errno_text.h"

namespace schedlab::os {

namespace {

/// Bits for CPU 0 to kMaxCpuId: as many as any kernel has, so that sched_getaffinity never finds
/// the buffer too small. A cpu_set_t alone ends at CPU 1023.
class CpuMask {
 public:
  CpuMask() { CPU_ZERO_S(size(), data()); }

  explicit CpuMask(const CpuList& cpus) : CpuMask() {
    for (const CpuId cpu : cpus)
      CPU_SET_S(static_cast<std::size_t>(cpu.value), size(), data());
  }

  static CpuMask full() {
    CpuMask mask;
    for (std::size_t cpu = 0; cpu <= kMaxCpuId; ++cpu)
      CPU_SET_S(cpu, size(), mask.data());
    return mask;
  }

  [[nodiscard]] CpuList to_list() const {
    std::vector<CpuId> cpus;
    for (std::int32_t cpu = 0; cpu <= kMaxCpuId; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size(), bits_.data())) {
        cpus.push_back(CpuId{cpu});
      }
    }
    return CpuList(std::move(cpus));
  }

  [[nodiscard]] cpu_set_t* data() { return bits_.data(); }

  static constexpr std::size_t size() { return sizeof(bits_); }

 private:
  std::array<cpu_set_t, (kMaxCpuId + 1) / CPU_SETSIZE> bits_;
};

static_assert(CpuMask::size() * 8 == kMaxCpuId + 1);

/// Every CPU the kernel would let this thread have, whatever its mask is now. The mask is asked
/// for whole, read back as far as the cpuset let it through, and then put back.
CpuList grantable_cpus(CpuMask& before) {
  CpuMask everything = CpuMask::full();
  if (::sched_setaffinity(0, CpuMask::size(), everything.data()) != 0) return before.to_list();
  const auto granted = allowed_cpus();
  ::sched_setaffinity(0, CpuMask::size(), before.data());
  return granted ? *granted : before.to_list();
}

Error refusal(const CpuList& wanted, const CpuList& grantable) {
  const CpuList missing = wanted.without(grantable);
  const CpuList& named = missing.empty() ? wanted : missing;
  return failed(
      fmt::format("cannot pin to CPU {}: not online or not in this cpuset (allowed: {}); "
                  "name only allowed CPUs",
                  named.to_string(),
                  grantable.to_string()));
}

}  // namespace

Result<CpuList> allowed_cpus() {
  CpuMask mask;
  if (::sched_getaffinity(0, CpuMask::size(), mask.data()) != 0) {
    return failed("cannot read the CPU affinity of this thread: " + errno_text(errno));
  }
  return mask.to_list();
}

Status bind_current_thread(const CpuList& cpus) {
  if (cpus.empty()) return usage_error("cannot pin to no CPU at all; name at least one");
  for (const CpuId cpu : cpus) {
    if (cpu.value < 0 || cpu.value > kMaxCpuId) {
      return usage_error(fmt::format(
          "cannot pin to CPU {}: ids run from 0 to {}; name one of those", cpu.value, kMaxCpuId));
    }
  }
  SCHEDLAB_ASSIGN_OR_RETURN(const CpuList current, allowed_cpus());
  CpuMask before(current);
  CpuMask wanted(cpus);
  if (::sched_setaffinity(0, CpuMask::size(), wanted.data()) != 0) {
    const int error = errno;
    if (error == EINVAL) return refusal(cpus, grantable_cpus(before));
    return failed(fmt::format("cannot pin to CPU {}: {}", cpus.to_string(), errno_text(error)));
  }
  // The kernel drops what the cpuset does not hold and says nothing as long as one CPU is left.
  SCHEDLAB_ASSIGN_OR_RETURN(const CpuList now, allowed_cpus());
  if (now == cpus) return {};
  ::sched_setaffinity(0, CpuMask::size(), before.data());
  return refusal(cpus, grantable_cpus(before));
}

CpuId current_cpu() {
  return CpuId{::sched_getcpu()};
}

}  // namespace schedlab::os
