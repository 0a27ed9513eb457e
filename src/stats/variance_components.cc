#include "stats/variance_components.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "stats/distributions.h"
#include "stats/inputs.h"
#include "stats/summary.h"

namespace schedlab::stats {

namespace {

Status require_nested(const NestedSample& sample) {
  if (sample.repetitions.empty()) return usage_error("variance components need at least one level");
  std::size_t product = 1;
  for (std::size_t level = 0; level < sample.repetitions.size(); ++level) {
    const std::size_t repetitions = sample.repetitions[level];
    if (repetitions < 2) {
      return failed(fmt::format(
          "level {} (innermost is 1) has {} repetition, and its spread needs two; leave the level "
          "out or measure more",
          level + 1,
          repetitions));
    }
    if (product > sample.values.size() / repetitions + 1)
      break;  // would pass the size, or overflow
    product *= repetitions;
  }
  if (product != sample.values.size()) {
    return failed(fmt::format("the levels' repetitions do not multiply to the {} values given",
                              sample.values.size()));
  }
  return require_sample(sample.values, 2, "variance components");
}

// Means of each run of `width` values, and the mean of the variances within them.
struct Collapsed {
  std::vector<double> means;
  double variance = 0;
};

Collapsed collapse(std::span<const double> values, std::size_t width) {
  Collapsed out;
  const std::size_t groups = values.size() / width;
  out.means.reserve(groups);
  for (std::size_t i = 0; i < groups; ++i) {
    const std::span<const double> group = values.subspan(i * width, width);
    const double sd = standard_deviation(group);
    out.means.push_back(mean(group));
    out.variance += sd * sd / static_cast<double>(groups);
  }
  return out;
}

std::optional<std::size_t> next_level_that_varies(const VarianceComponents& components,
                                                  std::size_t above) {
  for (std::size_t i = above + 1; i < components.levels.size(); ++i)
    if (components.levels[i].own_variance > 0) return i;
  return std::nullopt;
}

// Repetitions of `level` inside the next: many where the level varies and costs little. A level
// that does not vary is measured once; one with nothing that varies above it, too: more of the
// outermost level do the same work and show that this is so.
double exact_repetitions(const VarianceComponents& components,
                         std::span<const double> costs,
                         std::size_t level) {
  const double own = components.levels[level].own_variance;
  const auto above = next_level_that_varies(components, level);
  if (!(own > 0) || !above) return 1;
  return std::sqrt(costs[*above] / costs[level] * own / components.levels[*above].own_variance);
}

std::size_t round_up(double repetitions) {
  return static_cast<std::size_t>(
      std::clamp(std::ceil(repetitions), 1.0, static_cast<double>(kRepetitionsCap)));
}

// The variance of one outermost mean under the plan: sum of T_i^2 / (r_1 ... below the top).
double planned_top_variance(const VarianceComponents& components,
                            std::span<const std::size_t> inner) {
  double variance = 0;
  double share = 1;
  for (std::size_t i = components.levels.size(); i-- > 0;) {
    if (i < inner.size()) share *= static_cast<double>(inner[i]);
    variance += std::max(0.0, components.levels[i].own_variance) / share;
  }
  return variance;
}

bool reaches(std::size_t count, double variance, const PlanGoal& goal) {
  const auto n = static_cast<double>(count);
  return t_quantile((1 + goal.confidence) / 2, n - 1) * std::sqrt(variance / n) <= goal.half_width;
}

std::size_t outermost_for(double variance, const PlanGoal& goal) {
  std::size_t too_few = 1;
  std::size_t enough = kRepetitionsCap;
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (reaches(middle, variance, goal) ? enough : too_few) = middle;
  }
  return enough;
}

// One outermost unit costs its own cost plus its parts, each of which does likewise.
double cost_of(std::span<const std::size_t> repetitions, std::span<const double> costs) {
  double one = 0;
  for (std::size_t i = 0; i < costs.size(); ++i)
    one = (one + costs[i]) * static_cast<double>(repetitions[i]);
  return one;
}

}  // namespace

Result<NestedSample> nest(const std::vector<std::vector<std::vector<double>>>& boots) {
  if (boots.empty() || boots.front().empty()) return failed("variance components: no runs given");
  NestedSample sample;
  const std::size_t runs = boots.front().size();
  const std::size_t samples = boots.front().front().size();
  sample.repetitions = {samples, runs, boots.size()};
  for (std::size_t boot = 0; boot < boots.size(); ++boot) {
    if (boots[boot].size() != runs) {
      return failed(
          fmt::format("variance components need boots alike: boot 0 has {} runs, boot {} has {}",
                      runs,
                      boot,
                      boots[boot].size()));
    }
    for (const std::vector<double>& run : boots[boot]) {
      if (run.size() != samples) {
        return failed(fmt::format(
            "variance components need runs alike: one has {} samples, one of boot {} has {}",
            samples,
            boot,
            run.size()));
      }
      sample.values.insert(sample.values.end(), run.begin(), run.end());
    }
  }
  return sample;
}

Result<VarianceComponents> variance_components(const NestedSample& sample) {
  SCHEDLAB_RETURN_IF_ERROR(require_nested(sample));
  VarianceComponents out;
  std::vector<double> means = sample.values;
  for (const std::size_t repetitions : sample.repetitions) {
    Collapsed level = collapse(means, repetitions);
    double own = level.variance;
    if (!out.levels.empty()) {
      const VarianceLevel& below = out.levels.back();
      own -= below.variance_of_means / static_cast<double>(below.repetitions);
    }
    out.levels.push_back({repetitions, level.variance, own});
    means = std::move(level.means);
  }
  out.mean = means.front();
  return out;
}

TEstimate mean_of(const VarianceComponents& components) {
  if (components.levels.empty()) return {};
  const VarianceLevel& top = components.levels.back();
  const auto n = static_cast<double>(top.repetitions);
  return {components.mean, std::sqrt(top.variance_of_means / n), n - 1};
}

Result<RepetitionPlan> plan_repetitions(const VarianceComponents& components,
                                        std::span<const double> costs,
                                        const PlanGoal& goal) {
  SCHEDLAB_RETURN_IF_ERROR(require_confidence(goal.confidence));
  if (components.levels.empty() || costs.size() != components.levels.size()) {
    return usage_error(fmt::format("a plan for {} levels needs as many costs, not {}",
                                   components.levels.size(),
                                   costs.size()));
  }
  const auto is_cost = [](double cost) { return std::isfinite(cost) && cost > 0; };
  if (!std::all_of(costs.begin(), costs.end(), is_cost) || !is_cost(goal.half_width)) {
    return usage_error("costs and the wanted half-width must be above 0");
  }
  RepetitionPlan plan;
  for (std::size_t level = 0; level + 1 < components.levels.size(); ++level) {
    plan.exact.push_back(exact_repetitions(components, costs, level));
    plan.repetitions.push_back(round_up(plan.exact.back()));
  }
  const double variance = planned_top_variance(components, plan.repetitions);
  plan.repetitions.push_back(outermost_for(variance, goal));
  plan.cost = cost_of(plan.repetitions, costs);
  plan.capped = std::any_of(plan.repetitions.begin(), plan.repetitions.end(), [](std::size_t r) {
    return r == kRepetitionsCap;
  });
  return plan;
}

}  // namespace schedlab::stats
