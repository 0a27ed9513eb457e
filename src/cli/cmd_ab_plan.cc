#include "cli/cmd_ab_plan.h"

#include <fmt/format.h>

#include "cli/version.h"
#include "core/text.h"
#include "os/clock.h"
#include "workload/workload.h"

namespace schedlab::cli {

namespace {

Result<lab::Case> make_case(const std::vector<std::string>& words) {
  if (words.empty())
    return usage_error("a case after `--` is empty; write it like `-- hackbench -p -g 1`");
  const workload::Workload* workload = workload::find_workload(words.front());
  if (workload == nullptr) {
    std::vector<std::string_view> known;
    for (const workload::Workload* candidate : workload::all_workloads())
      known.push_back(candidate->name());
    const auto nearest = nearest_word(words.front(), known);
    return usage_error(fmt::format("unknown workload '{}'{}; known: {}",
                                   printable(words.front()),
                                   nearest ? fmt::format(", did you mean {}?", *nearest) : "",
                                   fmt::join(known, ", ")));
  }
  return lab::Case{.workload = workload,
                   .arguments = {words.begin() + 1, words.end()},
                   .name = shell_quote(words)};
}

Result<lab::PlannedArm> make_arm(std::string name,
                                 std::string_view flag,
                                 const std::string& spec,
                                 const Io& io) {
  auto parsed = control::parse_arm_spec(spec);
  if (!parsed) return parsed.error().within(flag);
  const Status possible = control::probe_arm_spec(*parsed, io.path);
  if (!possible) return possible.error().within(fmt::format("{} {}", flag, printable(spec)));
  return lab::PlannedArm{.name = std::move(name), .spec = *std::move(parsed)};
}

/// The line that repeats the experiment, with every default that matters spelt out.
std::vector<std::string> repeat_command(const AbFlags& flags,
                                        const CutArguments& cut,
                                        const PlannedEnd& end,
                                        std::uint64_t seed) {
  std::vector<std::string> command = {"schedlab", "ab", "-A", flags.spec_a, "-B", flags.spec_b};
  const std::vector<std::string> stopping = stopping_arguments(flags.stopping, end);
  command.insert(command.end(), stopping.begin(), stopping.end());
  if (flags.control) command.emplace_back("--control");
  if (!flags.time_limit.empty()) command.insert(command.end(), {"--time-limit", flags.time_limit});
  if (!flags.table.delta.empty()) command.insert(command.end(), {"--delta", flags.table.delta});
  if (flags.table.all_metrics) command.emplace_back("--all-metrics");
  if (flags.table.correction != "bh") {
    command.insert(command.end(), {"--correction", flags.table.correction});
  }
  command.insert(command.end(), {"--seed", std::to_string(seed)});
  for (const auto& words : cut.cases) {
    command.emplace_back("--");
    command.insert(command.end(), words.begin(), words.end());
  }
  return command;
}

}  // namespace

CutArguments cut_at_dashes(Arguments arguments) {
  CutArguments out;
  bool in_case = false;
  for (const std::string& argument : arguments) {
    if (argument == "--") {
      in_case = true;
      out.cases.emplace_back();
    } else if (in_case) {
      out.cases.back().push_back(argument);
    } else {
      out.flags.push_back(argument);
    }
  }
  return out;
}

Result<lab::Plan> make_plan(const AbFlags& flags,
                            const CutArguments& cut,
                            const PlannedEnd& end,
                            std::uint64_t seed,
                            const Io& io) {
  lab::Plan plan;
  plan.blocks = end.blocks;
  plan.seed = seed;
  for (const auto& words : cut.cases) {
    SCHEDLAB_ASSIGN_OR_RETURN(lab::Case c, make_case(words));
    plan.cases.push_back(std::move(c));
  }
  SCHEDLAB_ASSIGN_OR_RETURN(lab::PlannedArm base, make_arm("base", "-A", flags.spec_a, io));
  SCHEDLAB_ASSIGN_OR_RETURN(lab::PlannedArm contender, make_arm("new", "-B", flags.spec_b, io));
  if (flags.control) plan.arms.push_back({.name = "control", .spec = base.spec});
  plan.arms.insert(plan.arms.begin(), {std::move(base), std::move(contender)});
  if (!flags.time_limit.empty()) {
    SCHEDLAB_ASSIGN_OR_RETURN(plan.time_limit, parse_duration(flags.time_limit));
    if (plan.time_limit.count() == 0)
      return usage_error("--time-limit 0 would end every run at once");
  }
  SCHEDLAB_RETURN_IF_ERROR(lab::check(plan));
  return plan;
}

Experiment describe(const lab::Plan& plan,
                    const AbFlags& flags,
                    const CutArguments& cut,
                    const PlannedEnd& end,
                    const os::Host& host) {
  Experiment experiment;
  experiment.tool_version = version();
  experiment.command = repeat_command(flags, cut, end, plan.seed);
  experiment.seed = plan.seed;
  experiment.order = plan.arms.size() == 2 ? "ABBA/BAAB" : "random, then mirrored";
  experiment.blocks_planned = plan.blocks;
  experiment.stopping = end.rule;
  for (const lab::PlannedArm& arm : plan.arms)
    experiment.arms.push_back({arm.name, arm.spec.text});
  for (const lab::Case& c : plan.cases)
    experiment.cases.push_back(c.name);
  experiment.machine = host.to_machine();
  experiment.start_wall = os::wall_now();
  return experiment;
}

}  // namespace schedlab::cli
