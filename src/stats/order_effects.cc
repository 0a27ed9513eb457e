#include "stats/order_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rng.h"
#include "stats/distributions.h"
#include "stats/inputs.h"
#include "stats/student_t.h"
#include "stats/summary.h"

namespace schedlab::stats {

namespace {

double choose(std::size_t n, std::size_t k) {
  double ways = 1;
  for (std::size_t i = 1; i <= k && ways <= kExactArrangements; ++i)
    ways = ways * static_cast<double>(n - k + i) / static_cast<double>(i);
  return ways;
}

// How often the sum over a random choice of `chosen` values is as far from its mean as `observed`.
// Values are centred, so the sum's mean is 0; `slack` forgives rounding.
double exact_p(std::span<const double> centred, std::size_t chosen, double observed, double slack) {
  std::vector<std::size_t> pick(chosen);
  std::iota(pick.begin(), pick.end(), std::size_t{0});
  double all = 0;
  double as_far = 0;
  for (;;) {
    double sum = 0;
    for (const std::size_t i : pick)
      sum += centred[i];
    ++all;
    if (std::abs(sum) >= observed - slack) ++as_far;
    // The next combination in lexical order: raise the last index that can be raised.
    std::size_t at = chosen;
    while (at > 0 && pick[at - 1] == centred.size() - chosen + at - 1)
      --at;
    if (at == 0) return as_far / all;
    ++pick[at - 1];
    for (std::size_t i = at; i < chosen; ++i)
      pick[i] = pick[i - 1] + 1;
  }
}

double drawn_p(std::span<const double> centred,
               std::size_t chosen,
               double observed,
               double slack,
               std::uint64_t seed) {
  std::vector<double> shuffled(centred.begin(), centred.end());
  Rng rng(seed);
  std::size_t as_far = 1;
  for (std::size_t r = 0; r < kDrawnArrangements; ++r) {
    rng.shuffle(std::span(shuffled));
    const auto end = shuffled.begin() + static_cast<std::ptrdiff_t>(chosen);
    const double sum = std::accumulate(shuffled.begin(), end, 0.0);
    if (std::abs(sum) >= observed - slack) ++as_far;
  }
  return static_cast<double>(as_far) / static_cast<double>(kDrawnArrangements + 1);
}

}  // namespace

Result<OrderEffect> order_effect(std::span<const double> differences,
                                 std::span<const std::uint8_t> base_first,
                                 std::uint64_t seed) {
  SCHEDLAB_RETURN_IF_ERROR(require_finite(differences, "order effect"));
  if (differences.size() != base_first.size()) {
    return usage_error(fmt::format(
        "order effect: {} differences but {} orders", differences.size(), base_first.size()));
  }
  std::vector<double> first;
  std::vector<double> second;
  for (std::size_t i = 0; i < differences.size(); ++i)
    (base_first[i] != 0 ? first : second).push_back(differences[i]);
  if (first.size() < 2 || second.size() < 2) {
    return failed(
        fmt::format("order effect: {} blocks with base first, {} with base second; needs 2 of each",
                    first.size(),
                    second.size()));
  }
  // The difference of means grows with the distance of the first group's sum from its mean, so that
  // sum is all a permutation has to form.
  const double centre = mean(differences);
  std::vector<double> centred(differences.begin(), differences.end());
  double scale = 0;
  for (double& value : centred) {
    value -= centre;
    scale += std::abs(value);
  }
  double observed = 0;
  for (const double value : first)
    observed += value - centre;
  observed = std::abs(observed);
  const double slack = 1e-12 * scale;
  const std::size_t chosen = first.size();
  const bool exact = choose(centred.size(), std::min(chosen, second.size())) <= kExactArrangements;
  return OrderEffect{mean(first) - mean(second),
                     exact ? exact_p(centred, chosen, observed, slack)
                           : drawn_p(centred, chosen, observed, slack, seed)};
}

Result<std::optional<OrderEffect>> first_boot_effect(std::span<const double> boots_in_order) {
  SCHEDLAB_RETURN_IF_ERROR(require_sample(boots_in_order, 4, "first-boot effect"));
  const auto rest = boots_in_order.subspan(1);
  const double spread = standard_deviation(rest);
  if (!(spread > 0)) return std::optional<OrderEffect>();
  const auto others = static_cast<double>(rest.size());
  const double effect = boots_in_order.front() - mean(rest);
  const double t = effect / (spread * std::sqrt(1 + 1 / others));
  return std::optional(OrderEffect{effect, 2 * t_cdf(-std::abs(t), others - 1)});
}

Result<std::optional<OrderEffect>> first_run_effect(
    std::span<const std::vector<double>> runs_by_boot) {
  std::vector<double> contrasts;
  for (const std::vector<double>& runs : runs_by_boot) {
    SCHEDLAB_RETURN_IF_ERROR(require_finite(runs, "first-run effect"));
    if (runs.size() >= 2) contrasts.push_back(runs.front() - mean(std::span(runs).subspan(1)));
  }
  if (contrasts.size() < 3) return std::optional<OrderEffect>();
  const std::optional<TEstimate> estimate = one_sample_t(contrasts);
  if (!estimate) return std::optional<OrderEffect>();
  return std::optional(OrderEffect{estimate->estimate, estimate->p_two_sided()});
}

}  // namespace schedlab::stats
