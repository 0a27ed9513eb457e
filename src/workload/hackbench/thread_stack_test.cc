#include "workload/hackbench/thread_stack.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

namespace schedlab::workload::hackbench {
namespace {

// ThreadSanitizer keeps its own state, most of a MiB, at the top of a thread's stack.
#if defined(__SANITIZE_THREAD__)
constexpr std::size_t kSize = std::size_t{4} << 20;
#else
constexpr std::size_t kSize = std::size_t{1} << 20;
#endif
constexpr std::size_t kDeep = std::size_t{256} << 10;

/// Leaves a mark far down its stack.
void* mark_the_stack(void* copy) {
  volatile char deep[kDeep];
  deep[0] = 'x';
  *static_cast<char*>(copy) = deep[0];
  return nullptr;
}

std::string_view bytes_of(const pthread_attr_t& attributes) {
  void* lowest = nullptr;
  std::size_t size = 0;
  ::pthread_attr_getstack(&attributes, &lowest, &size);
  return {static_cast<const char*>(lowest), size};
}

// A thread whose stack the C library made gives its unused part back as it ends.
TEST(ThreadStack, ItsPagesStayWhenTheThreadEnds) {
  const auto stack = ThreadStack::map(kSize);
  ASSERT_TRUE(stack) << stack.error().message;
  pthread_attr_t attributes;
  ASSERT_EQ(::pthread_attr_init(&attributes), 0);
  stack->use_in(attributes);
  pthread_t thread{};
  char mark = 0;
  ASSERT_EQ(::pthread_create(&thread, &attributes, mark_the_stack, &mark), 0);
  ASSERT_EQ(::pthread_join(thread, nullptr), 0);
  const std::string_view bytes = bytes_of(attributes);
  ::pthread_attr_destroy(&attributes);
  EXPECT_NE(bytes.substr(0, kSize - kDeep).find(mark), std::string_view::npos);
}

TEST(ThreadStackDeathTest, RunningOverItsEndIsFatal) {
  const auto stack = ThreadStack::map(kSize);
  ASSERT_TRUE(stack) << stack.error().message;
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  stack->use_in(attributes);
  void* lowest = nullptr;
  std::size_t size = 0;
  ::pthread_attr_getstack(&attributes, &lowest, &size);
  ::pthread_attr_destroy(&attributes);
  EXPECT_EQ(size, kSize);
  std::memset(lowest, 0, size);
  EXPECT_DEATH(static_cast<volatile char*>(lowest)[-1] = 0, "");
}

TEST(ThreadStack, NoMemoryIsAnError) {
  EXPECT_FALSE(ThreadStack::map(std::size_t{1} << 60));
}

}  // namespace
}  // namespace schedlab::workload::hackbench
