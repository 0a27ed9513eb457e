#include "compare/history_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "compare/history.h"
#include "stats/change_points.h"
#include "stats/rank_sum.h"
#include "stats/signed_rank.h"
#include "stats/student_t.h"
#include "stats/summary.h"

namespace schedlab::compare {

namespace {

using BootsOfArm = std::set<std::string_view>;

// Runs that know no boot are taken for those of one.
BootsOfArm boots_of(const std::vector<HistoryValue>& arm) {
  BootsOfArm boots;
  for (const HistoryValue& item : arm)
    boots.insert(item.run->boot_id);
  return boots;
}

HistoryUnit unit_of(const ArmValues& arms, bool one_experiment) {
  const BootsOfArm first = boots_of(arms.front());
  bool all_alike = !first.contains("");
  bool several = false;
  for (const auto& arm : arms) {
    const BootsOfArm boots = boots_of(arm);
    all_alike = all_alike && boots == first;
    several = several || boots.size() > 1;
  }
  if (one_experiment && all_alike) return HistoryUnit::Block;
  return several ? HistoryUnit::Boot : HistoryUnit::Arm;
}

double level_of(double value, bool logarithms) {
  return logarithms ? std::log(value) : value;
}

// One value per boot, in order of their first runs.
std::vector<double> boot_medians(const std::vector<HistoryValue>& arm, bool logarithms) {
  std::vector<std::string_view> order;
  std::map<std::string_view, std::vector<double>> boots;
  for (const HistoryValue& item : arm) {
    auto& values = boots[item.run->boot_id];
    if (values.empty()) order.push_back(item.run->boot_id);
    values.push_back(level_of(item.value, logarithms));
  }
  std::vector<double> medians;
  for (const std::string_view boot : order)
    medians.push_back(stats::median(boots[boot]));
  return medians;
}

std::vector<double> arm_median(const std::vector<HistoryValue>& arm, bool logarithms) {
  std::vector<double> values;
  for (const HistoryValue& item : arm)
    values.push_back(level_of(item.value, logarithms));
  return {stats::median(values)};
}

// A block's number means one block within one boot.
using BlockKey = std::pair<std::string_view, std::int32_t>;

std::map<BlockKey, double> block_means(const std::vector<HistoryValue>& arm, bool logarithms) {
  std::map<BlockKey, std::vector<double>> blocks;
  for (const HistoryValue& item : arm) {
    blocks[{item.run->boot_id, item.run->block}].push_back(level_of(item.value, logarithms));
  }
  std::map<BlockKey, double> means;
  for (const auto& [key, values] : blocks)
    means[key] = stats::mean(values);
  return means;
}

// The blocks that every arm has, each less its own mean over the arms, with the mean of all added
// again. None when there is no such block.
std::vector<std::vector<double>> centred_blocks(const ArmValues& arms, bool logarithms) {
  std::vector<std::map<BlockKey, double>> means;
  for (const auto& arm : arms)
    means.push_back(block_means(arm, logarithms));
  std::vector<std::vector<double>> groups(arms.size());
  std::vector<double> centres;
  for (const auto& [key, unused] : means.front()) {
    const bool everywhere =
        std::all_of(means.begin(), means.end(), [&](const auto& arm) { return arm.contains(key); });
    if (!everywhere) continue;
    std::vector<double> levels;
    for (const auto& arm : means)
      levels.push_back(arm.at(key));
    const double centre = stats::mean(levels);
    for (std::size_t i = 0; i < levels.size(); ++i)
      groups[i].push_back(levels[i] - centre);
    centres.push_back(centre);
  }
  if (centres.empty()) return {};
  const double overall = stats::mean(centres);
  for (auto& group : groups) {
    for (double& value : group)
      value += overall;
  }
  return groups;
}

// What stands before and after a change.
struct Sides {
  std::vector<double> before;
  std::vector<double> after;
};

Sides flat_sides(const HistorySeries& series, std::size_t first, std::size_t at, std::size_t last) {
  Sides sides;
  for (std::size_t arm = first; arm < last; ++arm) {
    auto& side = arm < at ? sides.before : sides.after;
    side.insert(side.end(), series.groups[arm].begin(), series.groups[arm].end());
  }
  return sides;
}

// Per block: the mean of the arms after less that of the arms before.
std::vector<double> block_shifts(const HistorySeries& series,
                                 std::size_t first,
                                 std::size_t at,
                                 std::size_t last) {
  std::vector<double> shifts;
  for (std::size_t block = 0; block < series.groups[first].size(); ++block) {
    const auto mean_of = [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t arm = begin; arm < end; ++arm)
        sum += series.groups[arm][block];
      return sum / static_cast<double>(end - begin);
    };
    shifts.push_back(mean_of(at, last) - mean_of(first, at));
  }
  return shifts;
}

struct Shift {
  double estimate = 0;
  std::optional<stats::Interval> interval;
  bool by_ranks = false;
};

Shift shift_of(std::optional<stats::Interval> ranks,
               double estimate,
               const std::optional<stats::TEstimate>& t,
               double confidence) {
  if (ranks) return {estimate, ranks, true};
  if (t) return {t->estimate, t->interval(confidence), false};
  return {estimate, std::nullopt, false};
}

Shift paired_shift(const std::vector<double>& shifts, double confidence) {
  return shift_of(stats::hodges_lehmann_interval(shifts, confidence),
                  stats::hodges_lehmann(shifts),
                  stats::one_sample_t(shifts),
                  confidence);
}

Shift unpaired_shift(const Sides& sides, double confidence) {
  return shift_of(stats::hodges_lehmann_shift_interval(sides.after, sides.before, confidence),
                  stats::hodges_lehmann_shift(sides.after, sides.before),
                  stats::welch_t(sides.after, sides.before),
                  confidence);
}

// Turned so that above 1 is better.
void set_ratio(LevelChange& change, const Shift& shift, Direction direction) {
  const double turn = direction == Direction::LowerIsBetter ? -1 : 1;
  change.ratio = std::exp(turn * shift.estimate);
  change.by_ranks = shift.by_ranks;
  if (!shift.interval) return;
  const double one = std::exp(turn * shift.interval->low);
  const double other = std::exp(turn * shift.interval->high);
  change.ratio_interval = Interval{std::min(one, other), std::max(one, other)};
}

// Changes as arms, from a method's points as indices of the flat series.
class Describer {
 public:
  Describer(const HistorySeries& series, const HistoryOptions& options, Direction direction)
      : series_(series), options_(options), direction_(direction), ends_(series.ends()) {}

