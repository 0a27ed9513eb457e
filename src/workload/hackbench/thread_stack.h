// The stack of a task that is a thread, from our own hands.
//
// The C library hands back the unused part of a stack that it allocated when the thread ends
// (madvise, with interrupts to the other CPUs), and unmaps at join what exceeds its cache of 40
// MiB. Both would stand inside Time. The original asks for the smallest stack there is, too small
// for either, and for messages of 12,000 bytes.
#pragma once

#include <pthread.h>  // the attributes of a thread to be made

#include <cstddef>

#include "core/result.h"

namespace schedlab::workload::hackbench {

class ThreadStack {
 public:
  /// `size` usable bytes, a multiple of the page size, above a page that ends a run that overflows.
  /// Errors: no memory, too many mappings.
  static Result<ThreadStack> map(std::size_t size);

  ThreadStack(const ThreadStack&) = delete;
  ThreadStack& operator=(const ThreadStack&) = delete;
  ThreadStack(ThreadStack&& other) noexcept;
  ThreadStack& operator=(ThreadStack&&) = delete;

  /// No thread may be on it any more.
  ~ThreadStack();

  /// For pthread_create.
  void use_in(pthread_attr_t& attributes) const;

 private:
  ThreadStack(char* mapping, std::size_t guard, std::size_t size)
      : mapping_(mapping), guard_(guard), size_(size) {}

  char* mapping_;
  std::size_t guard_;
  std::size_t size_;
};

}  // namespace schedlab::workload::hackbench
