// The wake protocol: message threads and workers put each other to sleep and wake each other
// through one futex word per thread, 0 = blocked, 1 = running.
//
//   worker                                        message thread
//   state = 0, stamp, push onto its list
//   post(message thread) ----------------------->  state = 0, detach the whole list
//   wait()                                         for each waiter: stamp, post(waiter)
//     <------------------------------------------  wait()
//
// A burst of posts to a thread that has not run yet costs one system call. Only the owner sets its
// word to 0, so a post is never lost.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/futex.h"  // the system call is what is measured

namespace schedlab::workload::schbench {

using WakeWord = std::atomic<std::uint32_t>;

inline constexpr std::uint32_t kBlocked = 0;
inline constexpr std::uint32_t kRunning = 1;

/// True when this post is the one that woke the thread or will let it pass.
inline bool post(WakeWord& word) {
  std::uint32_t expected = kBlocked;
  if (!word.compare_exchange_strong(
          expected, kRunning, std::memory_order_acq_rel, std::memory_order_relaxed)) {
    return false;
  }
  os::futex_wake(word, 1);
  return true;
}

/// Until posted; leaves the word at 0. True when the kernel put us to sleep on the way.
inline bool wait_for_post(WakeWord& word) {
  bool slept = false;
  for (;;) {
    std::uint32_t expected = kRunning;
    if (word.compare_exchange_strong(
            expected, kBlocked, std::memory_order_acquire, std::memory_order_relaxed)) {
      return slept;
    }
    slept |= os::futex_wait(word, kBlocked);
  }
}

/// A stack of threads that wait: any thread pushes, the owner takes all at once.
template <typename Node>
class WaitList {
 public:
  void push(Node& node) {
    Node* head = head_.load(std::memory_order_relaxed);
    do {
      node.next = head;
    } while (!head_.compare_exchange_weak(
        head, &node, std::memory_order_release, std::memory_order_relaxed));
  }

  /// Newest first.
  Node* detach() { return head_.exchange(nullptr, std::memory_order_acquire); }

 private:
  std::atomic<Node*> head_{nullptr};
};

/// The same list the other way round.
template <typename Node>
Node* reversed(Node* head) {
  Node* out = nullptr;
  while (head != nullptr) {
    Node* const next = head->next;
    head->next = out;
    out = head;
    head = next;
  }
  return out;
}

}  // namespace schedlab::workload::schbench
