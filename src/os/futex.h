// Private futexes, as thin as the system call: the workloads measure it, so nothing may stand
// between.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace schedlab::os {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

/// Sleeps while `word` holds `expected`. Returns on a wake, at once when the value differs, or on a
/// signal. True when the kernel put us to sleep and a wake ended it.
inline bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  return ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0) == 0;
}

/// Wakes up to `count` waiters; how many were woken.
inline long futex_wake(std::atomic<std::uint32_t>& word, std::uint32_t count) {
  return ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace schedlab::os
