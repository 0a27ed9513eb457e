#include "workload/schbench/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace schedlab::workload::schbench {

namespace {

/// "p20", "p99.9".
std::string percentile_name(std::string_view prefix, double percentile) {
  return fmt::format("{}_p{:g}", prefix, percentile);
}

Metric latency(std::string name, double value_ns, double resolution_ns, bool median, bool primary) {
  return {std::move(name),
          value_ns,
          Unit::Nanoseconds,
          Direction::LowerIsBetter,
          median ? MetricClass::LatencyMedian : MetricClass::LatencyTail,
          resolution_ns,
          primary};
}

Metric rate(std::string name, double value, double resolution, bool primary) {
  return {std::move(name),
          value,
          Unit::PerSecond,
          Direction::HigherIsBetter,
          MetricClass::Throughput,
          resolution,
          primary};
}

Metric transfer(double bytes_per_second) {
  return {"bytes_per_sec",
          bytes_per_second,
          Unit::BytesPerSecond,
          Direction::Descriptive,
          MetricClass::Throughput,
          0,
          false};
}

/// Primary first, so that tables lead with what decides.
void primary_first(std::vector<Metric>& metrics) {
  std::stable_partition(
      metrics.begin(), metrics.end(), [](const Metric& metric) { return metric.primary; });
}

void add_classic_latency(std::vector<Metric>& metrics,
                         std::string_view prefix,
                         const ClassicBlock& block,
                         bool primary) {
  const auto ns = [](std::uint64_t us) { return static_cast<double>(us) * 1000; };
  for (const ClassicRow& row : block.rows) {
    metrics.push_back(latency(percentile_name(prefix, row.percentile),
                              ns(row.value),
                              ns(Histogram::bucket_width(row.value)),
                              row.percentile <= 50,
                              primary && row.percentile == 99.0));
  }
  metrics.push_back(latency(fmt::format("{}_min", prefix), ns(block.min), 1000, false, false));
  metrics.push_back(latency(fmt::format("{}_max", prefix), ns(block.max), 1000, false, false));
}

void add_latency(std::vector<Metric>& metrics,
                 std::string_view prefix,
                 const Histogram& histogram,
                 bool primary) {
  for (const double percentile : kClassicPercentiles) {
    const std::uint64_t value = histogram.quantile(percentile / 100);
    metrics.push_back(latency(percentile_name(prefix, percentile),
                              static_cast<double>(value),
                              static_cast<double>(Histogram::bucket_width(value)),
                              percentile <= 50,
                              primary && percentile == 99.0));
  }
  metrics.push_back(latency(
      fmt::format("{}_min", prefix), static_cast<double>(histogram.min()), 1, false, false));
  metrics.push_back(latency(
      fmt::format("{}_max", prefix), static_cast<double>(histogram.max()), 1, false, false));
  metrics.push_back(latency(fmt::format("{}_mean", prefix), histogram.mean(), 1, true, false));
}

void add_rps(std::vector<Metric>& metrics, const ClassicBlock& block) {
  for (const ClassicRow& row : block.rows) {
    if (row.percentile > 90) continue;
    metrics.push_back(rate(percentile_name("rps", row.percentile),
                           static_cast<double>(row.value),
                           static_cast<double>(Histogram::bucket_width(row.value)),
                           row.percentile == 50.0));
  }
}

/// `-n 0 -s 0`: a request is nothing but two clock reads, and in microseconds mostly dropped.
bool request_is_empty(const Options& options) {
  return options.operations == 0 && options.sleep == Nanos{0};
}

double seconds_of(Nanos time) {
  return static_cast<double>(time.count()) / 1e9;
}

std::vector<Metric> native_metrics(const Plan& plan, const Measurement& measured) {
  std::vector<Metric> metrics;
  if (const Histogram* wakeup = measured.find("wakeup")) {
    add_latency(metrics, "wakeup", *wakeup, true);
  }
  if (plan.pipe()) {
    const double workers = static_cast<double>(plan.worker_count());
    const double ops =
        static_cast<double>(measured.completed) / seconds_of(measured.elapsed) / workers;
    metrics.push_back(rate("ops_per_sec", ops, 0, true));
    metrics.push_back(transfer(ops * static_cast<double>(plan.options.pipe_bytes)));
    primary_first(metrics);
    return metrics;
  }
  if (const Histogram* request = measured.find("request")) {
    add_latency(metrics, "request", *request, !request_is_empty(plan.options));
  }
  if (!measured.last.rps.empty()) {
    add_rps(metrics, classic_block(measured.last.rps, kClassicPercentiles));
  }
  const double average = static_cast<double>(measured.completed) / seconds_of(measured.elapsed);
  metrics.push_back(rate("rps_average", average, 0, plan.options.operations == 0));
  primary_first(metrics);
  return metrics;
}

std::vector<Metric> metrics_of_2016(const Plan& plan, const Measurement& measured) {
  std::vector<Metric> metrics;
  add_classic_latency(
      metrics, "wakeup", classic_block(measured.last.wakeup_us, kPercentilesOf2016), true);
  const double average = static_cast<double>(measured.completed) / seconds_of(measured.elapsed);
  metrics.push_back(rate("rps_average", average, 0, plan.options.open_loop()));
  primary_first(metrics);
  return metrics;
}

void add_usage(std::vector<Counter>& counters, std::string_view who, const ThreadUsage& usage) {
  const auto add = [&](std::string_view what, std::int64_t value) {
    counters.push_back({fmt::format("{}_{}", who, what), value});
  };
  add("voluntary_switches", usage.voluntary_switches);
  add("involuntary_switches", usage.involuntary_switches);
  if (usage.migrations) add("migrations", *usage.migrations);
  if (usage.run_delay) add("run_delay_ns", usage.run_delay->count());
  if (usage.timeslices) add("timeslices", *usage.timeslices);
}

std::vector<Counter> counters_of(const Plan& plan, const Measurement& measured) {
  const WakeCounts& wakes = measured.wakes;
  std::vector<Counter> counters{
      {"requests", static_cast<std::int64_t>(measured.loops)},
      {"requests_measured", static_cast<std::int64_t>(measured.completed)},
      {"wake_slept", wakes.slept},
      {"wake_not_slept", wakes.not_slept},
      {"wake_same_cpu", wakes.same_cpu},
      {"wake_same_llc", wakes.same_llc},
      {"wake_other_llc", wakes.other_llc},
      {"wake_unplaced", wakes.unplaced}};
  add_usage(counters, "worker", measured.worker_usage);
  add_usage(counters, "message", measured.message_usage);
  const auto sum = measured.worker_usage + measured.message_usage;
  counters.push_back({"voluntary_switches", sum.voluntary_switches});
  counters.push_back({"involuntary_switches", sum.involuntary_switches});
  if (sum.migrations) counters.push_back({"migrations", *sum.migrations});
  if (sum.run_delay) counters.push_back({"run_delay_ns", sum.run_delay->count()});
  if (plan.options.open_loop()) {
    counters.push_back({"requests_due", static_cast<std::int64_t>(measured.sent)});
    counters.push_back({"backlog_at_end", static_cast<std::int64_t>(measured.backlog)});
    counters.push_back({"injector_held_back", static_cast<std::int64_t>(measured.held_back)});
    counters.push_back({"rate_at_end", measured.final_rate});
  }
  return counters;
}

std::vector<std::string> notes_of(const Plan& plan, const Measurement& measured) {
  std::vector<std::string> notes = plan.notes;
  const double share = measured.sent == 0 ? 0
                                          : 100 * static_cast<double>(measured.backlog) /
                                                static_cast<double>(measured.sent);
  if (plan.options.open_loop() && share > 1) {
    notes.push_back(
        fmt::format("backlog: {} of {} requests ({:.1f}%) were due and not served at "
                    "the end; the machine does not sustain this rate, and the "
                    "latencies grow with the runtime",
                    measured.backlog,
                    measured.sent,
                    share));
  }
  if (plan.options.semantics == Semantics::Native && measured.find("wakeup") == nullptr) {
    notes.emplace_back("no wakeup figures: no worker was woken from sleep in the measured time");
  }
  if (!measured.worker_usage.migrations) {
    notes.emplace_back("migrations not known: /proc/thread-self/sched is not readable here");
  }
  if (!measured.worker_usage.run_delay) {
    notes.emplace_back("run delay not known: the kernel keeps no schedstat");
  }
  return notes;
}

std::string_view mode_name(Semantics semantics) {
  switch (semantics) {
    case Semantics::Native:
      return "native";
    case Semantics::Classic:
      return "classic";
    case Semantics::Era2016:
      return "era-2016";
  }
  return "";
}

}  // namespace

