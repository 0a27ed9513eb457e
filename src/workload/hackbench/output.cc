#include "workload/hackbench/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace schedlab::workload::hackbench {

namespace {

double seconds(Nanos time) {
  return std::chrono::duration<double>(time).count();
}

struct Quantile {
  std::string_view name;
  double q;
  MetricClass metric_class;
};

constexpr std::array<Quantile, 5> kQuantiles = {{
    {"p50", 0.5, MetricClass::LatencyMedian},
    {"p90", 0.9, MetricClass::LatencyTail},
    {"p99", 0.99, MetricClass::LatencyTail},
    {"p99.9", 0.999, MetricClass::LatencyTail},
    {"max", 1, MetricClass::Other},
}};

std::string_view ipc_word(Ipc ipc) {
  switch (ipc) {
    case Ipc::Pipe:
      return "pipe";
    case Ipc::Inet:
      return "inet";
    case Ipc::Socket:
      break;
  }
  return "socket";
}

std::string_view mode_word(const Options& options) {
  return options.classic ? "classic" : "native";
}

struct GroupSpread {
  Nanos min;
  Nanos max;

  [[nodiscard]] double percent() const {
    return 100 * (seconds(max) - seconds(min)) / seconds(max);
  }
};

std::optional<GroupSpread> spread_of(const Measurement& measurement) {
  if (measurement.group_times.empty()) return std::nullopt;
  const auto [min, max] =
      std::minmax_element(measurement.group_times.begin(), measurement.group_times.end());
  return GroupSpread{*min, *max};
}

Metric time_metric(std::string name, Nanos time, Direction direction) {
  return {.name = std::move(name),
          .value = seconds(time),
          .unit = Unit::Seconds,
          .direction = direction,
          .metric_class = MetricClass::Time,
          .resolution = 1e-9};
}

void add_group_metrics(const Measurement& measurement, std::vector<Metric>& out) {
  const auto spread = spread_of(measurement);
  if (!spread) return;
  out.push_back(time_metric("group_time_min", spread->min, Direction::Descriptive));
  out.push_back(time_metric("group_time_max", spread->max, Direction::Descriptive));
  out.push_back(
      time_metric("group_time_spread", spread->max - spread->min, Direction::Descriptive));
}

void add_latency_metrics(const Histogram& histogram, std::vector<Metric>& out) {
  for (const Quantile& quantile : kQuantiles) {
    const std::uint64_t value = histogram.quantile(quantile.q);
    out.push_back({.name = fmt::format("message_{}", quantile.name),
                   .value = static_cast<double>(value),
                   .unit = Unit::Nanoseconds,
                   .direction = Direction::LowerIsBetter,
                   .metric_class = quantile.metric_class,
                   .resolution = static_cast<double>(Histogram::bucket_width(value))});
  }
}

std::vector<Counter> counters_of(const Measurement& measurement) {
  std::vector<Counter> out = {{"voluntary_switches", measurement.voluntary_switches},
                              {"involuntary_switches", measurement.involuntary_switches},
                              {"messages", measurement.messages}};
  if (measurement.migrations) out.push_back({"migrations", *measurement.migrations});
  if (measurement.message_latency) out.push_back({"unstamped_messages", measurement.unstamped});
  return out;
}

/// Facts a reader of the figures must know, beside those of the pre-flight check.
std::vector<std::string> notes_of(const Measurement& measurement, std::vector<std::string> notes) {
  if (measurement.unstamped > 0) {
    notes.push_back(
        fmt::format("{} of {} messages had no readable time stamp (mixed with others on their "
                    "way) and are missing in the histogram",
                    measurement.unstamped,
                    measurement.messages));
  }
  return notes;
}

std::string row(std::string_view label, std::string_view text) {
  return fmt::format("{:<17}{}\n", label, text);
}

std::string count_text(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string time_text(Nanos time) {
  return format_value(seconds(time), Unit::Seconds);
}

std::string time_rows(const Measurement& measurement) {
  std::string out = row("set-up", time_text(measurement.setup_time) + " until all tasks are ready");
  if (!measurement.message_time) return out;
  out +=
      row("messages", time_text(*measurement.message_time) + " from wake-up to the last message");
  out += row("exit and reap", time_text(measurement.time - *measurement.message_time));
  return out;
}

std::string group_row(const Measurement& measurement) {
  const auto spread = spread_of(measurement);
  if (!spread || measurement.group_times.size() < 2) return {};
  return row("groups",
             fmt::format("{} .. {}, spread {} ({:.1f}%)",
                         time_text(spread->min),
                         time_text(spread->max),
                         time_text(spread->max - spread->min),
                         spread->percent()));
}

std::string latency_row(const Measurement& measurement) {
  if (!measurement.message_latency) return {};
  std::string out;
  for (const Quantile& quantile : kQuantiles) {
    if (quantile.name == "p90") continue;  // a fifth would not fit the line
    const auto value = static_cast<double>(measurement.message_latency->quantile(quantile.q));
    out += fmt::format(
        "{}{} {}", out.empty() ? "" : ", ", quantile.name, format_value(value, Unit::Nanoseconds));
  }
  return row("message latency", out);
}

nlohmann::json latency_json(const Histogram& histogram) {
  nlohmann::json out = {{"count", histogram.count()},
                        {"min_ns", histogram.min()},
                        {"mean_ns", histogram.mean()},
                        {"max_ns", histogram.max()}};
  for (const Quantile& quantile : kQuantiles) {
    if (quantile.q < 1) {
      out[fmt::format("{}_ns", quantile.name)] = histogram.quantile(quantile.q);
    }
  }
  nlohmann::json buckets = nlohmann::json::array();
  for (std::size_t i = 0; i < histogram.buckets().size(); ++i) {
    if (histogram.buckets()[i] == 0) continue;
    buckets.push_back(
        {Histogram::bucket_low(i), Histogram::bucket_high(i), histogram.buckets()[i]});
  }
  out["buckets_ns"] = std::move(buckets);
  return out;
}

nlohmann::json parameters_json(const Options& options) {
  return {{"groups", options.groups},
          {"fds", options.fds},
          {"loops", options.loops},
          {"datasize_bytes", options.datasize},
          {"ipc", ipc_word(options.ipc)},
          {"tasks", options.tasks == TaskKind::Thread ? "threads" : "processes"},
          {"task_count", options.task_count()},
          {"fifo", options.fifo}};
}

}  // namespace

std::vector<Metric> time_metrics(const Options& options, double seconds, double resolution) {
  std::vector<Metric> out;
  out.push_back({.name = "time",
                 .value = seconds,
                 .unit = Unit::Seconds,
                 .direction = Direction::LowerIsBetter,
                 .metric_class = MetricClass::Time,
                 .resolution = resolution,
                 .primary = true});
  if (seconds <= 0) return out;  // under a millisecond in the original's print
  const auto messages = static_cast<double>(options.message_count());
  const double relative_resolution = resolution / seconds;
  const double rate = messages / seconds;
  const double nanos = seconds * 1e9 / messages;
  out.push_back({.name = "messages_per_sec",
                 .value = rate,
                 .unit = Unit::PerSecond,
                 .direction = Direction::HigherIsBetter,
                 .metric_class = MetricClass::Throughput,
                 .resolution = rate * relative_resolution});
  out.push_back({.name = "ns_per_message",
                 .value = nanos,
                 .unit = Unit::Nanoseconds,
                 .direction = Direction::LowerIsBetter,
                 .metric_class = MetricClass::Time,
                 .resolution = nanos * relative_resolution});
  return out;
}

RunOutput to_run_output(const Options& options,
                        const Measurement& measurement,
                        std::vector<std::string> notes) {
  RunOutput out;
  out.workload = kWorkloadName;
  out.workload_version = kWorkloadVersion;
  out.mode = mode_word(options);
  out.metrics = time_metrics(options, seconds(measurement.time), 1e-9);
  out.metrics.push_back(time_metric("setup_time", measurement.setup_time, Direction::Descriptive));
  if (measurement.message_time) {
    const Nanos messages = *measurement.message_time;
    out.metrics.push_back(time_metric("message_time", messages, Direction::LowerIsBetter));
    out.metrics.push_back(
        time_metric("reap_time", measurement.time - messages, Direction::Descriptive));
  }
  add_group_metrics(measurement, out.metrics);
  if (measurement.message_latency) {
    add_latency_metrics(*measurement.message_latency, out.metrics);
    out.histograms.push_back({"message", Unit::Nanoseconds, *measurement.message_latency});
  }
  out.counters = counters_of(measurement);
  out.notes = notes_of(measurement, std::move(notes));
  return out;
}

std::string banner_text(const Options& options) {
  return fmt::format(
      "Running in {} mode with {} groups using {} file descriptors each (== {} tasks)\n"
      "Each sender will pass {} messages of {} bytes\n",
      options.tasks == TaskKind::Thread ? "threaded" : "process",
      options.groups,
      2 * options.fds,
      options.task_count(),
      options.loops,
      options.datasize);
}

std::string time_line(Nanos time) {
  const std::int64_t milliseconds = time.count() / 1'000'000;
  return fmt::format("Time: {}.{:03}\n", milliseconds / 1000, milliseconds % 1000);
}

std::string native_text(const Options& options,
                        const Measurement& measurement,
                        const std::vector<std::string>& notes) {
  const double whole = seconds(measurement.time);
  const auto messages = static_cast<double>(measurement.messages);
  std::string out = time_rows(measurement);
  out += row("rate",
             fmt::format("{}, {} per message, {}",
                         format_value(messages / whole, Unit::PerSecond),
                         format_value(whole * 1e9 / messages, Unit::Nanoseconds),
                         count_text(measurement.messages, "message")));
  out += group_row(measurement);
  out += row(
      "switches",
      fmt::format(
          "{} voluntary, {} involuntary{}",
          measurement.voluntary_switches,
          measurement.involuntary_switches,
          measurement.migrations ? "; " + count_text(*measurement.migrations, "migration") : ""));
  out += latency_row(measurement);
  out += row("mode", mode_word(options));
  for (const std::string& note : notes_of(measurement, notes))
    out += "note: " + note + "\n";
  const std::int64_t micros = measurement.time.count() / 1000;
  out += fmt::format("Time: {}.{:06}\n", micros / 1'000'000, micros % 1'000'000);
  return out;
}

std::string json_text(const Options& options,
                      const Measurement& measurement,
                      const std::vector<std::string>& notes) {
  nlohmann::json out = {{"workload", kWorkloadName},
                        {"workload_version", kWorkloadVersion},
                        {"mode", mode_word(options)},
                        {"parameters", parameters_json(options)},
                        {"time_ns", measurement.time.count()},
                        {"setup_time_ns", measurement.setup_time.count()},
                        {"notes", notes_of(measurement, notes)}};
  if (measurement.message_time) {
    out["message_time_ns"] = measurement.message_time->count();
    out["reap_time_ns"] = (measurement.time - *measurement.message_time).count();
    nlohmann::json groups = nlohmann::json::array();
    for (const Nanos time : measurement.group_times)
      groups.push_back(time.count());
    out["group_times_ns"] = std::move(groups);
  }
  for (const Metric& metric : time_metrics(options, seconds(measurement.time), 1e-9)) {
    if (!metric.primary) out[metric.name] = metric.value;
  }
  for (const Counter& counter : counters_of(measurement))
    out[counter.name] = counter.value;
  if (measurement.message_latency) {
    out["message_latency"] = latency_json(*measurement.message_latency);
  }
  return out.dump(2) + "\n";
}

}  // namespace schedlab::workload::hackbench
