#include "cli/version.h"

namespace schedlab::cli {

// The text comes from CMake when it configures; `make` always does, so the shipped binary names its
// commit.
const char* version() {
  return SCHEDLAB_VERSION_TEXT;
}

}  // namespace schedlab::cli
