// The flags of `ab` that say when a plan ends, and the watch that ends it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/progress.h"
#include "core/experiment.h"
#include "core/result.h"

namespace schedlab::cli {

struct StoppingFlags {
  std::optional<std::int32_t> blocks;
  std::optional<std::string> until;  // "clear", "1%"
  std::optional<std::int32_t> max_blocks;
  std::optional<std::int32_t> looks;
  std::optional<std::string> spending;
  std::optional<std::string> max_time;
  bool no_futility = false;
};

/// --blocks, --until, --max-blocks, --looks, --spending, --max-time, --no-futility.
void add_stopping_flags(CLI::App& app, StoppingFlags& flags);

/// When a plan ends: its rule, and the blocks there can be at most.
struct PlannedEnd {
  StoppingRule rule;
  std::int32_t blocks = 0;
};

/// `delta`: the text of --delta, empty for each metric's own. Errors (Usage): flags that exclude
/// each other or need another one, values out of range.
Result<PlannedEnd> planned_end(const StoppingFlags& flags, const std::string& delta);

/// The same as flags, with every default that matters spelt out.
std::vector<std::string> stopping_arguments(const StoppingFlags& flags, const PlannedEnd& end);

/// A lab::BlockRule: keeps the figures of the runs so far, compares after a block when the rule
/// wants to look, tells `progress`, and lets the plan go on until the comparison's ending has a
/// reason.
class BlockWatch {
 public:
  BlockWatch(const Experiment& experiment, Progress& progress)
      : experiment_(experiment), progress_(progress) {}

  /// Whether the rule can end the plan early at all.
  [[nodiscard]] bool is_needed() const;

  /// Errors: those of compare::compare().
  Result<bool> goes_on(std::span<const RunRecord> block);

 private:
  void keep(std::span<const RunRecord> block);
  [[nodiscard]] bool is_out_of_time() const;

  const Experiment& experiment_;
  Progress& progress_;
  std::vector<RunRecord> runs_;  // without samples and logs
  std::int32_t last_look_ = 0;
};

}  // namespace schedlab::cli
