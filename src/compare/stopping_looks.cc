#include "compare/stopping_looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "stats/distributions.h"
#include "stats/group_sequential.h"

namespace schedlab::compare {

namespace {

using Shares = std::vector<double>;

constexpr std::int32_t kBlocksPerLook = 3;

stats::BoundaryShape shape_of(Spending spending) {
  switch (spending) {
    case Spending::LanDeMets:
      return stats::BoundaryShape::LanDeMets;
    case Spending::OBrienFleming:
      return stats::BoundaryShape::OBrienFleming;
    case Spending::Pocock:
      return stats::BoundaryShape::Pocock;
  }
  return stats::BoundaryShape::LanDeMets;
}

double two_sided_tail(double z) {
  return 2 * stats::normal_cdf(-z);
}

struct Schedule {
  stats::BoundaryShape shape = stats::BoundaryShape::LanDeMets;
  Shares planned;
  std::size_t reached = 0;  // planned looks at or before now
  double now = 0;           // share of the plan

  [[nodiscard]] bool at_a_look() const { return reached > 0 && planned[reached - 1] >= now; }
};

// What all looks up to the k-th spend.
double spent_by(std::span<const double> boundaries, const Schedule& schedule, std::size_t looks) {
  if (looks == 0) return 0;
  return stats::crossing_chance(boundaries.first(looks), std::span(schedule.planned).first(looks));
}

// An extra look, between the planned ones: |z| at which the looks up to now have spent `target`.
double boundary_between(std::span<const double> boundaries,
                        const Schedule& schedule,
                        double target) {
  Shares shares(schedule.planned.begin(),
                schedule.planned.begin() + static_cast<std::ptrdiff_t>(schedule.reached));
  shares.push_back(schedule.now);
  std::vector<double> passed(boundaries.begin(),
                             boundaries.begin() + static_cast<std::ptrdiff_t>(schedule.reached));
  passed.push_back(0);
  double low = 0;
  double high = 38;  // nothing a double can tell from never
  for (int round = 0; round < 30; ++round) {
    passed.back() = (low + high) / 2;
    (stats::crossing_chance(passed, shares) > target ? low : high) = passed.back();
  }
  return high;
}

// The boundary of |z| now, at `level` for the whole plan.
Result<double> boundary_now(const Schedule& schedule, double level) {
  if (schedule.shape == stats::BoundaryShape::LanDeMets) {
    Shares shares(schedule.planned.begin(),
                  schedule.planned.begin() + static_cast<std::ptrdiff_t>(schedule.reached));
    if (!schedule.at_a_look()) shares.push_back(schedule.now);
    SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<double> boundaries,
                              stats::group_boundaries_at(schedule.shape, shares, level));
    return boundaries.back();
  }
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<double> boundaries,
                            stats::group_boundaries_at(schedule.shape, schedule.planned, level));
  if (schedule.at_a_look()) return boundaries[schedule.reached - 1];
  const double before = schedule.reached == 0 ? 0 : schedule.planned[schedule.reached - 1];
  const double way = (schedule.now - before) / (schedule.planned[schedule.reached] - before);
  const double already = spent_by(boundaries, schedule, schedule.reached);
  const double by_next = spent_by(boundaries, schedule, schedule.reached + 1);
  return boundary_between(boundaries, schedule, already + way * (by_next - already));
}

// Levels of the whole plan at which the boundary is worked out, rising: halves of alpha until below
// alpha / rows, then 2 alpha and on to the most there is.
std::vector<double> levels_for(double alpha, std::size_t rows) {
  constexpr double kLowest = 1e-6;
  constexpr double kHighest = 0.5;
  std::vector<double> levels;
  double level = alpha;
  while (level / 2 > kLowest && level > alpha / (4 * static_cast<double>(rows)))
    level /= 2;
  while (level < kHighest) {
    levels.push_back(level);
    level *= 2;
  }
  levels.push_back(kHighest);
  return levels;
}

}  // namespace

Result<std::vector<std::int32_t>> look_blocks(std::int32_t looks, std::int32_t blocks) {
  constexpr auto kMost = static_cast<std::int32_t>(stats::kMaxLooks);
  if (looks < 2 || looks > kMost) {
    return usage_error(fmt::format(
        "--looks {} is out of range: 2 to {}; a plan without looks is --blocks N", looks, kMost));
  }
  if (blocks / looks < kBlocksPerLook) {
    return usage_error(fmt::format("--looks {} needs at least {} blocks, {} to a look, not {}",
                                   looks,
                                   kBlocksPerLook * looks,
                                   kBlocksPerLook,
                                   blocks));
  }
  std::vector<std::int32_t> at;
  for (std::int64_t look = 1; look <= looks; ++look)
    at.push_back(static_cast<std::int32_t>((look * blocks + looks - 1) / looks));
  return at;
}

Result<LookTable> LookTable::make(const StoppingRule& rule,
                                  std::int32_t blocks_planned,
                                  std::int32_t blocks_done,
                                  double alpha,
                                  std::size_t rows) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<std::int32_t> at,
                            look_blocks(rule.looks, blocks_planned));
  const auto share_of = [&](std::int32_t blocks) {
    return static_cast<double>(blocks) / static_cast<double>(blocks_planned);
  };
  LookTable table;
  Schedule schedule;
  schedule.shape = shape_of(rule.spending);
  schedule.now = std::min(share_of(blocks_done), 1.0);
  for (const std::int32_t blocks : at) {
    schedule.planned.push_back(share_of(blocks));
    if (blocks <= blocks_done) ++schedule.reached;
  }
  table.reached_ = static_cast<std::int32_t>(schedule.reached);
  // So close behind a look, or the start, that the boundary of its own would be the same.
  constexpr double kSmallestStep = 1e-4;
  const double before = schedule.reached == 0 ? 0 : schedule.planned[schedule.reached - 1];
  if (schedule.now < before + kSmallestStep) schedule.now = before;
  if (blocks_done < kBlocksPerLook || schedule.now == 0) return table;
  for (const double level : levels_for(alpha, rows)) {
    SCHEDLAB_ASSIGN_OR_RETURN(const double boundary, boundary_now(schedule, level));
    table.knots_.push_back({std::log(level), boundary});
    if (level == alpha) table.nominal_alpha_ = two_sided_tail(boundary);
    if (level == 2 * alpha) table.nominal_twice_alpha_ = two_sided_tail(boundary);
  }
  return table;
}

double LookTable::repeated_p(double p_value) const {
  if (knots_.empty() || !(p_value < 1)) return 1;
  const double z =
      p_value > 0 ? -stats::normal_quantile(p_value / 2) : std::numeric_limits<double>::infinity();
  if (z <= knots_.back().boundary) return 1;
  if (z >= knots_.front().boundary) return std::exp(knots_.front().log_level);
  std::size_t upper = 1;
  while (z < knots_[upper].boundary)
    ++upper;
  const Knot& stricter = knots_[upper - 1];
  const Knot& looser = knots_[upper];
  const double way = (z - looser.boundary) / (stricter.boundary - looser.boundary);
  return std::exp(looser.log_level + way * (stricter.log_level - looser.log_level));
}

}  // namespace schedlab::compare
