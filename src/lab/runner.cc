#include "lab/runner.h"

#include <fmt/format.h>

#include "control/environment.h"
#include "core/text.h"
#include "os/clock.h"
#include "os/host.h"
#include "os/noise.h"
#include "os/pipe.h"
#include "os/supervisor.h"

namespace schedlab::lab {

namespace {

constexpr std::size_t kQuotedOutput =
    200;  // bytes of a failed run's own words in the one-line failure

/// The last line with anything on it: where programs say why they gave up.
std::string last_line(std::string_view text) {
  std::string_view last;
  for (const std::string_view line : split(text, '\n')) {
    if (!trim(line).empty()) last = trim(line);
  }
  return printable(last, kQuotedOutput);
}

Nanos limit_of(const Plan& plan, const Case& c, const PlannedArm& arm) {
  if (plan.time_limit.count() != 0) return plan.time_limit;
  const auto forecast = c.workload->check(arm_arguments(c, arm));
  const Nanos expected = forecast ? forecast->duration : Nanos(0);
  // A run without a forecast may take long; an hour ends one that hangs without ending one that
  // works.
  if (expected.count() == 0) return std::chrono::hours(1);
  return expected * 4 + std::chrono::seconds(60);
}

os::SupervisedCommand command_of(const PlannedArm& arm,
                                 const Case& c,
                                 const std::vector<std::string>& arguments) {
  os::SupervisedCommand command;
  if (arm.spec.program) {
    command.program = *arm.spec.program;
    command.arguments = {*arm.spec.program};
  } else {
    command.program = "/proc/self/exe";
    command.arguments = {"schedlab", kRunCommand, std::string(c.workload->name())};
  }
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.attributes = arm.spec.attributes;
  return command;
}

/// Outcome and, unless Ok, the line that says why.
void judge(RunRecord& record, const os::FinishedProcess& process, Nanos limit) {
  const auto fail = [&](Outcome outcome, std::string why) {
    const std::string said = last_line(process.err);
    record.outcome = outcome;
    record.failure =
        fmt::format("{} {}{}{}", printable(record.case_name), why, said.empty() ? "" : ": ", said);
  };
  if (process.interrupted) {
    fail(Outcome::Interrupted, "was interrupted");
  } else if (process.timed_out) {
    fail(Outcome::TimedOut,
         fmt::format("ran longer than its limit of {} and was killed; raise --time-limit if that "
                     "is too short",
                     format_duration(limit)));
  } else if (!process.failure.empty()) {
    fail(Outcome::Failed, "was cut short: " + process.failure);
  } else if (process.exit_signal != 0) {
    fail(Outcome::Killed, fmt::format("was ended by signal {}", process.exit_signal));
  } else if (process.exit_code != 0) {
    fail(Outcome::Failed, fmt::format("ended with exit status {}", process.exit_code));
  }
}

/// With autogroup each session is a task group of its own, and nice values compare only within it.
bool autogroup_is_on(const os::ProcFs& fs) {
  const auto text = fs.read("/proc/sys/kernel/sched_autogroup_enabled");
  return text && trim(*text) == "1";
}

}  // namespace

Status run_workload_child(std::span<const std::string> arguments, int result_fd) {
  if (arguments.empty())
    return usage_error("this command is schedlab's own; run `schedlab --help`");
  const workload::Workload* workload = workload::find_workload(arguments.front());
  if (workload == nullptr) {
    return usage_error(fmt::format("unknown workload '{}'", printable(arguments.front())));
  }
  SCHEDLAB_ASSIGN_OR_RETURN(const RunOutput output, workload->run(arguments.subspan(1)));
  if (!os::write_all(result_fd, encode(output))) {
    return failed("cannot hand the result over: nobody reads it; use `schedlab ab`");
  }
  return {};
}

std::string ProcessRunner::capture() {
  control::Environment environment = control::capture_environment(fs_);
  environments_.try_emplace(environment.hash, std::move(environment.text));
  return environment.hash;
}

std::string ProcessRunner::environment(const std::string& hash) const {
  const auto found = environments_.find(hash);
  return found == environments_.end() ? std::string() : found->second;
}

Result<RunRecord> ProcessRunner::run(const Plan& plan,
                                     const Step& step,
                                     const os::StopRequest& stop) {
  const Case& c = plan.cases[step.case_index];
  const PlannedArm& arm = plan.arms[step.arm_index];
  SCHEDLAB_ASSIGN_OR_RETURN(std::vector<std::string> arguments, step_arguments(c, arm));
  SCHEDLAB_ASSIGN_OR_RETURN(const os::Host host, os::read_host(fs_));

  RunRecord record;
  record.block = step.block;
  record.position = step.position;
  record.arm = arm.name;
  record.case_name = c.name;
  record.boot_id = host.boot_id;
  record.environment_before = capture();
  record.canary = canary_.run();
  SCHEDLAB_ASSIGN_OR_RETURN(const os::NoiseSample before, os::read_noise(fs_));

  os::SupervisedCommand command = command_of(arm, c, arguments);
  const Nanos limit = limit_of(plan, c, arm);
  command.time_limit = limit;
  command.stop_fd = stop.fd;
  record.arguments = arguments;
  record.arguments.insert(record.arguments.begin(),
                          arm.spec.program ? *arm.spec.program : std::string(c.workload->name()));
  SCHEDLAB_ASSIGN_OR_RETURN(const os::FinishedProcess process, os::run_supervised(command));

  SCHEDLAB_ASSIGN_OR_RETURN(const os::NoiseSample after, os::read_noise(fs_));
  record.noise = os::between(before, after, process.usage.cpu_time());
  record.environment_after = capture();
  record.exit_code = process.exit_code;
  record.exit_signal = process.exit_signal;
  record.start_monotonic = process.start_monotonic;
  record.end_monotonic = process.end_monotonic;
  record.start_wall = process.start_wall;
  record.end_wall = process.end_wall;
  record.raw_log = process.out + process.err;
  std::vector<std::string> notes = process.notes;
  if (arm.spec.attributes.nice && autogroup_is_on(fs_)) {
    notes.emplace_back(
        "nice= weighs only within the run: kernel.sched_autogroup_enabled is 1, and each run is a "
        "session");
  }
  record.output.notes = notes;
  judge(record, process, limit);
  if (record.outcome != Outcome::Ok) return record;

  auto output = arm.spec.program ? c.workload->read_external(arguments, process.out, process.err)
                                 : decode_run_output(process.result);
  if (output) {
    record.output = *std::move(output);
    record.output.notes.insert(record.output.notes.end(), notes.begin(), notes.end());
  } else {
    record.outcome = Outcome::Failed;
    record.failure = fmt::format("{}: {}", printable(record.case_name), output.error().message);
  }
  return record;
}

}  // namespace schedlab::lab
