#include "workload/schbench/classic_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "os/clock.h"

namespace schedlab::workload::schbench {

namespace {

struct BlockTitle {
  std::string_view name;
  std::string_view unit;
};

constexpr BlockTitle kWakeupTitle{"Wakeup Latencies", "usec"};
constexpr BlockTitle kRequestTitle{"Request Latencies", "usec"};
constexpr BlockTitle kRpsTitle{"RPS", "requests"};

std::int64_t whole_seconds(Nanos time) {
  return time / std::chrono::seconds(1);
}

/// Prints the rows between `first` and `last`, with a star on `starred`.
std::string block_text(const ClassicBlock& block,
                       const BlockTitle& title,
                       double first,
                       double last,
                       double starred,
                       Nanos runtime) {
  std::string text = fmt::format("{} percentiles ({}) runtime {} (s) ({} total samples)\n",
                                 title.name,
                                 title.unit,
                                 whole_seconds(runtime),
                                 block.total);
  for (const ClassicRow& row : block.rows) {
    if (row.percentile < first || row.percentile > last) continue;
    text += fmt::format("\t{}{:.1f}th: {:<10} ({} samples)\n",
                        row.percentile == starred ? "* " : "  ",
                        row.percentile,
                        row.value,
                        row.samples);
  }
  return text + fmt::format("\t  min={}, max={}\n", block.min, block.max);
}

std::string wakeup_text(const ClassicBlock& block, double first, Nanos runtime) {
  return block_text(block, kWakeupTitle, first, 100, 99, runtime);
}

std::string request_text(const ClassicBlock& block, Nanos runtime) {
  return block_text(block, kRequestTitle, 50, 100, 99, runtime);
}

std::string rps_text(const ClassicBlock& block, Nanos runtime) {
  return block_text(block, kRpsTitle, 20, 90, 50, runtime);
}

std::string delay_text(std::int64_t message, std::int64_t worker) {
  return fmt::format("sched delay: message {} (usec) worker {} (usec)\n", message, worker);
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_block(std::string_view prefix, const ClassicBlock& block) {
  std::string text;
  for (const ClassicRow& row : block.rows)
    text += fmt::format("\"{}_pct{:.1f}\": {}, ", prefix, row.percentile, row.value);
  return text +
         fmt::format("\"{}_min\": {},\"{}_max\": {}, ", prefix, block.min, prefix, block.max);
}

std::string read_line(const os::ProcFs& files, std::string_view path) {
  const auto text = files.read(path);
  return text ? std::string(trim(*text)) : std::string();
}

}  // namespace

std::string transfer_size(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.2f}{}", bytes, kUnits[unit]);
}

std::string final_text(const ClassicReport& report, Nanos runtime) {
  if (report.ops_per_second) {
    return wakeup_text(*report.wakeup, 20, runtime) +
           fmt::format("avg worker transfer: {:.2f} ops/sec {}/s\n",
                       *report.ops_per_second,
                       transfer_size(report.bytes_per_second.value_or(0)));
  }
  std::string text = wakeup_text(*report.wakeup, 50, runtime);
  if (report.request) text += request_text(*report.request, runtime);
  if (report.rps) text += rps_text(*report.rps, runtime);
  if (report.rps_goal) {
    text += fmt::format("final rps goal was {}\n", *report.rps_goal);
  } else if (report.average_rps) {
    text += fmt::format("average rps: {:.2f}\n", *report.average_rps);
  }
  return text + delay_text(report.message_delay_us, report.worker_delay_us);
}

std::string interval_text(const Snapshot& seen) {
  return wakeup_text(classic_block(seen.wakeup_us, kClassicPercentiles), 50, seen.elapsed) +
         request_text(classic_block(seen.request_us, kClassicPercentiles), seen.elapsed) +
         rps_text(classic_block(seen.rps, kClassicPercentiles), seen.elapsed) +
         delay_text(seen.message_delay_us, seen.worker_delay_us) +
         fmt::format("current rps: {:.2f}\n", seen.current_rps);
}

std::string preamble_text(const Plan& plan) {
  std::string text;
  if (plan.options.pipe_bytes_capped) {
    text += fmt::format("pipe size too big, using {}\n", kMaxPipeBytes);
  }
  const bool automatic = plan.options.message_cpus.kind == CpuChoice::Kind::Auto ||
                         plan.options.worker_cpus.kind == CpuChoice::Kind::Auto;
  if (automatic) text += "auto pinning message and worker threads\n";
  if (plan.threads_chosen) text += fmt::format("setting worker threads to {}\n", plan.threads);
  if (plan.options.split_percent) {
    text += fmt::format("split mode: {}% private ({} KB per thread), {}% shared ({} KB total)\n",
                        *plan.options.split_percent,
                        plan.private_kib,
                        100 - *plan.options.split_percent,
                        plan.shared_kib);
    text +=
        fmt::format("matrix sizes: private={}, shared={}\n", plan.private_side, plan.shared_side);
  }
  if (plan.options.message_cpus.kind == CpuChoice::Kind::Unpinned && !automatic) return text;
  for (std::size_t i = 0; i < plan.message_cpus.size(); ++i) {
    text += fmt::format(
        "Pinning to message thread index {} cpu {}\n", i, plan.message_cpus[i].to_string());
  }
  return text;
}

std::string text_of_2016(const Plan& plan, const Measurement& measured) {
  const ClassicBlock block = classic_block(measured.last.wakeup_us, kPercentilesOf2016);
  std::string text = "Latency percentiles (usec)\n";
  for (const ClassicRow& row : block.rows) {
    text += fmt::format(
        "\t{}{:.4f}th: {}\n", row.percentile == 99.0 ? "*" : "", row.percentile, row.value);
  }
  text += fmt::format("\tmin={}, max={}\n", block.min, block.max);
  const double seconds = static_cast<double>(measured.elapsed.count()) / 1e9;
  if (plan.pipe()) {
    const double ops = measured.worker_seconds > 0
                           ? static_cast<double>(measured.loops) / measured.worker_seconds
                           : 0;
    return text + fmt::format("avg worker transfer: {:.2f} ops/sec {}/s\n",
                              ops,
                              transfer_size(ops * static_cast<double>(plan.options.pipe_bytes)));
  }
  if (!plan.options.open_loop()) return text;
  const auto p95 = static_cast<double>(block.at(95).value_or(0));
  const auto p99 = static_cast<double>(block.at(99).value_or(0));
  const double spin = std::max(1.0, static_cast<double>(plan.options.spin.count()) / 1e3);
  return text + fmt::format(
                    "rps: {:.2f} p95 (usec) {:.0f} p99 (usec) {:.0f} p95/cputime {:.2f}% "
                    "p99/cputime {:.2f}%\n",
                    static_cast<double>(measured.completed) / seconds,
                    p95,
                    p99,
                    100 * p95 / spin,
                    100 * p99 / spin);
}

std::string report_json(const ClassicReport& report, const JsonContext& context, Nanos runtime) {
  std::string text = fmt::format("{{\"normal\": {{\"version\": {},", json_string(context.kernel));
  if (context.job_name) text += fmt::format("\"jobname\": {},", json_string(*context.job_name));
  text += fmt::format("\"hostname\": {},\"sched_ext\": {},\"cmdline\": {}}},",
                      json_string(context.hostname),
                      json_string(context.sched_ext),
                      json_string(context.command_line));
  text += fmt::format("\"int\": {{\"time\": {}, ", context.time);
  if (report.wakeup) text += json_block("wakeup_latency", *report.wakeup);
  if (report.request) text += json_block("request_latency", *report.request);
  if (report.rps) text += json_block("rps", *report.rps);
  return text + fmt::format("\"runtime\": {}}}}}", whole_seconds(runtime));
}

JsonContext json_context_here() {
  const os::RealProcFs files;
  JsonContext context;
  context.kernel = read_line(files, "/proc/sys/kernel/osrelease");
  context.hostname = read_line(files, "/proc/sys/kernel/hostname");
  context.sched_ext = read_line(files, "/sys/kernel/sched_ext/root/ops");
  if (context.sched_ext.empty()) context.sched_ext = "disabled";
  context.time = os::wall_now() / std::chrono::seconds(1);
  return context;
}

}  // namespace schedlab::workload::schbench