  // `i`-th of `points`, all by one method.
  [[nodiscard]] LevelChange describe(const std::vector<stats::ChangePoint>& points,
                                     std::size_t i) const {
    const stats::ChangePoint& point = points[i];
    const std::size_t first = i == 0 ? 0 : arm_at(points[i - 1].index);
    const std::size_t last =
        i + 1 == points.size() ? series_.groups.size() : arm_at(points[i + 1].index);
    LevelChange change;
    change.index = arm_at(point.index);
    change.low = arm_at(point.low);
    change.high = arm_at(point.high);
    change.before = series_.logarithms ? std::exp(point.mean_before) : point.mean_before;
    change.after = series_.logarithms ? std::exp(point.mean_after) : point.mean_after;
    const Sides sides = flat_sides(series_, first, change.index, last);
    change.values_before = sides.before.size();
    change.values_after = sides.after.size();
    if (!series_.logarithms) return change;
    const Shift shift =
        series_.unit == HistoryUnit::Block
            ? paired_shift(block_shifts(series_, first, change.index, last), options_.confidence)
            : unpaired_shift(sides, options_.confidence);
    set_ratio(change, shift, direction_);
    return change;
  }

 private:
  // The arm whose values begin at `index`.
  [[nodiscard]] std::size_t arm_at(std::size_t index) const {
    const auto end = std::lower_bound(ends_.begin(), ends_.end(), index);
    return static_cast<std::size_t>(end - ends_.begin()) + 1;
  }

