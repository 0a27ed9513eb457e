// Being asked to stop, and noticing a child that died too early.
//
// While a SignalWatch lives, SIGINT, SIGTERM and SIGHUP (unless ignored) and, until
// children_may_exit(), SIGCHLD only set a flag and end the blocking system call of the main thread.
// A signal that comes just before such a call would be missed by it; so the handler also starts a
// 20 ms interval timer, whose SIGALRM ends whatever is entered afterwards, until the watch ends.
#pragma once

#include <csignal>

namespace schedlab::workload::hackbench {

class SignalWatch {
 public:
  /// One at a time.
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  SignalWatch(SignalWatch&&) = delete;
  SignalWatch& operator=(SignalWatch&&) = delete;

  /// Puts everything back as it was.
  ~SignalWatch();

  /// From here on children end when they are done: they are seen by wait alone.
  void children_may_exit();

  /// The SIGINT, SIGTERM or SIGHUP that came; 0 = none.
  [[nodiscard]] static int interrupted_by();

  /// Whether a child ended before children_may_exit().
  [[nodiscard]] static bool child_ended();

  /// For a forked child: the dispositions the caller had, except that SIGPIPE stays ignored.
  static void reset_in_child();

  /// Which signal ends a blocking call of a thread without doing anything else.
  static constexpr int kNudge = SIGALRM;

 private:
  struct sigaction old_int_ {};

  struct sigaction old_term_ {};

  struct sigaction old_hangup_ {};

  struct sigaction old_child_ {};

  struct sigaction old_alarm_ {};

  struct sigaction old_pipe_ {};
};

}  // namespace schedlab::workload::hackbench
