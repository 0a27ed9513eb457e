#include "lab/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/rng.h"
#include "os/run_attributes.h"

namespace schedlab::lab {

namespace {

// Streams of the plan's random numbers: one for the arm order of each case and block, one for case
// order.
constexpr std::uint64_t kArmStream = 1;
constexpr std::uint64_t kCaseStream = 2;

std::vector<std::size_t> shuffled(std::size_t count, Rng rng) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng.shuffle(std::span(order));
  return order;
}

std::uint64_t stream_of(std::uint64_t purpose, std::int32_t index) {
  return (purpose << 32U) | static_cast<std::uint32_t>(index);
}

}  // namespace

std::vector<Step> block_steps(const Plan& plan, std::int32_t block) {
  const auto cases = shuffled(plan.cases.size(), Rng(plan.seed, stream_of(kCaseStream, block)));
  std::vector<Step> steps;
  for (const std::size_t case_index : cases) {
    // Each case tosses its own coin, so that a disturbance that hits one position of a block does
    // not always hit the same arm.
    const std::uint64_t arm_stream = stream_of(kArmStream + (case_index << 4U), block);
    const auto there = shuffled(plan.arms.size(), Rng(plan.seed, arm_stream));
    std::vector<std::size_t> there_and_back = there;
    there_and_back.insert(there_and_back.end(), there.rbegin(), there.rend());
    for (const std::size_t arm_index : there_and_back) {
      steps.push_back({.block = block,
                       .position = static_cast<std::int32_t>(steps.size()),
                       .case_index = case_index,
                       .arm_index = arm_index});
    }
  }
  return steps;
}

std::vector<std::string> arm_arguments(const Case& c, const PlannedArm& arm) {
  std::vector<std::string> arguments = c.arguments;
  arguments.insert(
      arguments.end(), arm.spec.extra_arguments.begin(), arm.spec.extra_arguments.end());
  return arguments;
}

Result<std::vector<std::string>> step_arguments(const Case& c, const PlannedArm& arm) {
  const std::vector<std::string> arguments = arm_arguments(c, arm);
  if (arm.spec.program) return c.workload->external_arguments(arguments);
  return arguments;
}

namespace {

Status check_under_arm(const Case& c, const PlannedArm& arm) {
  SCHEDLAB_RETURN_IF_ERROR(step_arguments(c, arm));
  // What a case needs of the CPUs depends on those that the arm leaves it.
  return os::probe(arm.spec.attributes, [&]() -> Status {
    SCHEDLAB_RETURN_IF_ERROR(c.workload->check(arm_arguments(c, arm)));
    return {};
  });
}

/// An arm with cmd: beside one without: ours must then measure as the original does.
Status check_beside_external(const Plan& plan, const Case& c) {
  const bool any_external =
      std::any_of(plan.arms.begin(), plan.arms.end(), [](const PlannedArm& arm) {
        return arm.spec.program.has_value();
      });
  if (!any_external) return {};
  for (const PlannedArm& arm : plan.arms) {
    if (arm.spec.program) continue;
    const Status alike = c.workload->check_beside_external(arm_arguments(c, arm));
    if (!alike) return alike.error().within(fmt::format("arm {}, {}", arm.name, c.name));
  }
  return {};
}

}  // namespace

Status check(const Plan& plan) {
  if (plan.cases.empty()) {
    return usage_error("nothing to run: give a case after `--`, like `-- hackbench -p -g 1`");
  }
  if (plan.arms.size() < 2)
    return usage_error("a comparison needs two arms: give -A SPEC and -B SPEC");
  if (plan.blocks < 1 || plan.blocks > 100'000) {
    return usage_error(
        fmt::format("--blocks {} is out of range: from 1 to 100000; a verdict needs at least 3, an "
                    "exact interval 6",
                    plan.blocks));
  }
  std::set<std::string> names;
  for (const Case& c : plan.cases) {
    if (!names.insert(c.name).second)
      return usage_error(fmt::format("case '{}' is given twice", c.name));
    SCHEDLAB_RETURN_IF_ERROR(check_beside_external(plan, c));
    for (const PlannedArm& arm : plan.arms) {
      const Status possible = check_under_arm(c, arm);
      if (!possible) return possible.error().within(fmt::format("arm {}, {}", arm.name, c.name));
    }
  }
  return {};
}

Nanos forecast(const Plan& plan) {
  Nanos total{0};
  for (const Case& c : plan.cases) {
    for (const PlannedArm& arm : plan.arms) {
      const auto one = c.workload->check(arm_arguments(c, arm));
      if (!one || one->duration.count() == 0) return Nanos(0);
      total += one->duration * (2 * plan.blocks);
    }
  }
  return total;
}

}  // namespace schedlab::lab
