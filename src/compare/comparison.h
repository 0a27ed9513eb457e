// Comparison: the result of comparing two arms, as plain values. `report` turns it into text;
// nothing here prints. What the figures mean: docs/methodology.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment.h"
#include "core/metric.h"
#include "core/run_record.h"

namespace schedlab::compare {

enum class Verdict { Better, Worse, Same, Inconclusive };

struct Interval {
  double low = 0;
  double high = 0;
};

/// One arm of one row, over its run values, in the metric's unit.
struct ArmSummary {
  std::vector<double> values;  // in order of block and position
  double mean = 0;
  double harmonic_mean = 0;
  double median = 0;
  double sd = 0;  // divisor n-1; 0 when n < 2
  double cv = 0;  // sd / mean
  double min = 0;
  double max = 0;
  std::string mode;              // of every run: "native", "classic", "external:NAME"
  std::string workload_version;  // of every run
};

/// Ratios turned so that above 1 is better for the new arm, whatever the metric's direction. What
/// is said of the figures holds for a plan of a fixed number of blocks; a plan that was watched has
/// the like of each that its rule allows: repeated intervals and p-values, or anytime ones, where
/// Hodges-Lehmann has an interval only with two modes, that of the signs (compare/stopping.h). An
/// interval that is not there yet runs from 0 to infinity.
struct Effect {
  double ratio = 1;                       // exp(mean of the paired log-ratios)
  Interval interval95;                    // t interval, as ratios
  Interval interval90;                    // for TOST
  double hodges_lehmann = 1;              // exp(median of Walsh averages)
  std::optional<Interval> hl_interval95;  // exact signed-rank interval; none below 6 blocks
  double p_value = 1;                     // two-sided paired t
  double p_adjusted = 1;                  // Benjamini-Hochberg over the primary rows of the table
  double p_tost = 1;                      // larger of the two one-sided tests at delta
};

struct Row {
  std::string workload;
  std::string case_name;
  Metric metric;  // name, unit, direction, class, resolution, primary; value unused
  ArmSummary base;
  ArmSummary contender;            // the new arm
  std::vector<double> log_ratios;  // one per complete block, oriented so that + is better
  std::optional<Effect> effect;  // none below two complete blocks or without logarithms: flags say
  Verdict verdict = Verdict::Inconclusive;
  double delta = 0.01;              // margin of "same", as a fraction
  bool real_but_small = false;      // significant, yet certainly within delta
  bool resolution_limited = false;  // one step of the instrument is larger than delta
  bool two_modes = false;           // in an arm at least: no mean describes it, see headline_of
  std::optional<std::int64_t>
      more_blocks;  // for inconclusive: about how many further blocks would decide
  std::vector<std::string>
      flags;  // "two modes: 33.1 k/s (8/10) 2.2 k/s (2/10)", "3 runs disturbed", "drift"
};

/// What stands for the row: the effect of the means, or with two modes that of the ranks.
struct Headline {
  double ratio = 1;
  std::optional<Interval> interval95;
};

/// None without an effect. With two modes Hodges-Lehmann's estimate and its interval, if any. No
/// interval where it would be every ratio.
[[nodiscard]] std::optional<Headline> headline_of(const Row& row);

/// Why a plan went no further.
enum class StopReason {
  NotEnded,   // the rule would have gone on: interrupted, or looked at while it runs
  Blocks,     // all blocks that were planned, or that there could be
  Precise,    // every primary row's interval is narrow enough
  Clear,      // every primary row has a verdict
  Futile,     // no undecided row can be decided within the plan
  OutOfTime,  // StoppingRule::max_time
};

/// Where a plan stands against its rule.
struct Ending {
  StopReason reason = StopReason::NotEnded;
  std::int32_t blocks_done = 0;    // up to the last complete one
  std::int32_t looks_reached = 0;  // of planned looks
  std::int64_t rows = 0;           // primary rows that the rule waits for
  std::int64_t rows_settled = 0;   // of these: decided, or precise enough
  std::int64_t rows_hopeless = 0;  // of the others: cannot be, within the plan
  std::optional<std::int64_t> more_blocks = std::nullopt;  // predicted, for those that can
  std::int64_t runs = 0;                                   // of all arms, failed ones too
  Nanos elapsed{0};  // from the first run's start to the last one's end
};

/// The same item of the environment, differing between the arms' runs.
struct EnvironmentDifference {
  std::string item;
  std::string base;
  std::string contender;
};

struct Comparison {
  Experiment experiment;  // command, order, seed, version, machine
  Arm base;
  Arm contender;
  std::vector<Row> rows;          // primary rows first within a case, cases in plan order
  std::vector<Row> control_rows;  // base against its A/A' control arm, when the plan had one
  std::int32_t blocks_complete = 0;
  std::int32_t boots = 1;
  std::int32_t runs_failed = 0;     // kept in the store, not in the figures
  std::int32_t runs_disturbed = 0;  // kept in the figures, marked
  std::vector<EnvironmentDifference> environment_differences;
  std::vector<std::string> notes;  // "conditional on one boot", ...
  Ending ending;
};

}  // namespace schedlab::compare
