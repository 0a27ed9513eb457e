// Result<T> and Status: how everything that the world can refuse reports it.
//
// An Error is one line for a person: what was being done, what got in the way, what would help.
// Only `cli` prints it and turns its kind into an exit status. Nothing of ours throws.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace schedlab {

struct Error {
  enum class Kind {
    Failed,       // the world got in the way: exit status 1
    Usage,        // the request makes no sense: exit status 2
    Interrupted,  // Ctrl-C or SIGTERM: exit status 130
  };

  std::string message;
  Kind kind = Kind::Failed;

  /// The same error with `what: ` in front: context added on the way up.
  [[nodiscard]] Error within(std::string_view what) const {
    return {std::string(what) + ": " + message, kind};
  }
};

[[nodiscard]] inline Error failed(std::string message) {
  return {std::move(message), Error::Kind::Failed};
}

[[nodiscard]] inline Error usage_error(std::string message) {
  return {std::move(message), Error::Kind::Usage};
}

template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;

  // NOLINTNEXTLINE(google-explicit-constructor): `return failed(...)` is the point of the type
  Result(Error error) : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}
};

using Status = Result<void>;

}  // namespace schedlab

#define SCHEDLAB_CONCAT_INNER(a, b) a##b
#define SCHEDLAB_CONCAT(a, b) SCHEDLAB_CONCAT_INNER(a, b)

/// Evaluates a Status or Result; on error returns that error from the calling function.
#define SCHEDLAB_RETURN_IF_ERROR(expr)                     \
  do {                                                     \
    if (auto status_or_error = (expr); !status_or_error) { \
      return std::move(status_or_error).error();           \
    }                                                      \
  } while (false)

/// SCHEDLAB_ASSIGN_OR_RETURN(const int x, parse(text)): the value, or the error from the calling
/// function.
#define SCHEDLAB_ASSIGN_OR_RETURN(decl, expr) \
  SCHEDLAB_ASSIGN_OR_RETURN_INNER(SCHEDLAB_CONCAT(result_, __LINE__), decl, expr)
#define SCHEDLAB_ASSIGN_OR_RETURN_INNER(tmp, decl, expr) \
  auto tmp = (expr);                                     \
  if (!tmp) return std::move(tmp).error();               \
  decl = std::move(tmp).value()
