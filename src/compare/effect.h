// From paired log-ratios to an effect, and from the effect to a verdict. The rule and its reasons:
// docs/methodology.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compare/comparison.h"
#include "stats/interval.h"
#include "stats/student_t.h"

namespace schedlab::compare {

/// From log-ratios to ratios, kept finite however wild the blocks.
double ratio_of(double log_ratio);
Interval ratios_of(const stats::Interval& logs);

/// Every ratio: what is known while there are too few blocks for an interval.
[[nodiscard]] Interval every_ratio();
[[nodiscard]] bool is_every_ratio(const Interval& interval);

/// Replicates below which every verdict is Inconclusive.
inline constexpr std::size_t kFewestBlocks = 3;

/// Whether the log-ratios are all the same but for rounding: Student's t is then undefined, and the
/// exact sign test takes its place (p = 2^(1-n), or 1 when the ratio is 1; TOST p = 2^-n).
bool without_spread(std::span<const double> log_ratios);

/// Sets intervals and p-values from Student's t; `margin` is that of "same", a logarithm.
void set_by_t(Effect& effect, const stats::TEstimate& t, double margin, double alpha);

/// `log_ratios` oriented so that + is better. None below two. p_adjusted is left equal to p_value.
std::optional<Effect> estimate_effect(std::span<const double> log_ratios,
                                      double delta,
                                      double alpha);

/// Sets p_adjusted of the rows that have an effect, as one family (Benjamini-Hochberg).
void adjust_p_values(std::span<Row* const> family);

/// Whether Hodges-Lehmann's figures say what `verdict` says: an interval on the same side of 1 for
/// Better and Worse, an estimate within delta for Same. False where there is no interval.
bool ranks_confirm(const Row& row, Verdict verdict);

/// How many more replicates would decide an inconclusive row, at level alpha.
using FurtherReplicates = std::optional<std::int64_t> (*)(const Row& row, double alpha);

/// Sets verdict, real_but_small and more_blocks from the row's effect.
///   Same          p_tost < alpha: the 90 % interval lies within (1/(1+delta), 1+delta); when it
///                 also differs from 1, real_but_small
///   Better/Worse  p_adjusted < alpha, hence the 95 % interval excludes 1
///   Inconclusive  otherwise, and always without `enough` replicates; and with two modes where the
///                 ranks do not confirm what t says, see ranks_confirm
void settle(Row& row, double alpha, bool enough, FurtherReplicates further);

/// settle() of a row of pairs, which needs kFewestBlocks of them.
void decide(Row& row, double alpha);

}  // namespace schedlab::compare
