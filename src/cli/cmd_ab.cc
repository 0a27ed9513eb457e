// schedlab ab: two arms, interleaved in blocks on this boot, then the table.

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/version.h"
#include "core/rng.h"
#include "core/text.h"
#include "lab/runner.h"
#include "lab/session.h"
#include "os/clock.h"
#include "os/host.h"
#include "os/interrupt.h"
#include "os/procfs.h"
#include "os/run_cgroup.h"
#include "store/store.h"

namespace schedlab::cli {

namespace {

constexpr std::string_view kExample =
    "schedlab ab -A same -B slice=3ms --blocks 12 -- hackbench -p -g 1 -- schbench -m 1 -t 2 -r 10";

struct Flags {
  std::string spec_a;
  std::string spec_b;
  std::int32_t blocks = 12;
  bool control = false;
  std::optional<std::uint64_t> seed;
  std::string database = kDefaultDatabase;
  std::string time_limit;
  bool quiet = false;
  TableOptions table;
};

/// argv cut at each `--`: the flags, then a list of words per case.
struct CutArguments {
  std::vector<std::string> flags;
  std::vector<std::vector<std::string>> cases;
};

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

Result<lab::Plan> make_plan(const Flags& flags,
                            const CutArguments& cut,
                            std::uint64_t seed,
                            const Io& io) {
  lab::Plan plan;
  plan.blocks = flags.blocks;
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

/// The line that repeats the experiment, with every default that matters spelt out.
std::vector<std::string> repeat_command(const Flags& flags,
                                        const CutArguments& cut,
                                        std::uint64_t seed) {
  std::vector<std::string> command = {"schedlab", "ab", "-A", flags.spec_a, "-B", flags.spec_b};
  command.insert(command.end(), {"--blocks", std::to_string(flags.blocks)});
  if (flags.control) command.emplace_back("--control");
  if (!flags.time_limit.empty()) command.insert(command.end(), {"--time-limit", flags.time_limit});
  if (!flags.table.delta.empty()) command.insert(command.end(), {"--delta", flags.table.delta});
  if (flags.table.all_metrics) command.emplace_back("--all-metrics");
  command.insert(command.end(), {"--seed", std::to_string(seed)});
  for (const auto& words : cut.cases) {
    command.emplace_back("--");
    command.insert(command.end(), words.begin(), words.end());
  }
  return command;
}

Experiment describe(const lab::Plan& plan, std::vector<std::string> command, const os::Host& host) {
  Experiment experiment;
  experiment.tool_version = version();
  experiment.command = std::move(command);
  experiment.seed = plan.seed;
  experiment.order = plan.arms.size() == 2 ? "ABBA/BAAB" : "random, then mirrored";
  experiment.blocks_planned = plan.blocks;
  for (const lab::PlannedArm& arm : plan.arms)
    experiment.arms.push_back({arm.name, arm.spec.text});
  for (const lab::Case& c : plan.cases)
    experiment.cases.push_back(c.name);
  experiment.machine = host.to_machine();
  experiment.start_wall = os::wall_now();
  return experiment;
}

Progress::Mode progress_mode(const Flags& flags, const Io& io) {
  if (flags.quiet) return Progress::Mode::Quiet;
  return io.err_is_terminal ? Progress::Mode::Terminal : Progress::Mode::Lines;
}

/// The error that ended a session, with where its finished runs are.
Error with_what_is_kept(Error error,
                        const store::Store& store,
                        ExperimentId experiment,
                        const std::string& database) {
  const auto counts = store.count_runs(experiment);
  if (counts && counts->ok > 0) {
    error.message +=
        fmt::format("; {} finished runs are kept: schedlab compare --db {} --experiment {}",
                    counts->ok,
                    printable(database),
                    experiment.value);
  }
  return error;
}

Result<int> run_and_print(const Flags& flags, const CutArguments& cut, const Io& io) {
  const os::RealProcFs fs;
  const std::uint64_t seed =
      flags.seed.value_or(static_cast<std::uint64_t>(os::wall_now().count()) % 1'000'000'007);
  SCHEDLAB_RETURN_IF_ERROR(check_table_options(flags.table));
  SCHEDLAB_ASSIGN_OR_RETURN(const lab::Plan plan, make_plan(flags, cut, seed, io));
  SCHEDLAB_ASSIGN_OR_RETURN(store::Store store, store::Store::open(flags.database));
  for (const std::string& removed : os::remove_stale_cgroups(fs)) {
    fmt::print(io.err, "schedlab: left by a schedlab that died: {}\n", printable(removed));
  }
  SCHEDLAB_ASSIGN_OR_RETURN(os::InterruptGuard interrupts, os::InterruptGuard::install());
  SCHEDLAB_ASSIGN_OR_RETURN(const os::Host host, os::read_host(fs));
  Experiment experiment = describe(plan, repeat_command(flags, cut, seed), host);
  SCHEDLAB_ASSIGN_OR_RETURN(experiment.id, store.add_experiment(experiment));

  Progress progress(io.err, progress_mode(flags, io), os::monotonic_now(), host.online_cpus);
  lab::ProcessRunner runner(fs);
  auto ended = lab::run_plan(plan, experiment.id, store, runner, progress, interrupts.stop());
  progress.finish();
  if (!ended) return with_what_is_kept(ended.error(), store, experiment.id, flags.database);
  if (ended->interrupted && ended->runs_done == 0) {
    return Error{"interrupted before the first run ended; nothing to compare",
                 Error::Kind::Interrupted};
  }
  auto text = render_table(store, experiment, flags.table);
  if (!text) {
    if (!ended->interrupted) return std::move(text).error();
    return Error{fmt::format("interrupted; {} finished runs are experiment {} in {}",
                             ended->runs_done,
                             experiment.id.value,
                             printable(flags.database)),
                 Error::Kind::Interrupted};
  }
  SCHEDLAB_RETURN_IF_ERROR(print(io.out, *text));
  if (ended->interrupted) {
    return Error{"interrupted; the table shows what was finished", Error::Kind::Interrupted};
  }
  return ended->runs_failed == 0 ? kExitDone : kExitFailed;
}

}  // namespace

int ab_main(Arguments arguments, const Io& io) {
  Flags flags;
  CLI::App app{"Runs cases alternately under two settings, then says which is better",
               "schedlab ab"};
  app.add_option("-A", flags.spec_a, "Base arm: comma-separated knobs, or `same`")->required();
  app.add_option("-B", flags.spec_b, "New arm: comma-separated knobs, or `same`")->required();
  app.add_option("--blocks", flags.blocks, "Blocks; in each every arm runs twice, there and back")
      ->capture_default_str();
  app.add_flag(
      "--control", flags.control, "Also run base against itself (A/A'), as the noise floor");
  app.add_option("--seed", flags.seed, "Seed of the order (default: from the clock; printed)");
  app.add_option("--db", flags.database, "Database file")->capture_default_str();
  app.add_option("--time-limit",
                 flags.time_limit,
                 "Per run, like 90s (default: 4x the forecast + 60s; 1h without one)");
  app.add_flag("-q,--quiet", flags.quiet, "No progress on stderr");
  add_table_flags(app, flags.table);
  app.footer(
      "Cases stand after `--`, several with a `--` each. Knobs: cpus=0-3 nice=5\n"
      "policy=other|batch|idle|fifo:N slice=3ms cmd:PROGRAM args:FLAGS same.\n"
      "Exit status: 0 done, 1 a run failed, 2 usage, 130 interrupted.");
  const CutArguments cut = cut_at_dashes(arguments);
  const Parsed parsed = parse(app, cut.flags, kExample, io.out, io.err);
  if (!parsed.go_on) return parsed.exit_status;
  const Result<int> status = run_and_print(flags, cut, io);
  return status ? *status : complain(io.err, status.error());
}

}  // namespace schedlab::cli