  const HistorySeries& series_;
  const HistoryOptions& options_;
  Direction direction_;
  std::vector<std::size_t> ends_;  // ends_[k] = where arm k + 1 begins
};

// More permutations than a small p needs cost minutes in a long series.
std::size_t permutations_for(std::size_t values) {
  return values <= 500 ? 999 : 199;
}

}  // namespace

std::vector<double> HistorySeries::flat() const {
  std::vector<double> values;
  for (const auto& group : groups)
    values.insert(values.end(), group.begin(), group.end());
  return values;
}

std::vector<std::size_t> HistorySeries::ends() const {
  std::vector<std::size_t> ends;
  std::size_t end = 0;
  for (const auto& group : groups)
    ends.push_back(end += group.size());
  return ends;
}

HistorySeries make_series(const ArmValues& arms, bool one_experiment) {
  HistorySeries series;
  series.logarithms = std::all_of(arms.begin(), arms.end(), [](const auto& arm) {
    return std::all_of(
        arm.begin(), arm.end(), [](const HistoryValue& item) { return item.value > 0; });
  });
  series.unit = unit_of(arms, one_experiment);
  if (series.unit == HistoryUnit::Block) {
    series.groups = centred_blocks(arms, series.logarithms);
    if (!series.groups.empty()) return series;
    series.unit = HistoryUnit::Arm;  // no block has all arms: nothing pairs them
  }
  for (const auto& arm : arms) {
    series.groups.push_back(series.unit == HistoryUnit::Boot ? boot_medians(arm, series.logarithms)
                                                             : arm_median(arm, series.logarithms));
  }
  return series;
}

Status find_changes(const HistorySeries& series,
                    const HistoryOptions& options,
                    CaseHistory& history) {
  const std::vector<double> values = series.flat();
  std::vector<std::size_t> boundaries = series.ends();
  boundaries.pop_back();
  const Describer describer(series, options, history.metric.direction);

  if (values.size() <= stats::kEDivisiveMost) {
    history.permutations = permutations_for(values.size());
    const stats::EDivisiveOptions how = {.alpha = options.alpha,
                                         .permutations = history.permutations,
                                         .seed = options.seed,
                                         .confidence = options.confidence,
                                         .boundaries = boundaries};
    SCHEDLAB_ASSIGN_OR_RETURN(const auto found, stats::e_divisive(values, how));
    for (std::size_t i = 0; i < found.size(); ++i) {
      history.changes.push_back(describer.describe(found, i));
      history.changes.back().p = found[i].p;
    }
  } else {
    history.notes.push_back(fmt::format(
        "{} values, E-divisive takes at most {}: PELT's changes alone, without an error rate",
        values.size(),
        stats::kEDivisiveMost));
  }
  if (values.size() > stats::kPeltMost) {
    history.notes.push_back(fmt::format("PELT takes at most {} values", stats::kPeltMost));
    return {};
  }
  SCHEDLAB_ASSIGN_OR_RETURN(
      const auto found,
      stats::pelt(values, {.confidence = options.confidence, .boundaries = boundaries}));
  for (std::size_t i = 0; i < found.size(); ++i) {
    LevelChange hint = describer.describe(found, i);
    hint.by_pelt = true;
    const auto same = std::find_if(
        history.changes.begin(), history.changes.end(), [&](const LevelChange& change) {
          return change.low <= hint.index && hint.index <= change.high;
        });
    if (same != history.changes.end()) {
      same->by_pelt = true;
    } else {
      history.hints.push_back(std::move(hint));
    }
  }
  return {};
}

}  // namespace schedlab::compare
