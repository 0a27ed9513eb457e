// SCHEDLAB_CHECK: for what only a programming mistake can break. On in every build; prints and
// aborts. Anything reachable from input, the kernel or the database is a Result instead
// (core/result.h).
#pragma once

namespace schedlab {

/// Prints `what` with its place on stderr and aborts. Never returns.
[[noreturn]] void check_failed(const char* file, int line, const char* what);

}  // namespace schedlab

#define SCHEDLAB_CHECK(cond)                                          \
  do {                                                                \
    if (!(cond)) ::schedlab::check_failed(__FILE__, __LINE__, #cond); \
  } while (false)
