// Runs a program from a test: no shell, its output captured, always reaped.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace schedlab::testing {

struct CommandResult {
  std::string out;
  std::string err;
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
};

/// argv[0] is the path. `working_directory` and one extra environment entry ("NAME=value") are
/// optional.
struct Command {
  std::vector<std::string> argv;
  std::string working_directory;
  std::vector<std::string> extra_environment;
};

/// Runs to its end; killed with its process group after two minutes.
CommandResult run(const Command& command);

/// A program started in its own process group, for tests that interrupt or kill it.
class Started {
 public:
  explicit Started(const Command& command);
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
  Started(Started&&) = delete;
  Started& operator=(Started&&) = delete;
  ~Started();

  [[nodiscard]] pid_t pid() const { return pid_; }

  void send_signal(int signal) const;

  /// Closes our ends, waits and returns what it printed.
  CommandResult wait();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
};

/// A fresh directory under $TMPDIR, removed with its contents at the end of the scope.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ScratchDirectory(ScratchDirectory&&) = delete;
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ~ScratchDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Processes whose command line contains `word`, by scanning /proc; for "nothing was left behind".
std::vector<pid_t> processes_with(const std::string& word);

}  // namespace schedlab::testing
