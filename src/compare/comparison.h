// Comparison: the result of comparing two arms, as plain values. `report` turns it into text;
// nothing here prints. What the figures mean: docs/methodology.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment.h"
#include "core/metric.h"
#include "core/run_record.h"

namespace schedlab::compare {

enum class Verdict { Better, Worse, Same, Inconclusive };

/// How the p-values of a table's rows are adjusted for there being many (decisions.h). Holm's holds
/// whatever the rows have to do with each other and with the moment of stopping.
enum class Correction { BenjaminiHochberg, BenjaminiYekutieli, TwoStage, Holm, None };

/// What counts as one replicate of a row: what was drawn anew each time (replicates.h).
enum class ReplicateUnit { Block, Boot, Build };

struct Interval {
  double low = 0;
  double high = 0;
};

/// How the runs of a row became replicates. Counts are of what the complete blocks hold.
struct Replication {
  ReplicateUnit unit = ReplicateUnit::Block;
  bool paired = true;  // false: arms with boots of their own that cannot be set side by side
  std::size_t base_boots = 0;
  std::size_t contender_boots = 0;
  std::size_t base_builds = 0;
  std::size_t contender_builds = 0;
  /// What all the replicates share, so that its luck is in the effect: "one boot", "one boot of
  /// each arm", "one boot of base"; empty when nothing.
  std::string conditional;
};

/// One look at a row's data. It warns; it drops nothing.
struct Check {
  std::string name;  // "drift", "outliers", ...: stable, for programs
  bool warns = false;
  std::string flag;      // few words for the table; empty unless it warns
  std::string sentence;  // what was looked at and found, with its numbers
  std::vector<std::pair<std::string, double>> figures = {};  // the numbers, for programs
};

/// A percentile of all samples of an arm together, beside the runs' own percentiles.
struct MergedQuantile {
  double q = 0;
  double base = 0;  // in the metric's unit, as are the next three
  double contender = 0;
  double bin_width = 0;             // the coarser of the two arms' steps at the value
  double difference = 0;            // contender - base
  double ratio = 1;                 // oriented: above 1 is better
  Interval interval95;              // BCa: replicates drawn, then runs within them; not paired
  bool resolution_limited = false;  // a step is a larger part of the value than delta
};

/// How to spend further boots, from where the spread comes from (Kalibera and Jones 2013).
struct BootPlan {
  double run_variance = 0;    // T^2 of the logarithms: between runs of a boot, mean of the arms
  double boot_variance = 0;   // between boots; below 0: none that this data can see
  std::int64_t runs_now = 0;  // of each arm in a boot
  std::int64_t runs_per_boot = 0;          // cheapest for the same precision
  std::optional<std::int64_t> more_boots;  // of each arm, with so many runs each, to decide
  double run_seconds = 0;
  double boot_seconds = 0;
  bool boot_cost_assumed = false;  // the records do not tell it
};

/// One arm of one row, over its run values, in the metric's unit.
struct ArmSummary {
  std::vector<double> values;  // finite ones, in order of block and position
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
  ArmSummary contender;  // the new arm
  Replication replication;
  std::vector<double> log_ratios;        // one per paired replicate, oriented so that + is better
  std::vector<double> base_levels;       // unpaired: mean log of each replicate, oriented likewise
  std::vector<double> contender_levels;  // of the new arm
  std::optional<Effect> effect;  // none below two complete blocks or without logarithms: flags say
  Verdict verdict = Verdict::Inconclusive;
  double delta = 0.01;              // margin of "same", as a fraction
  bool real_but_small = false;      // significant, yet certainly within delta
  bool resolution_limited = false;  // one step of the instrument is larger than delta
  bool two_modes = false;           // in an arm at least: no mean describes it, see headline_of
  std::optional<std::int64_t>
      more_blocks;  // for inconclusive: about how many further replicates would decide
  std::optional<BootPlan> boot_plan;     // where boots are the replicates
  std::optional<MergedQuantile> merged;  // of a latency metric whose runs kept their histograms
  std::vector<Check> checks;             // in the order made
  std::vector<std::string>
      flags;  // "two modes: 33.1 k/s (8/10) 2.2 k/s (2/10)", "3 runs disturbed", "drift"
};

/// Of one arm, the fewer of the two when unpaired; 0 when there is none.
[[nodiscard]] std::size_t replicates_of(const Row& row);

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

/// How far the A/A' control moved without a cause.
struct ControlFloor {
  double moved = 0;       // the largest |ratio - 1| of its primary rows
  double bound = 0;       // the largest |ratio - 1| that their 95 % intervals reach
  std::string case_name;  // of the row that moved most
  std::string metric;
};

struct Comparison {
  Experiment experiment;  // command, order, seed, version, machine
  Arm base;
  Arm contender;
  std::vector<Row> rows;          // primary rows first within a case, cases in plan order
  std::vector<Row> control_rows;  // base against its A/A' control arm, when the plan had one
  std::optional<ControlFloor> control_floor;
  Correction correction = Correction::BenjaminiHochberg;
  double alpha = 0.05;
  std::string conditional;  // of every row, as Replication has it; empty when rows differ or none
  std::int32_t blocks_complete = 0;
  std::int32_t boots = 1;
  std::int32_t runs_failed = 0;     // kept in the store, not in the figures
  std::int32_t runs_disturbed = 0;  // kept in the figures, marked
  std::vector<EnvironmentDifference> environment_differences;
  std::vector<std::string> notes;  // "conditional on one boot", ...
  Ending ending;
};

}  // namespace schedlab::compare
