// BoundedReader: what a child writes into a pipe, kept up to a limit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "os/unique_fd.h"

namespace schedlab::os {

class BoundedReader {
 public:
  /// `name` as the overflow text says it: "stdout".
  BoundedReader(std::string_view name, std::size_t limit) : name_(name), limit_(limit) {}

  /// Makes it non-blocking. Nothing can be read before this.
  void read_from(UniqueFd fd);

  /// -1 at the end of the stream, or once the limit is passed.
  [[nodiscard]] int fd() const { return overflowed_ ? -1 : fd_.get(); }

  /// Takes what is there without waiting; notices the end.
  void read_available();

  [[nodiscard]] bool overflowed() const { return overflowed_; }

  /// "it wrote more than 16 MiB to stdout and was stopped".
  [[nodiscard]] std::string overflow_text() const;

  /// What came, up to the limit.
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string name_;
  std::size_t limit_;
  UniqueFd fd_;
  std::string text_;
  bool overflowed_ = false;
};

}  // namespace schedlab::os
