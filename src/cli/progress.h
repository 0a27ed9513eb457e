// Progress of a plan on stderr: one line that rewrites itself on a terminal, one line per run in a
// pipe, nothing with -q. A failed run is told in full in every case.
#pragma once

#include <cstdio>
#include <string>

#include "compare/comparison.h"
#include "lab/session.h"

namespace schedlab::cli {

class Progress final : public lab::Observer {
 public:
  enum class Mode { Terminal, Lines, Quiet };

  Progress(std::FILE* err, Mode mode, Nanos start, std::int32_t online_cpus)
      : err_(err), mode_(mode), start_(start), online_cpus_(online_cpus) {}

  void run_starts(const lab::Plan& plan,
                  const lab::Step& step,
                  std::int32_t done,
                  std::int32_t total) override;
  void run_ended(const RunRecord& record, std::int32_t done, std::int32_t total) override;

  /// The plan's rule may end it before all its runs are made.
  void may_end_early() { may_end_early_ = true; }

  /// Where a plan that is watched stands after a block.
  void block_ended(const compare::Ending& ending, const StoppingRule& rule);

  /// Leaves the rewritten line; call before anything else is printed.
  void finish();

 private:
  std::FILE* err_;
  Mode mode_;
  Nanos start_;
  std::int32_t online_cpus_;  // decides what counts as disturbed
  bool line_open_ = false;
  bool may_end_early_ = false;
  std::string standing_;  // block_line() of the last block
};

/// "12/72 runs, 1m40s left": from the mean time of the runs so far.
std::string time_left(std::int32_t done, std::int32_t total, Nanos elapsed);

/// "after block 7: 1 of 4 rows decided, about 12 more blocks, 3m20s"; the time from the mean of the
/// blocks so far.
std::string block_line(const compare::Ending& ending, const StoppingRule& rule);

/// "run 3/24 block 1 base hackbench -p: time 0.204 s"; marks a disturbed run.
std::string run_line(const RunRecord& record,
                     std::int32_t done,
                     std::int32_t total,
                     std::int32_t online_cpus);

}  // namespace schedlab::cli
