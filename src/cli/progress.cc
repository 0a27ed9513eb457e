#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "os/clock.h"

namespace schedlab::cli {

namespace {

constexpr std::size_t kTerminalWidth = 79;

std::string minutes_and_seconds(Nanos time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

}  // namespace

std::string time_left(std::int32_t done, std::int32_t total, Nanos elapsed) {
  if (done == 0) return fmt::format("{}/{} runs", done, total);
  return fmt::format(
      "{}/{} runs, {} left", done, total, minutes_and_seconds(elapsed / done * (total - done)));
}

std::string block_line(const compare::Ending& ending, const StoppingRule& rule) {
  std::string line = fmt::format("after block {}: {} of {} rows {}",
                                 ending.blocks_done,
                                 ending.rows_settled,
                                 ending.rows,
                                 rule.when == StopWhen::Precision ? "precise enough" : "decided");
  if (ending.rows_hopeless > 0) {
    line += fmt::format(", {} beyond deciding within the plan", ending.rows_hopeless);
  }
  if (ending.more_blocks && ending.blocks_done > 0) {
    line +=
        fmt::format(", about {} more block{}, {}",
                    *ending.more_blocks,
                    *ending.more_blocks == 1 ? "" : "s",
                    minutes_and_seconds(ending.elapsed / ending.blocks_done * *ending.more_blocks));
  }
  return line;
}

std::string run_line(const RunRecord& record,
                     std::int32_t done,
                     std::int32_t total,
                     std::int32_t online_cpus) {
  std::string line = fmt::format(
      "run {}/{} block {} {} {}:", done, total, record.block + 1, record.arm, record.case_name);
  if (record.outcome != Outcome::Ok) {
    return line + fmt::format(" {}: {}", to_string(record.outcome), printable(record.failure, 400));
  }
  for (const Metric& metric : record.output.metrics) {
    if (metric.primary)
      line += fmt::format(" {} {}", metric.name, format_value(metric.value, metric.unit));
  }
  if (is_disturbed(record, online_cpus)) line += " (disturbed)";
  return line;
}

void Progress::run_starts(const lab::Plan& plan,
                          const lab::Step& step,
                          std::int32_t done,
                          std::int32_t total) {
  if (mode_ != Mode::Terminal) return;
  std::string line = fmt::format("{}{}{}: {} {}",
                                 may_end_early_ ? "at most " : "",
                                 time_left(done, total, os::monotonic_now() - start_),
                                 standing_.empty() ? "" : "; " + standing_,
                                 plan.arms[step.arm_index].name,
                                 plan.cases[step.case_index].name);
  line.resize(std::min(line.size(), kTerminalWidth));
  fmt::print(err_, "\r\033[K{}", line);
  (void)std::fflush(err_);
  line_open_ = true;
}

void Progress::run_ended(const RunRecord& record, std::int32_t done, std::int32_t total) {
  const bool is_failure = record.outcome != Outcome::Ok;
  if (is_failure) finish();
  if (is_failure || mode_ == Mode::Lines) {
    fmt::print(err_, "{}\n", run_line(record, done, total, online_cpus_));
    (void)std::fflush(err_);
  }
}

void Progress::block_ended(const compare::Ending& ending, const StoppingRule& rule) {
  standing_ = block_line(ending, rule);
  if (mode_ != Mode::Lines) return;
  fmt::print(err_, "{}\n", standing_);
  (void)std::fflush(err_);
}

void Progress::finish() {
  if (!line_open_) return;
  fmt::print(err_, "\r\033[K");
  (void)std::fflush(err_);
  line_open_ = false;
}

}  // namespace schedlab::cli
