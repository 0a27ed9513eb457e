#include "workload/schbench/auto_rps.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace schedlab::workload::schbench {

namespace {

constexpr double kHighestRate = 1e12;

double growth(double ratio) {
  if (ratio > 3) return 3;
  if (ratio < 1.2) return 1 + (ratio - 1) / 8;
  if (ratio < 1.5) return 1 + (ratio - 1) / 4;
  return ratio;
}

double shrinkage(double ratio) {
  if (ratio < 0.3) return 0.3;
  if (ratio > 0.9) return ratio + (1 - ratio) / 8;
  if (ratio > 0.8) return ratio + (1 - ratio) / 4;
  return ratio;
}

}  // namespace

Result<CpuTimes> read_cpu_times(const os::ProcFs& files) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string text, files.read("/proc/stat"));
  const auto fields = words(std::string_view(text).substr(0, text.find('\n')));
  if (fields.size() < 5 || fields[0] != "cpu") {
    return failed("cannot read how busy the CPUs are: /proc/stat does not start with 'cpu'");
  }
  CpuTimes times;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t ticks, parse_integer(fields[i], 0, INT64_MAX));
    times.total += static_cast<std::uint64_t>(ticks);
    if (i == 4) times.idle = static_cast<std::uint64_t>(ticks);
  }
  return times;
}

std::optional<double> busy_percent(const CpuTimes& before, const CpuTimes& after) {
  if (after.total <= before.total || after.idle < before.idle) return std::nullopt;
  const auto idle = static_cast<double>(after.idle - before.idle);
  return 100 - 100 * idle / static_cast<double>(after.total - before.total);
}

RateStep next_rate(std::int64_t rate, double busy, double target) {
  const double now = static_cast<double>(std::max<std::int64_t>(rate, 1));
  const double ratio = busy > 0 ? target / busy : 3;
  if (ratio >= 1) {
    const double factor = growth(ratio);
    const double next = std::min(kHighestRate, std::ceil(now * factor));
    return {static_cast<std::int64_t>(next), factor < 1.05};
  }
  const double next = std::floor(now * shrinkage(ratio));
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(next)), true};
}

}  // namespace schedlab::workload::schbench
