#include "workload/hackbench/external.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "workload/hackbench/output.h"

namespace schedlab::workload::hackbench {

namespace {

Error unreadable(std::string_view reason) {
  return failed(fmt::format("cannot read hackbench's output: {}", reason));
}

std::optional<std::string_view> first_line_of(std::string_view text, std::string_view start) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(start)) return trim(line);
  }
  return std::nullopt;
}

/// Both banner lines must say what this run was asked to do.
Status check_banner(const Options& options, std::string_view output) {
  const std::string banner = banner_text(options);
  for (const std::string_view expected : split(trim(banner), '\n')) {
    constexpr std::size_t kStart = 8;  // "Running ", "Each sen"
    const auto line = first_line_of(output, expected.substr(0, kStart));
    if (!line) {
      return unreadable(fmt::format("no line '{}...'", expected.substr(0, kStart)));
    }
    if (*line != expected) {
      return unreadable(
          fmt::format("it says '{}' where '{}' was asked for", printable(*line, 100), expected));
    }
  }
  return {};
}

Status check_not_interrupted(std::string_view text) {
  if (text.find("longjmp") != std::string_view::npos) {
    return unreadable("it was interrupted by a signal; its Time is no result");
  }
  if (text.find("No measurements available") != std::string_view::npos) {
    return unreadable("it says 'No measurements available'");
  }
  return {};
}

Result<double> find_time(std::string_view output) {
  constexpr std::string_view kStart = "Time: ";
  std::optional<double> time;
  for (const std::string_view line : split(output, '\n')) {
    if (!line.starts_with(kStart)) continue;
    if (time) return unreadable("more than one 'Time:' line");
    const auto value = parse_number(trim(line.substr(kStart.size())));
    if (!value || *value < 0) {
      return unreadable(fmt::format("'{}' is no time", printable(line, 60)));
    }
    time = *value;
  }
  if (!time) return unreadable("no 'Time:' line");
  return *time;
}

}  // namespace

Result<RunOutput> read_original_output(const Options& options,
                                       std::string_view standard_output,
                                       std::string_view standard_error) {
  SCHEDLAB_RETURN_IF_ERROR(check_not_interrupted(standard_output));
  SCHEDLAB_RETURN_IF_ERROR(check_not_interrupted(standard_error));
  SCHEDLAB_RETURN_IF_ERROR(check_banner(options, standard_output));
  SCHEDLAB_ASSIGN_OR_RETURN(const double seconds, find_time(standard_output));
  if (seconds == 0) {
    return unreadable(
        "its Time is 0.000: the run is shorter than its clock's step of 1 ms; raise "
        "--loops");
  }
  RunOutput out;
  out.workload = kWorkloadName;
  out.workload_version = "external";  // ours says nothing of another program's figures
  out.mode = "external:hackbench";
  constexpr double kMillisecond = 1e-3;
  out.metrics = time_metrics(options, seconds, kMillisecond);
  return out;
}

}  // namespace schedlab::workload::hackbench
