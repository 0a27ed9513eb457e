#include "cli/version.h"

namespace schedlab::cli {

// The text comes from CMake, so that a new commit recompiles this file and nothing else.
const char* version() {
  return SCHEDLAB_VERSION_TEXT;
}

}  // namespace schedlab::cli
