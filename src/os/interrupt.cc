#include "os/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace schedlab::os {

namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

// A signal handler can reach nothing but globals; these are the only ones, and only the guard
// writes them.
std::atomic<bool> g_interrupted{false};            // NOLINT(readability-identifier-naming)
std::atomic<int> g_write_end{-1};                  // NOLINT(readability-identifier-naming)
std::array<struct sigaction, 3> g_former_actions;  // NOLINT(readability-identifier-naming)

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a handler may use them");

void note_signal(int /*signal*/) {
  const int saved = errno;
  g_interrupted.store(true);
  const char byte = 0;
  // A full pipe is readable already, so a write that fails loses nothing.
  [[maybe_unused]] const ssize_t written = ::write(g_write_end.load(), &byte, 1);
  errno = saved;
}

}  // namespace

Result<InterruptGuard> InterruptGuard::install() {
  SCHEDLAB_ASSIGN_OR_RETURN(Pipe pipe, Pipe::open());
  int nobody = -1;
  if (!g_write_end.compare_exchange_strong(nobody, pipe.write_end.get())) {
    return failed("signals are already being watched");
  }
  ::fcntl(pipe.write_end.get(), F_SETFL, O_NONBLOCK);
  g_interrupted.store(false);

  struct sigaction action {};

  action.sa_handler = note_signal;  // no SA_RESTART: a blocked poll must return
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &g_former_actions[i]);
    // What our caller has us ignore stays ignored: nohup ignores SIGHUP.
    if (g_former_actions[i].sa_handler == SIG_IGN) continue;
    ::sigaction(kSignals[i], &action, nullptr);
  }
  return InterruptGuard(std::move(pipe));
}

InterruptGuard::InterruptGuard(InterruptGuard&& other) noexcept = default;

InterruptGuard::~InterruptGuard() {
  if (pipe_.write_end.get() < 0) return;  // moved from
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &g_former_actions[i], nullptr);
  }
  g_write_end.store(-1);
}

StopRequest InterruptGuard::stop() const {
  return {g_interrupted, pipe_.read_end.get()};
}

}  // namespace schedlab::os
