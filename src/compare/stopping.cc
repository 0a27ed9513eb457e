#include "compare/stopping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "compare/stopping_anytime.h"
#include "stats/distributions.h"
#include "stats/e_values.h"
#include "stats/median_interval.h"
#include "stats/signed_rank.h"
#include "stats/student_t.h"
#include "stats/summary.h"

namespace schedlab::compare {

namespace {

/// Below it a spread is too roughly known to give a row up.
constexpr std::size_t kFewestBlocksToGiveUp = 10;

bool is_anytime(const StoppingRule& rule) {
  return rule.when == StopWhen::Precision || rule.when == StopWhen::Clear;
}

Interval ratios_or_every(const std::optional<stats::Interval>& logs) {
  return logs ? ratios_of(*logs) : every_ratio();
}

// With long tails on one side the signs may rule the mean out, and no estimate may stand outside of
// its interval.
void keep_estimate_within(Row& row) {
  Effect& effect = *row.effect;
  const Interval& interval = effect.interval95;
  if (effect.ratio >= interval.low && effect.ratio <= interval.high) return;
  row.flags.push_back(
      fmt::format("long tails: the signs rule out the mean, {:+.1f} %; the change is that of the "
                  "ranks",
                  100 * (effect.ratio - 1)));
  effect.ratio = std::clamp(effect.hodges_lehmann, interval.low, interval.high);
}

void rest_on_anytime(Row& row, double alpha) {
  Effect& effect = *row.effect;
  const AnytimeEvidence evidence = anytime_evidence(row.log_ratios, std::log1p(row.delta));
  effect.interval95 = ratios_or_every(anytime_interval(row.log_ratios, alpha));
  effect.interval90 = ratios_or_every(anytime_interval(row.log_ratios, 2 * alpha));
  // Of two modes no mean speaks, and so no t-mixture: the signs must confirm what is found.
  effect.hl_interval95.reset();
  const auto signs = stats::anytime_median_interval(row.log_ratios, 1 - alpha);
  if (row.two_modes && signs) effect.hl_interval95 = ratios_of(*signs);
  effect.p_value = effect.p_adjusted = evidence.p_change;
  effect.p_tost = evidence.p_same;
  keep_estimate_within(row);
}

Interval repeated_interval(const Row& row, double nominal_alpha) {
  const auto t = stats::one_sample_t(row.log_ratios);
  if (without_spread(row.log_ratios) || !t) return {row.effect->ratio, row.effect->ratio};
  if (!(nominal_alpha > 0)) return every_ratio();
  const stats::Interval logs = t->interval(1 - nominal_alpha);
  return std::isfinite(logs.low) ? ratios_of(logs) : every_ratio();
}

void rest_on_looks(Row& row, const LookTable& looks) {
  Effect& effect = *row.effect;
  effect.interval95 = repeated_interval(row, looks.nominal_alpha());
  effect.interval90 = repeated_interval(row, looks.nominal_twice_alpha());
  effect.hl_interval95.reset();
  if (looks.nominal_alpha() > 0) {
    if (const auto ranks =
            stats::hodges_lehmann_interval(row.log_ratios, 1 - looks.nominal_alpha())) {
      effect.hl_interval95 = ratios_of(*ranks);
    }
  }
  effect.p_value = effect.p_adjusted = looks.repeated_p(effect.p_value);
  // One-sided at alpha is one side of the boundaries of 2 alpha.
  effect.p_tost = effect.p_tost < 0.5 ? looks.repeated_p(2 * effect.p_tost) / 2 : 1;
}

/// Log-ratios of a row as they may turn out at best.
struct Outlook {
  double largest_effect = 0;   // in size
  double smallest_effect = 0;  // in size
  double sd = 0;
};

// What is still within the 95 % interval of mean and spread now. The spread's is the large-sample
// one, sd (1 - 1.96 / sqrt(2 (n-1))), which gives up later than the exact one would.
std::optional<Outlook> best_outlook(const std::vector<double>& log_ratios, double alpha) {
  const auto t = stats::one_sample_t(log_ratios);
  if (!t || without_spread(log_ratios)) return std::nullopt;
  const stats::Interval likely = t->interval(1 - alpha);
  const double z = stats::normal_quantile(1 - alpha / 2);
  Outlook outlook;
  outlook.largest_effect = std::max(std::abs(likely.low), std::abs(likely.high));
  outlook.smallest_effect =
      likely.contains(0) ? 0 : std::min(std::abs(likely.low), std::abs(likely.high));
  outlook.sd = stats::standard_deviation(log_ratios) * (1 - z / std::sqrt(2 * t->df));
  return outlook;
}

// Half-width of an interval at the end of the plan in units of sd, at best.
double half_width_at_end(const Moment& moment, double alpha) {
  const auto n = static_cast<double>(moment.blocks_planned);
  const double critical = is_anytime(moment.rule)
                              ? stats::t_mixture_critical(moment.blocks_planned, alpha)
                                    .value_or(std::numeric_limits<double>::infinity())
                              // No boundary of a last look is below the plain test's.
                              : stats::normal_quantile(1 - alpha / 2);
  return critical / std::sqrt(n);
}

std::optional<double> log_half_width(const Row& row) {
  const auto headline = headline_of(row);
  if (!headline || !headline->interval95) return std::nullopt;
  return (std::log(headline->interval95->high) - std::log(headline->interval95->low)) / 2;
}

bool is_settled(const Row& row, const StoppingRule& rule) {
  if (rule.when != StopWhen::Precision) return row.verdict != Verdict::Inconclusive;
  const auto half_width = log_half_width(row);
  return half_width && *half_width <= std::log1p(rule.half_width);
}

// A row that gave runs but no ratio: zeros or negatives, which further blocks do not mend.
bool has_no_ratio(const Row& row) {
  return row.log_ratios.empty() && !row.base.values.empty();
}

bool is_hopeless(const Row& row, const Moment& moment) {
  if (has_no_ratio(row)) return true;
  if (row.log_ratios.size() < kFewestBlocksToGiveUp) return false;
  const auto outlook = best_outlook(row.log_ratios, moment.alpha);
  if (!outlook) return false;
  const double half = half_width_at_end(moment, moment.alpha) * outlook->sd;
  if (moment.rule.when == StopWhen::Precision) return half > std::log1p(moment.rule.half_width);
  const double half90 = half_width_at_end(moment, 2 * moment.alpha) * outlook->sd;
  return outlook->largest_effect <= half &&
         outlook->smallest_effect + half90 >= std::log1p(row.delta);
}

// Further blocks until the interval is narrow enough, if the spread stays as it is.
std::optional<std::int64_t> blocks_to_precision(const Row& row, const Moment& moment) {
  const auto now = static_cast<std::int64_t>(row.log_ratios.size());
  const double sd = stats::standard_deviation(row.log_ratios);
  if (!(sd > 0)) return std::nullopt;
  // Where the t-mixture alone makes the mean of the two e-values 1/alpha.
  for (std::int64_t n = now + 1; n <= moment.blocks_planned; ++n) {
    const auto critical = stats::t_mixture_critical(n, moment.alpha / 2);
    if (critical &&
        *critical * sd / std::sqrt(static_cast<double>(n)) <= std::log1p(moment.rule.half_width)) {
      return n - now;
    }
  }
  return std::nullopt;
}

struct Count {
  std::int64_t rows = 0;
  std::int64_t settled = 0;
  std::int64_t hopeless = 0;
  std::optional<std::int64_t> more_blocks;
};

Count count_rows(std::span<const Row> rows, const Moment& moment) {
  Count count;
  for (const Row& row : rows) {
    if (!row.metric.primary) continue;
    ++count.rows;
    if (is_settled(row, moment.rule)) {
      ++count.settled;
    } else if (is_hopeless(row, moment)) {
      ++count.hopeless;
    } else {
      const auto more = moment.rule.when == StopWhen::Precision ? blocks_to_precision(row, moment)
                                                                : row.more_blocks;
      if (more) count.more_blocks = std::max(count.more_blocks.value_or(0), *more);
    }
  }
  return count;
}

StopReason reason_of(const Count& count, const Moment& moment, Nanos elapsed) {
  const StoppingRule& rule = moment.rule;
  const bool watched = rule.when != StopWhen::Blocks;
  if (watched && count.rows > 0 && count.settled == count.rows) {
    return rule.when == StopWhen::Precision ? StopReason::Precise : StopReason::Clear;
  }
  if (moment.blocks_done >= moment.blocks_planned) return StopReason::Blocks;
  if (watched && rule.futility && moment.blocks_done >= std::int32_t{kFewestBlocks} &&
      count.settled + count.hopeless == count.rows) {
    return StopReason::Futile;
  }
  if (rule.max_time.count() > 0 && elapsed >= rule.max_time) return StopReason::OutOfTime;
  return StopReason::NotEnded;
}

std::int32_t looks_reached(const Moment& moment) {
  if (moment.rule.when != StopWhen::Looks) return 0;
  const auto at = look_blocks(moment.rule.looks, moment.blocks_planned);
  if (!at) return 0;
  return static_cast<std::int32_t>(std::count_if(
      at->begin(), at->end(), [&](std::int32_t blocks) { return blocks <= moment.blocks_done; }));
}

}  // namespace

Correction correction_of(const StoppingRule& rule) {
  return rule.when == StopWhen::Blocks ? Correction::BenjaminiHochberg : Correction::Holm;
}

Status rest_on_rule(std::span<Row* const> rows, const Moment& moment) {
  if (moment.rule.when == StopWhen::Blocks) return {};
  std::optional<LookTable> looks;
  if (moment.rule.when == StopWhen::Looks) {
    SCHEDLAB_ASSIGN_OR_RETURN(looks,
                              LookTable::make(moment.rule,
                                              moment.blocks_planned,
                                              moment.blocks_done,
                                              moment.alpha,
                                              std::max<std::size_t>(rows.size(), 1)));
  }
  for (Row* row : rows) {
    if (!row->effect) continue;
    if (looks) {
      rest_on_looks(*row, *looks);
    } else {
      rest_on_anytime(*row, moment.alpha);
    }
  }
  return {};
}

void predict_blocks(std::span<Row* const> rows, const Moment& moment) {
  if (!is_anytime(moment.rule)) return;
  for (Row* row : rows) {
    if (!row->effect || row->verdict != Verdict::Inconclusive) continue;
    const double share =
        row->effect->p_adjusted > 0 ? row->effect->p_value / row->effect->p_adjusted : 1;
    const auto needed = anytime_blocks_needed(
        row->log_ratios, std::log1p(row->delta), moment.alpha * share, moment.alpha);
    row->more_blocks.reset();
    if (needed) row->more_blocks = *needed - static_cast<std::int64_t>(row->log_ratios.size());
  }
}

Ending ending_of(std::span<const Row> rows, const Moment& moment, Nanos elapsed) {
  const Count count = count_rows(rows, moment);
  Ending ending;
  ending.blocks_done = moment.blocks_done;
  ending.rows = count.rows;
  ending.rows_settled = count.settled;
  ending.rows_hopeless = count.hopeless;
  ending.more_blocks = count.more_blocks;
  ending.looks_reached = looks_reached(moment);
  ending.elapsed = elapsed;
  ending.reason = reason_of(count, moment, elapsed);
  return ending;
}

bool is_time_to_look(const StoppingRule& rule,
                     std::int32_t blocks_planned,
                     std::int32_t blocks_done,
                     std::int32_t last_look) {
  constexpr std::int32_t kParts = 64;
  if (rule.when == StopWhen::Blocks) return false;
  if (rule.when == StopWhen::Looks) {
    const auto at = look_blocks(rule.looks, blocks_planned);
    return at && std::binary_search(at->begin(), at->end(), blocks_done);
  }
  return blocks_done - last_look >= std::max(1, last_look / kParts);
}

}  // namespace schedlab::compare