std::vector<Metric> classic_metrics(const Options& options, const ClassicReport& report) {
  std::vector<Metric> metrics;
  if (report.wakeup) add_classic_latency(metrics, "wakeup", *report.wakeup, true);
  if (report.ops_per_second) {
    metrics.push_back(rate("ops_per_sec", *report.ops_per_second, 0.01, true));
    metrics.push_back(transfer(report.bytes_per_second.value_or(0)));
    primary_first(metrics);
    return metrics;
  }
  if (report.request) {
    add_classic_latency(metrics, "request", *report.request, !request_is_empty(options));
  }
  // A run whose -A target was never met has no rate samples: nothing to compare.
  if (report.rps && report.rps->total > 0) add_rps(metrics, *report.rps);
  if (report.average_rps) {
    metrics.push_back(rate("rps_average", *report.average_rps, 0.01, options.operations == 0));
  }
  primary_first(metrics);
  return metrics;
}

RunOutput output_of(const Plan& plan, const Measurement& measured) {
  RunOutput output;
  output.workload = kName;
  output.workload_version = kVersion;
  output.mode = mode_name(plan.options.semantics);
  switch (plan.options.semantics) {
    case Semantics::Native:
      output.metrics = native_metrics(plan, measured);
      break;
    case Semantics::Era2016:
      output.metrics = metrics_of_2016(plan, measured);
      break;
    case Semantics::Classic:
      output.metrics = classic_metrics(plan.options, classic_report(plan, measured));
      break;
  }
  output.histograms = measured.histograms;
  output.series = measured.series;
  output.counters = counters_of(plan, measured);
  output.notes = notes_of(plan, measured);
  return output;
}

}  // namespace schedlab::workload::schbench
