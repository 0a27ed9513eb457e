// errno as a person reads it.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

namespace schedlab::os {

/// "No such file or directory". Safe from several threads, unlike strerror.
inline std::string errno_text(int error) {
  const char* text = ::strerrordesc_np(error);
  return text != nullptr ? text : "error " + std::to_string(error);
}

}  // namespace schedlab::os
