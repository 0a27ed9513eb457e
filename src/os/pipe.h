// Pipes between our own processes: made close-on-exec, read whole, and an Error across.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "os/unique_fd.h"

namespace schedlab::os {

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;

  /// Both ends close-on-exec and numbered 10 or higher, so that they never stand where a child's
  /// 0 to 9 will be put. Errors: out of descriptors.
  static Result<Pipe> open();
};

/// False on any error (the reader is gone). Uses nothing but write(2).
bool write_all(int fd, std::string_view text);

/// Everything until the last writer closes; what came before an error when there is one.
std::string read_to_end(int fd);

/// One byte of kind and the message, and back.
std::string encode_error(const Error& error);
Error decode_error(std::string_view text);

}  // namespace schedlab::os
