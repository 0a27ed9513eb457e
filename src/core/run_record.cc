#include "core/run_record.h"

#include <algorithm>
#include <array>

#include "core/enum_names.h"

namespace schedlab {

namespace {

constexpr std::array<std::pair<RunKind, std::string_view>, 4> kRunKinds = {{
    {RunKind::Measured, "measured"},
    {RunKind::Imported, "imported"},
    {RunKind::Emulated, "emulated"},
    {RunKind::Simulated, "simulated"},
}};

constexpr std::array<std::pair<Outcome, std::string_view>, 5> kOutcomes = {{
    {Outcome::Ok, "ok"},
    {Outcome::Failed, "failed"},
    {Outcome::TimedOut, "timed-out"},
    {Outcome::Killed, "killed"},
    {Outcome::Interrupted, "interrupted"},
}};

}  // namespace

const Metric* RunOutput::find_metric(std::string_view name) const {
  const auto found = std::find_if(
      metrics.begin(), metrics.end(), [&](const Metric& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

bool is_disturbed(const RunRecord& run, std::int32_t online_cpus) {
  constexpr double kShare = 0.05;
  constexpr Nanos kFloor = std::chrono::milliseconds(50);  // 5 ticks of /proc/stat
  const double capacity =
      static_cast<double>((run.end_monotonic - run.start_monotonic).count()) * online_cpus;
  const auto too_much = [&](const std::optional<Nanos>& time) {
    return time && capacity > 0 && *time > kFloor &&
           static_cast<double>(time->count()) > kShare * capacity;
  };
  return too_much(run.noise.foreign_cpu) || too_much(run.noise.steal) ||
         run.noise.throttle_events.value_or(0) > 0;
}

std::string_view to_string(RunKind kind) {
  return name_of(kRunKinds, kind);
}

std::string_view to_string(Outcome outcome) {
  return name_of(kOutcomes, outcome);
}

Result<RunKind> parse_run_kind(std::string_view text) {
  return value_of(kRunKinds, text, "kind of run");
}

Result<Outcome> parse_outcome(std::string_view text) {
  return value_of(kOutcomes, text, "outcome");
}

}  // namespace schedlab
