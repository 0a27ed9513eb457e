// Checks of a row's values in the order they were made: drift, who goes first, the first block, and
// neighbours that resemble each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compare/checks.h"
#include "compare/phrases.h"
#include "stats/autocorrelation.h"
#include "stats/distributions.h"
#include "stats/order_effects.h"
#include "stats/student_t.h"
#include "stats/summary.h"
#include "stats/trend.h"

namespace schedlab::compare {

namespace {

// Mean of the last third less that of the first.
double rise(std::span<const double> levels) {
  const std::size_t third = std::max<std::size_t>(1, levels.size() / 3);
  return stats::mean(levels.last(third)) - stats::mean(levels.first(third));
}

// A drift over `levels`, logarithms; `what` drifts and the flag says so as `flag`.
void check_drift(Row& row,
                 std::string_view name,
                 std::span<const double> levels,
                 std::string_view what,
                 std::string_view flag) {
  constexpr std::size_t kFewest = 4;
  if (levels.size() < kFewest) return;
  const stats::Trend trend = stats::mann_kendall(levels);
  const double change = std::expm1(rise(levels));
  Check check;
  check.name = name;
  check.warns = trend.p_two_sided < kAlarmLevel;
  check.sentence =
      fmt::format("{}: {} from the first to the last third (Mann-Kendall tau {:+.2f}, {})",
                  what,
                  signed_percent(change),
                  trend.tau,
                  p_text(trend.p_two_sided));
  if (check.warns) {
    check.flag = fmt::format("{}{} from the first to the last third (p {:.2g})",
                             flag,
                             signed_percent(change),
                             trend.p_two_sided);
  }
  check.figures = {{"change", change}, {"tau", trend.tau}, {"p", trend.p_two_sided}};
  add_check(row, std::move(check));
}

std::vector<double> middle_of(const MetricBlocks& data) {
  std::vector<double> levels;
  levels.reserve(data.blocks.size());
  for (std::size_t i = 0; i < data.blocks.size(); ++i)
    levels.push_back((data.base_logs[i] + data.contender_logs[i]) / 2);
  return levels;
}

// Whether the base went first in each block; empty when a block does not say.
std::vector<std::uint8_t> base_first(const std::vector<const PairedBlock*>& blocks) {
  std::vector<std::uint8_t> flags;
  flags.reserve(blocks.size());
  for (const PairedBlock* block : blocks) {
    const std::int32_t base = block->base.front()->position;
    const std::int32_t contender = block->contender.front()->position;
    if (base == contender) return {};
    flags.push_back(base < contender ? 1 : 0);
  }
  return flags;
}

struct Difference {
  double effect = 0;
  double p = 1;
  std::string_view by;
};

// By exact permutation while that is cheap, else by Welch's t: a table has hundreds of rows.
std::optional<Difference> order_difference(std::span<const double> ratios,
                                           std::span<const std::uint8_t> first) {
  constexpr std::size_t kPermuted = 16;
  if (ratios.size() <= kPermuted) {
    const auto found = stats::order_effect(ratios, first, 1);
    if (!found) return std::nullopt;
    return Difference{found->effect, found->p, "permutation"};
  }
  std::vector<double> with_base;
  std::vector<double> with_new;
  for (std::size_t i = 0; i < ratios.size(); ++i)
    (first[i] != 0 ? with_base : with_new).push_back(ratios[i]);
  const auto t = stats::welch_t(with_base, with_new);
  if (!t) return std::nullopt;
  return Difference{t->estimate, t->p_two_sided(), "Welch's t"};
}

// Blocks are the replicates, so that row.log_ratios has one per block.
void check_who_goes_first(Row& row, const MetricBlocks& data) {
  const std::vector<std::uint8_t> first = base_first(data.blocks);
  if (first.size() != row.log_ratios.size() || first.empty()) return;
  const auto found = order_difference(row.log_ratios, first);
  if (!found) return;
  const auto count = std::count(first.begin(), first.end(), 1);
  Check check;
  check.name = "order";
  check.warns = found->p < kCheckLevel;
  check.sentence = fmt::format(
      "base went first in {} of {} blocks; the effect is {} there against the others ({} by "
      "{})",
      count,
      first.size(),
      signed_percent(std::expm1(found->effect)),
      p_text(found->p),
      found->by);
  if (check.warns) {
    check.flag = fmt::format("order matters: effect {} where base goes first (p {:.2g})",
                             signed_percent(std::expm1(found->effect)),
                             found->p);
  }
  check.figures = {
      {"effect", found->effect}, {"p", found->p}, {"base_first", static_cast<double>(count)}};
  add_check(row, std::move(check));
}

// The last visit's logarithm less the first's, per block; empty unless every block has two visits.
std::vector<double> visit_contrasts(const std::vector<std::vector<double>>& blocks) {
  std::vector<double> contrasts;
  contrasts.reserve(blocks.size());
  for (const std::vector<double>& values : blocks) {
    if (values.size() < 2) return {};
    contrasts.push_back(std::log(values.back()) - std::log(values.front()));
  }
  return contrasts;
}

// What both arms gain on their second visit cancels in the effect; what one gains more does not.
void check_visits(Row& row, const MetricBlocks& data) {
  const std::vector<double> of_base = visit_contrasts(data.base);
  const std::vector<double> of_new = visit_contrasts(data.contender);
  constexpr std::size_t kFewest = 3;
  if (of_base.size() < kFewest || of_new.size() != of_base.size()) return;
  const double turn = turn_of(row.metric.direction);
  std::vector<double> apart;
  for (std::size_t i = 0; i < of_base.size(); ++i)
    apart.push_back(turn * (of_new[i] - of_base[i]));
  const auto t = stats::one_sample_t(apart);
  const double p = t ? t->p_two_sided() : 1;
  const double difference = std::expm1(stats::mean(apart));
  const double base_change = std::expm1(turn * stats::mean(of_base));
  const double new_change = std::expm1(turn * stats::mean(of_new));
  const std::string& base_name = data.blocks.front()->base.front()->arm;
  const std::string& new_name = data.blocks.front()->contender.front()->arm;
  Check check;
  check.name = "visits";
  check.warns = p < kCheckLevel;
  check.sentence = fmt::format(
      "the last visit of a block against its first is {} in {} and {} in {}; the arms differ in "
      "that by {} ({})",
      signed_percent(base_change),
      base_name,
      signed_percent(new_change),
      new_name,
      signed_percent(difference),
      p_text(p));
  if (check.warns) {
    check.flag = fmt::format("second visits differ: {}'s gain {} over {}'s (p {:.2g})",
                             new_name,
                             signed_percent(difference),
                             base_name,
                             p);
  }
  check.figures = {{"base", base_change}, {"new", new_change}, {"p", p}};
  add_check(row, std::move(check));
}

struct BetweenBoots {
  std::size_t boots = 0;
  double f = 0;
  double p = 1;
};

// One-way analysis of variance of the blocks' effects over the boots they ran in (Fisher 1925).
// None without two boots and some boot with two blocks, or when blocks of a boot do not vary.
std::optional<BetweenBoots> between_boots(const Row& row, const MetricBlocks& data) {
  std::map<std::size_t, std::vector<double>> by_boot;
  for (std::size_t i = 0; i < data.blocks.size(); ++i)
    by_boot[data.blocks[i]->base_boot].push_back(row.log_ratios[i]);
  const double centre = stats::mean(row.log_ratios);
  double between = 0;
  double within = 0;
  for (const auto& [boot, ratios] : by_boot) {
    const double mean = stats::mean(ratios);
    between += static_cast<double>(ratios.size()) * (mean - centre) * (mean - centre);
    for (const double ratio : ratios)
      within += (ratio - mean) * (ratio - mean);
  }
  const auto of_boots = static_cast<double>(by_boot.size()) - 1;
  const auto of_blocks = static_cast<double>(data.blocks.size() - by_boot.size());
  if (of_boots < 1 || of_blocks < 1 || !(within > 0)) return std::nullopt;
  const double f = (between / of_boots) / (within / of_blocks);
  // P(F > f) by way of the beta distribution.
  const double p =
      stats::beta_cdf(of_blocks / (of_blocks + of_boots * f), of_blocks / 2, of_boots / 2);
  return BetweenBoots{by_boot.size(), f, p};
}

// Blocks are the replicates although the arms ran in several boots: is the effect the same in all?
void check_boots(Row& row, const MetricBlocks& data) {
  const auto found = between_boots(row, data);
  if (!found) return;
  Check check;
  check.name = "between_boots";
  check.warns = found->p < kCheckLevel;
  check.sentence = fmt::format(
      "the effect over the {} boots that both arms ran in: F {:.2f} between boots against within "
      "({})",
      found->boots,
      found->f,
      p_text(found->p));
  if (check.warns) {
    check.flag = fmt::format(
        "the effect differs between boots (p {:.2g}): blocks of one boot are "
        "alike, so the interval is too short",
        found->p);
  }
  check.figures = {{"boots", static_cast<double>(found->boots)}, {"f", found->f}, {"p", found->p}};
  add_check(row, std::move(check));
}

std::string_view noun_of(ReplicateUnit unit) {
  switch (unit) {
    case ReplicateUnit::Block:
      return "block";
    case ReplicateUnit::Boot:
      return "boot";
    case ReplicateUnit::Build:
      return "build";
  }
  return {};
}

void check_first(Row& row) {
  constexpr std::size_t kFewest = 4;
  if (row.log_ratios.size() < kFewest) return;
  const auto found = stats::first_boot_effect(row.log_ratios);
  if (!found || !*found) return;
  const stats::OrderEffect& first = **found;
  const std::string_view noun = noun_of(row.replication.unit);
  Check check;
  check.name = "first";
  check.warns = first.p < kCheckLevel;
  check.sentence = fmt::format("the first {}'s effect is {} against the others' ({})",
                               noun,
                               signed_percent(std::expm1(first.effect)),
                               p_text(first.p));
  if (check.warns) {
    check.flag = fmt::format("the first {} is off by {} (p {:.2g})",
                             noun,
                             signed_percent(std::expm1(first.effect)),
                             first.p);
  }
  check.figures = {{"effect", first.effect}, {"p", first.p}};
  add_check(row, std::move(check));
}

// Replicates that follow each other are taken for independent; here is whether they are.
void check_neighbours(Row& row) {
  constexpr std::size_t kFewest = 8;
  constexpr std::size_t kMostLags = 10;
  const std::span<const double> ratios(row.log_ratios);
  if (ratios.size() < kFewest) return;
  const std::size_t lags = std::min(kMostLags, ratios.size() / 4);
  const auto r = stats::autocorrelations(ratios, 1);
  const auto box = stats::ljung_box(ratios, lags);
  const auto size = stats::effective_size(ratios);
  if (!r || !box || !size) return;
  const double r1 = r->front();
  const std::string_view noun = noun_of(row.replication.unit);
  Check check;
  check.name = "neighbours";
  check.warns = box->p < kCheckLevel && r1 > 0;
  check.sentence = fmt::format(
      "neighbouring {}s: lag-1 correlation {:+.2f}, Ljung-Box over {} Q {:.1f} ({}); {} count as "
      "about {:.0f}",
      noun,
      r1,
      plural(lags, "lag"),
      box->q,
      p_text(box->p),
      plural(ratios.size(), noun),
      size->n);
  if (check.warns) {
    check.flag = fmt::format("neighbouring {}s alike: r1 {:+.2f} (p {:.2g}), {} count as ~{:.0f}",
                             noun,
                             r1,
                             box->p,
                             ratios.size(),
                             size->n);
  }
  check.figures = {{"r1", r1}, {"q", box->q}, {"p", box->p}, {"effective", size->n}};
  add_check(row, std::move(check));
}

}  // namespace

void check_order(Row& row, const MetricBlocks& data) {
  check_drift(row, "drift", middle_of(data), "both arms together", "drift: both arms ");
  check_drift(row, "effect_drift", row.log_ratios, "the effect", "effect drifts: ");
  if (row.replication.unit == ReplicateUnit::Block) {
    check_who_goes_first(row, data);
    check_visits(row, data);
    check_boots(row, data);
  }
  check_first(row);
  check_neighbours(row);
}

}  // namespace schedlab::compare
