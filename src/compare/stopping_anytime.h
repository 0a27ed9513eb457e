// Evidence that may be watched after every block: what `--until` decides by.
//
// E(c), the evidence of paired log-ratios against "they lie about c", is the plain mean of two
// e-values (stats/e_values.h): the signs', and the t-mixture's. A mean of e-processes is one, so
// the chance that it ever reaches 1/alpha while c is the truth is at most alpha (Ville 1939); it
// gives away a factor of 2 at most against the better of the two.
//
//   signs      exact here whatever the noise: a block's order is tossed by a fair coin, and with
//              equal arms the other toss would have turned the block's log-ratio round
//   t-mixture  exact for normal values; sees an effect sooner. It counts for 2^(n-1) at most, n the
//              number of signs: the chance of n equal signs, which is all that n blocks can show
//              against symmetry. Two tight modes of the difference would fool it otherwise.
//
// The anytime interval holds the c that E does not reject, from the lowest to the highest.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "compare/comparison.h"
#include "stats/interval.h"

namespace schedlab::compare {

/// ln E(centre). 0, no evidence, for no value.
double anytime_log_e(std::span<const double> log_ratios, double centre);

/// Confidence 1 - alpha, at every number of blocks at once; 0 < alpha < 1. None while there are too
/// few values to exclude any centre on either side (below 6 at alpha 0.05), or where mean and signs
/// leave none.
std::optional<stats::Interval> anytime_interval(std::span<const double> log_ratios, double alpha);

/// p-values that stay valid however often they are looked at.
struct AnytimeEvidence {
  double p_change = 1;  // min(1, 1/E(0)); 1 while mean and signs point different ways
  double p_same = 1;  // 1/(2 E) at the nearer end of (-margin, margin), where the centre is within
};

/// `margin` > 0, in the unit of the log-ratios: ln(1 + delta).
AnytimeEvidence anytime_evidence(std::span<const double> log_ratios, double margin);

/// A row by itself: what the rule says after these blocks.
struct StoppingVerdict {
  Verdict verdict = Verdict::Inconclusive;
  AnytimeEvidence evidence;
  std::optional<Interval> interval95;  // anytime, as ratios
};

/// Of one among `rows` >= 1 primary rows at level alpha:
///   Same          p_same < alpha: the interval of 1 - 2 alpha lies within (1/(1+delta), 1+delta)
///   Better/Worse  otherwise p_change < alpha / rows
/// In a table the rows share alpha by Holm's method, which decides no later (compare/stopping.h).
StoppingVerdict anytime_verdict(std::span<const double> log_ratios,
                                double delta,
                                double alpha,
                                std::size_t rows);

/// Blocks in all, more than there are, at which a verdict falls if mean and spread stay as they
/// are; none when that takes more than stats::kBlocksCap or there is no spread to predict from.
/// `alpha_change`: what the table leaves this row.
std::optional<std::int64_t> anytime_blocks_needed(std::span<const double> log_ratios,
                                                  double margin,
                                                  double alpha_change,
                                                  double alpha);

}  // namespace schedlab::compare
