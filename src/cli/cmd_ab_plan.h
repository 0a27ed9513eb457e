// From the words of `ab` to a plan, and to the record of what was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/cmd_ab_stopping.h"
#include "cli/commands.h"
#include "cli/table.h"
#include "core/experiment.h"
#include "core/result.h"
#include "lab/plan.h"
#include "os/host.h"

namespace schedlab::cli {

struct AbFlags {
  std::string spec_a;
  std::string spec_b;
  StoppingFlags stopping;
  bool control = false;
  std::optional<std::uint64_t> seed;
  std::string database = kDefaultDatabase;
  std::string time_limit;
  bool quiet = false;
  TableOptions table;
};

/// argv cut at each `--`: the flags, then a list of words per case.
struct CutArguments {
  std::vector<std::string> flags;
  std::vector<std::vector<std::string>> cases;
};

CutArguments cut_at_dashes(Arguments arguments);

/// Checked: it can be run. Errors: a workload, knob or flag that does not exist or is out of range,
/// and what this machine does not allow.
Result<lab::Plan> make_plan(const AbFlags& flags,
                            const CutArguments& cut,
                            const PlannedEnd& end,
                            std::uint64_t seed,
                            const Io& io);

/// The experiment of the plan, with the line that repeats it. Not yet stored.
Experiment describe(const lab::Plan& plan,
                    const AbFlags& flags,
                    const CutArguments& cut,
                    const PlannedEnd& end,
                    const os::Host& host);

}  // namespace schedlab::cli
