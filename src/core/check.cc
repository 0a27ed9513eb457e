#include "core/check.h"

#include <cstdio>
#include <cstdlib>

namespace schedlab {

void check_failed(const char* file, int line, const char* what) {
  (void)std::fprintf(
      stderr, "schedlab: internal error at %s:%d: %s does not hold\n", file, line, what);
  std::abort();
}

}  // namespace schedlab
