#include "workload/hackbench/signals.h"

#include <sys/time.h>  // the interval timer that repairs a missed signal

#include <cerrno>

namespace schedlab::workload::hackbench {

namespace {

// A signal handler can reach nothing but globals.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t stop_signal = 0;
volatile std::sig_atomic_t early_child = 0;

// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void set_nudges(int microseconds) {
  itimerval timer{};
  timer.it_interval.tv_usec = microseconds;
  timer.it_value.tv_usec = microseconds;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void on_signal(int signal) {
  if (signal == SIGALRM) return;
  const int saved = errno;
  if (signal == SIGCHLD) {
    early_child = 1;
  } else {
    stop_signal = signal;
  }
  constexpr int kNudgeMicroseconds = 20'000;
  set_nudges(kNudgeMicroseconds);  // one system call, nothing else: safe in a handler
  errno = saved;
}

void set_handler(int signal, void (*handler)(int), struct sigaction* old) {
  struct sigaction action {};

  action.sa_handler = handler;
  action.sa_flags = 0;  // no SA_RESTART: a blocking call is to end
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, old);
}

/// A signal the caller ignores (a background job's SIGINT) stays ignored.
void watch(int signal, struct sigaction& old) {
  set_handler(signal, on_signal, &old);
  if (old.sa_handler == SIG_IGN) ::sigaction(signal, &old, nullptr);
}

/// One that is ignored stays ignored: nohup and background jobs mean the tasks too.
void stop_watching(int signal) {
  struct sigaction present {};

  ::sigaction(signal, nullptr, &present);
  if (present.sa_handler != SIG_IGN) set_handler(signal, SIG_DFL, nullptr);
}

}  // namespace

SignalWatch::SignalWatch() {
  stop_signal = 0;
  early_child = 0;
  set_handler(kNudge, on_signal, &old_alarm_);
  set_handler(SIGPIPE, SIG_IGN, &old_pipe_);  // a lost receiver is an error with a text
  set_handler(SIGCHLD, on_signal, &old_child_);
  watch(SIGINT, old_int_);
  watch(SIGTERM, old_term_);
  watch(SIGHUP, old_hangup_);
}

SignalWatch::~SignalWatch() {
  set_nudges(0);
  ::sigaction(SIGINT, &old_int_, nullptr);
  ::sigaction(SIGTERM, &old_term_, nullptr);
  ::sigaction(SIGHUP, &old_hangup_, nullptr);
  ::sigaction(SIGCHLD, &old_child_, nullptr);
  ::sigaction(SIGPIPE, &old_pipe_, nullptr);
  ::sigaction(kNudge, &old_alarm_, nullptr);
}

void SignalWatch::children_may_exit() {
  set_handler(SIGCHLD, SIG_DFL, nullptr);
}

int SignalWatch::interrupted_by() {
  return stop_signal;
}

bool SignalWatch::child_ended() {
  return early_child != 0;
}

void SignalWatch::reset_in_child() {
  stop_watching(SIGINT);
  stop_watching(SIGTERM);
  stop_watching(SIGHUP);
  set_handler(SIGCHLD, SIG_DFL, nullptr);
  set_handler(kNudge, SIG_DFL, nullptr);
}

}  // namespace schedlab::workload::hackbench
