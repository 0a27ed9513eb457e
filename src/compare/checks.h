// What makes a row doubtful, looked for in its values, in their order and in the samples of its
// runs. Each look is a Check with its numbers, for --why; one that warns has a short flag as well.
// Nothing is dropped, and but for two modes no verdict changes (effect.h).
//
// Old checks warn at 5 % a row, those that a long table makes many of at 1 %: kCheckLevel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/comparison.h"
#include "compare/metric_blocks.h"
#include "compare/pairing.h"
#include "compare/samples.h"

namespace schedlab::compare {

inline constexpr double kAlarmLevel = 0.05;  // drift, shares of modes
inline constexpr double kCheckLevel = 0.01;  // order, first block, neighbours, dip, outliers

/// Runs of each arm from which Hartigan's dip is looked at.
inline constexpr std::size_t kDipRuns = 20;

/// Runs of each arm from which GESD marks; fewer, and only a modified z beyond kFewRunsMark does.
inline constexpr std::size_t kGesdRuns = 15;
inline constexpr double kFewRunsMark = 7;

/// Keeps the check, and its flag when it warns.
void add_check(Row& row, Check check);

/// Two modes in an arm: the widest gap (>= 8 runs) with places and shares, Fisher's exact test on
/// the shares, and from kDipRuns runs Hartigan's dip with ties spread over the instrument's step.
/// Sets two_modes.
void check_modes(Row& row, const PairedCase& paired);

/// Runs far from the rest of their arm, by GESD and modified z on the logarithms, with what
/// disturbed each. No flag in an arm with two modes, where the smaller mode is not an accident.
void check_outliers(Row& row, const PairedCase& paired, const MetricBlocks& data);

/// Drift over the blocks (Mann-Kendall) of both arms together and of the effect; the effect of who
/// goes first, of a second visit, of the first block; neighbouring blocks that resemble each other;
/// an effect that differs between the boots that both arms ran in. A row with an effect.
void check_order(Row& row, const MetricBlocks& data);

/// The runs' series that belongs to the metric, where they kept one: warm-up (MSER-5), memory
/// (lag 1, Ljung-Box) and how many independent values it holds.
void check_series(Row& row, const PairedCase& paired, const CaseSamples& samples);

/// The canary over the case's runs: arms apart, restless, drifting. The same for all its rows.
std::vector<Check> canary_checks(const PairedCase& paired);

/// Sets `merged` where the metric is a percentile of a histogram that every run kept.
void add_merged_quantile(Row& row,
                         const MetricBlocks& data,
                         const CaseSamples& samples,
                         std::uint64_t seed);

}  // namespace schedlab::compare
