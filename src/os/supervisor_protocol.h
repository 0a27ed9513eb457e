// What the runner and the supervisor say to each other: arguments one way, lines on a pipe the
// other way.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/duration.h"
#include "core/result.h"
#include "os/run_attributes.h"

namespace schedlab::os {

/// The supervisor's descriptor for the lines below.
inline constexpr int kStatusFd = 4;

struct SuperviseRequest {
  pid_t runner = 0;
  std::string cgroup{};  // empty: none
  RunAttributes attributes{};
  std::string program{};
  std::vector<std::string> arguments{};

  friend bool operator==(const SuperviseRequest&, const SuperviseRequest&) = default;
};

/// argv of the supervisor, its name first.
std::vector<std::string> to_argv(const SuperviseRequest& request);
Result<SuperviseRequest> parse_argv(const std::vector<std::string>& argv);

/// One line each; the text of Error and Note has no newline in it.
struct SuperviseEvent {
  enum class Kind { Started, Exited, Signaled, Error, Note };

  Kind kind = Kind::Note;
  std::int64_t number = 0;  // pid, exit code or signal
  Nanos monotonic{0};       // when; for Started, Exited, Signaled
  Nanos wall{0};
  std::string text{};  // encode_error() of Error; of Note

  friend bool operator==(const SuperviseEvent&, const SuperviseEvent&) = default;
};

/// With the newline.
std::string to_line(const SuperviseEvent& event);
/// Without the newline. Errors: anything to_line does not write.
Result<SuperviseEvent> parse_event(std::string_view line);

}  // namespace schedlab::os
