// Experiment: one comparison or plan as it was asked for: its arms, order, seed, when it ends and
// the line that repeats it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/duration.h"
#include "core/result.h"
#include "core/run_record.h"
#include "core/strong.h"

namespace schedlab {

struct Arm {
  std::string name;  // "base", "new", "control" (the A/A' arm)
  std::string spec;  // the SPEC as given: "cpus=0-3,nice=5", "same"

  friend bool operator==(const Arm&, const Arm&) = default;
};

struct Machine {
  std::string hostname;
  std::string cpu_model;
  std::int32_t online_cpus = 0;
  std::string kernel;  // uname -r and -v

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// What ends a plan, and with it which figures its table may show: a plan that was watched needs
/// evidence that survives being watched (docs/methodology.md, Stopping).
enum class StopWhen {
  Blocks,     // a number of blocks, fixed beforehand
  Precision,  // every primary row's interval is narrow enough
  Clear,      // every primary row has a verdict
  Looks,      // planned looks at a number of blocks
};

/// How planned looks share the error among them (stats/group_sequential.h).
enum class Spending { LanDeMets, OBrienFleming, Pocock };

/// Part of the record, since whoever makes the table again must judge by the same rule.
struct StoppingRule {
  StopWhen when = StopWhen::Blocks;
  double half_width = 0;   // Precision: of the 95 % interval, as a fraction; else 0
  std::int32_t looks = 0;  // Looks: how many; else 0
  Spending spending = Spending::LanDeMets;  // of Looks
  std::optional<double> delta =
      std::nullopt;      // the margin of "same" in every row; none: each metric's own
  bool futility = true;  // all but Blocks: also end when no row can be decided any more
  Nanos max_time{0};     // ends after the block that passes it; 0: no limit

  friend bool operator==(const StoppingRule&, const StoppingRule&) = default;
};

[[nodiscard]] std::string_view to_string(StopWhen when);
[[nodiscard]] std::string_view to_string(Spending spending);
Result<StopWhen> parse_stop_when(std::string_view text);
Result<Spending> parse_spending(std::string_view text);

/// What was planned, for people: "12 blocks planned", "until clear, at most 200 blocks or 2h".
[[nodiscard]] std::string plan_text(const StoppingRule& rule, std::int32_t blocks_planned);

struct Experiment {
  ExperimentId id;  // 0 until stored
  RunKind kind = RunKind::Measured;
  std::string tool_version;          // of schedlab
  std::vector<std::string> command;  // argv that repeats it, seed included
  std::uint64_t seed = 0;
  std::string order;                // "ABBA/BAAB"
  std::int32_t blocks_planned = 0;  // the most there can be, when the rule may end it earlier
  StoppingRule stopping;
  std::vector<Arm> arms;  // base first
  std::vector<std::string> cases;
  Machine machine;
  Nanos start_wall{0};

  friend bool operator==(const Experiment&, const Experiment&) = default;
};

}  // namespace schedlab
