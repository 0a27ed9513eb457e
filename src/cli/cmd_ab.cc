// schedlab ab: two arms, interleaved in blocks on this boot, then the table.

#include <fmt/format.h>

#include <algorithm>

#include "cli/cmd_ab_plan.h"
#include "cli/cmd_ab_stopping.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "compare/decisions.h"
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

Progress::Mode progress_mode(const AbFlags& flags, const Io& io) {
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

/// What a plan that may end early costs at most, before it begins; nothing for one that can't tell.
void tell_cost(const lab::Plan& plan, const Io& io) {
  const Nanos forecast = lab::forecast(plan);
  if (forecast.count() == 0) return;
  fmt::print(
      io.err, "at most {} blocks, about {} of runs\n", plan.blocks, format_duration(forecast));
}

Result<int> run_and_print(const AbFlags& flags, const CutArguments& cut, const Io& io) {
  const os::RealProcFs fs;
  const std::uint64_t seed =
      flags.seed.value_or(static_cast<std::uint64_t>(os::wall_now().count()) % 1'000'000'007);
  SCHEDLAB_RETURN_IF_ERROR(check_table_options(flags.table));
  SCHEDLAB_ASSIGN_OR_RETURN(const PlannedEnd end, planned_end(flags.stopping, flags.table.delta));
  SCHEDLAB_ASSIGN_OR_RETURN(const auto correction,
                            compare::parse_correction(flags.table.correction));
  SCHEDLAB_RETURN_IF_ERROR(compare::correction_for(end.rule, correction));
  SCHEDLAB_ASSIGN_OR_RETURN(const lab::Plan plan, make_plan(flags, cut, end, seed, io));
  SCHEDLAB_ASSIGN_OR_RETURN(store::Store store, store::Store::open(flags.database));
  for (const std::string& removed : os::remove_stale_cgroups(fs)) {
    fmt::print(io.err, "schedlab: left by a schedlab that died: {}\n", printable(removed));
  }
  SCHEDLAB_ASSIGN_OR_RETURN(os::InterruptGuard interrupts, os::InterruptGuard::install());
  SCHEDLAB_ASSIGN_OR_RETURN(const os::Host host, os::read_host(fs));
  Experiment experiment = describe(plan, flags, cut, end, host);
  SCHEDLAB_ASSIGN_OR_RETURN(experiment.id, store.add_experiment(experiment));

  Progress progress(io.err, progress_mode(flags, io), os::monotonic_now(), host.online_cpus);
  BlockWatch watch(experiment, progress);
  lab::BlockRule goes_on;
  if (watch.is_needed()) {
    progress.may_end_early();
    if (!flags.quiet) tell_cost(plan, io);
    goes_on = [&](std::span<const RunRecord> block) { return watch.goes_on(block); };
  }
  lab::ProcessRunner runner(fs);
  auto ended =
      lab::run_plan(plan, experiment.id, store, runner, progress, interrupts.stop(), goes_on);
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
  AbFlags flags;
  CLI::App app{"Runs cases alternately under two settings, then says which is better",
               "schedlab ab"};
  app.add_option("-A", flags.spec_a, "Base arm: comma-separated knobs, or `same`")->required();
  app.add_option("-B", flags.spec_b, "New arm: comma-separated knobs, or `same`")->required();
  add_stopping_flags(app, flags.stopping);
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
