#include "workload/hackbench/thread_stack.h"

#include <sys/mman.h>  // see the header: what is unmapped when is part of what is timed
#include <unistd.h>    // page size

#include <cerrno>
#include <utility>

#include "os/errno_text.h"

namespace schedlab::workload::hackbench {

Result<ThreadStack> ThreadStack::map(std::size_t size) {
  const auto guard = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const memory = ::mmap(nullptr,
                              guard + size,
                              PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK,
                              -1,
                              0);
  if (memory == MAP_FAILED) return failed("cannot map a stack: " + os::errno_text(errno));
  ThreadStack stack(static_cast<char*>(memory), guard, size);
  if (::mprotect(memory, guard, PROT_NONE) != 0) {
    return failed("cannot guard a stack: " + os::errno_text(errno));
  }
  return stack;
}

ThreadStack::ThreadStack(ThreadStack&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)), guard_(other.guard_), size_(other.size_) {}

ThreadStack::~ThreadStack() {
  if (mapping_ != nullptr) ::munmap(mapping_, guard_ + size_);
}

void ThreadStack::use_in(pthread_attr_t& attributes) const {
  ::pthread_attr_setstack(&attributes, mapping_ + guard_, size_);
}

}  // namespace schedlab::workload::hackbench
