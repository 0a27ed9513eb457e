// Progress of a plan on stderr: one line that rewrites itself on a terminal, one line per run in a
// pipe, nothing with -q. A failed run is told in full in every case.
#pragma once

#include <cstdio>
#include <string>

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

  /// Leaves the rewritten line; call before anything else is printed.
  void finish();

 private:
  std::FILE* err_;
  Mode mode_;
  Nanos start_;
  std::int32_t online_cpus_;  // decides what counts as disturbed
  bool line_open_ = false;
};

/// "12/72 runs, 1m40s left": from the mean time of the runs so far.
std::string time_left(std::int32_t done, std::int32_t total, Nanos elapsed);

/// "run 3/24 block 1 base hackbench -p: time 0.204 s"; marks a disturbed run.
std::string run_line(const RunRecord& record,
                     std::int32_t done,
                     std::int32_t total,
                     std::int32_t online_cpus);

}  // namespace schedlab::cli
