// InterruptGuard: while it lives, SIGINT, SIGTERM and SIGHUP (a lost ssh) set a flag instead of
// ending the process, so that the run in flight can be killed whole and what is finished be shown.
#pragma once

#include <atomic>
#include <utility>

#include "core/result.h"
#include "os/pipe.h"

namespace schedlab::os {

/// How a request to stop reaches those who run: a flag to ask, and a descriptor that turns
/// readable, to poll.
struct StopRequest {
  const std::atomic<bool>& requested;
  int fd = -1;
};

class InterruptGuard {
 public:
  /// Errors: a guard lives already, no descriptor is left.
  static Result<InterruptGuard> install();

  InterruptGuard(InterruptGuard&& other) noexcept;
  InterruptGuard& operator=(InterruptGuard&&) = delete;
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Puts the former handlers back.
  ~InterruptGuard();

  /// Valid while the guard lives.
  [[nodiscard]] StopRequest stop() const;

 private:
  explicit InterruptGuard(Pipe pipe) : pipe_(std::move(pipe)) {}

  Pipe pipe_;  // the handler writes a byte; nobody reads it, so it stays readable
};

}  // namespace schedlab::os
