#include "store/export_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/text.h"

namespace schedlab::store {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::array<double, 8> kQuantiles = {0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};

std::string dumped(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_utf8(const std::string& text) {
  // The library's own judgement, so that what it would replace is what is called not UTF-8.
  try {
    static_cast<void>(Json(text).dump());
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

Json optional_json(const std::optional<Nanos>& value) {
  return value ? Json(value->count()) : Json(nullptr);
}

Json optional_json(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Metric& metric) {
  return {{"name", metric.name},
          {"value", metric.value},
          {"unit", to_string(metric.unit)},
          {"direction", to_string(metric.direction)},
          {"class", to_string(metric.metric_class)},
          {"resolution", metric.resolution},
          {"primary", metric.primary}};
}

Json to_json(const Counter& counter) {
  return {{"name", counter.name}, {"value", counter.value}};
}

Json to_json(const Series& series) {
  return {{"name", series.name},
          {"unit", to_string(series.unit)},
          {"interval_ns", series.interval.count()},
          {"values", series.values}};
}

Json to_json(const NamedHistogram& item) {
  Json quantiles = Json::object();
  for (const double q : kQuantiles)
    quantiles[fmt::format("{}", q)] = item.histogram.quantile(q);
  return {{"name", item.name},
          {"unit", to_string(item.unit)},
          {"count", item.histogram.count()},
          {"min", item.histogram.min()},
          {"max", item.histogram.max()},
          {"mean", item.histogram.mean()},
          {"quantiles", quantiles},
          {"data_base64", base64(item.histogram.serialise())}};
}

template <typename T>
Json list_json(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items)
    list.push_back(to_json(item));
  return list;
}

Json stopping_json(const StoppingRule& stopping) {
  return {{"when", to_string(stopping.when)},
          {"half_width", stopping.half_width},
          {"looks", stopping.looks},
          {"spending", to_string(stopping.spending)},
          {"delta", stopping.delta ? Json(*stopping.delta) : Json(nullptr)},
          {"futility", stopping.futility},
          {"max_time_ns", stopping.max_time.count()}};
}

Json head_json(const RunRecord& run) {
  return {{"type", "run"},
          {"run", run.id.value},
          {"experiment", run.experiment.value},
          {"block", run.block},
          {"position", run.position},
          {"arm", run.arm},
          {"case", run.case_name},
          {"arguments", run.arguments},
          {"boot", run.boot_id},
          {"build", run.build},
          {"kind", to_string(run.kind)},
          {"outcome", to_string(run.outcome)},
          {"exit_code", run.exit_code},
          {"exit_signal", run.exit_signal},
          {"failure", run.failure},
          {"start_monotonic_ns", run.start_monotonic.count()},
          {"end_monotonic_ns", run.end_monotonic.count()},
          {"start_wall_ns", run.start_wall.count()},
          {"end_wall_ns", run.end_wall.count()},
          {"environment_before", run.environment_before},
          {"environment_after", run.environment_after},
          {"noise_foreign_cpu_ns", optional_json(run.noise.foreign_cpu)},
          {"noise_steal_ns", optional_json(run.noise.steal)},
          {"noise_throttle_events", optional_json(run.noise.throttle_events)},
          {"noise_interrupts", optional_json(run.noise.interrupts)},
          {"canary_ns", optional_json(run.canary)}};
}

/// RFC 4180: quoted when it holds a quote, comma or line end; quotes doubled.
std::string csv_field(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

/// "NaN", "Inf" and "-Inf" are what both R and pandas read as numbers.
std::string csv_field(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string csv_field(std::int64_t value) {
  return fmt::format("{}", value);
}

std::string csv_field(Nanos value) {
  return csv_field(std::int64_t{value.count()});
}

template <typename T>
std::string csv_field(const std::optional<T>& value) {
  return value ? csv_field(*value) : std::string();
}

template <typename... Values>
std::string csv_row(const Values&... values) {
  std::string row;
  std::string_view separator;
  ((row += separator, row += csv_field(values), separator = ","), ...);
  return row;
}

struct CsvColumn {
  std::string_view name;
  std::string (*text)(const RunRecord& run);
};

/// What is the same in every line of a run, in order.
constexpr std::array kRunColumns = {
    CsvColumn{"experiment", [](const RunRecord& run) { return csv_field(run.experiment.value); }},
    CsvColumn{"run", [](const RunRecord& run) { return csv_field(run.id.value); }},
    CsvColumn{"block", [](const RunRecord& run) { return csv_field(std::int64_t{run.block}); }},
    CsvColumn{"position",
              [](const RunRecord& run) { return csv_field(std::int64_t{run.position}); }},
    CsvColumn{"arm", [](const RunRecord& run) { return csv_field(run.arm); }},
    CsvColumn{"case", [](const RunRecord& run) { return csv_field(run.case_name); }},
    CsvColumn{"arguments",
              [](const RunRecord& run) { return csv_field(shell_quote(run.arguments)); }},
    CsvColumn{"kind", [](const RunRecord& run) { return csv_field(to_string(run.kind)); }},
    CsvColumn{"workload", [](const RunRecord& run) { return csv_field(run.output.workload); }},
    CsvColumn{"workload_version",
              [](const RunRecord& run) { return csv_field(run.output.workload_version); }},
    CsvColumn{"mode", [](const RunRecord& run) { return csv_field(run.output.mode); }},
    CsvColumn{"boot", [](const RunRecord& run) { return csv_field(run.boot_id); }},
    CsvColumn{"outcome", [](const RunRecord& run) { return csv_field(to_string(run.outcome)); }},
    CsvColumn{"exit_code",
              [](const RunRecord& run) { return csv_field(std::int64_t{run.exit_code}); }},
    CsvColumn{"exit_signal",
              [](const RunRecord& run) { return csv_field(std::int64_t{run.exit_signal}); }},
    CsvColumn{"failure", [](const RunRecord& run) { return csv_field(run.failure); }},
    CsvColumn{"start_monotonic_ns",
              [](const RunRecord& run) { return csv_field(run.start_monotonic); }},
    CsvColumn{"end_monotonic_ns",
              [](const RunRecord& run) { return csv_field(run.end_monotonic); }},
    CsvColumn{"start_wall_ns", [](const RunRecord& run) { return csv_field(run.start_wall); }},
    CsvColumn{"end_wall_ns", [](const RunRecord& run) { return csv_field(run.end_wall); }},
    CsvColumn{"environment_before",
              [](const RunRecord& run) { return csv_field(run.environment_before); }},
    CsvColumn{"environment_after",
              [](const RunRecord& run) { return csv_field(run.environment_after); }},
    CsvColumn{"noise_foreign_cpu_ns",
              [](const RunRecord& run) { return csv_field(run.noise.foreign_cpu); }},
    CsvColumn{"noise_steal_ns", [](const RunRecord& run) { return csv_field(run.noise.steal); }},
    CsvColumn{"noise_throttle_events",
              [](const RunRecord& run) { return csv_field(run.noise.throttle_events); }},
    CsvColumn{"noise_interrupts",
              [](const RunRecord& run) { return csv_field(run.noise.interrupts); }},
    CsvColumn{"canary_ns", [](const RunRecord& run) { return csv_field(run.canary); }},
};

std::string csv_run(const RunRecord& run) {
  std::string row;
  for (const CsvColumn& column : kRunColumns)
    row += (row.empty() ? "" : ",") + column.text(run);
  return row;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = (group << 8U) | (i < have ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= have ? kAlphabet[(group >> (18 - 6 * i)) & 0x3FU] : '=';
  }
  return out;
}

std::string json_line(const Experiment& experiment) {
  Json arms = Json::array();
  for (const Arm& arm : experiment.arms)
    arms.push_back({{"name", arm.name}, {"spec", arm.spec}});
  const Json machine = {{"hostname", experiment.machine.hostname},
                        {"cpu_model", experiment.machine.cpu_model},
                        {"online_cpus", experiment.machine.online_cpus},
                        {"kernel", experiment.machine.kernel}};
  return dumped({{"type", "experiment"},
                 {"experiment", experiment.id.value},
                 {"kind", to_string(experiment.kind)},
                 {"tool_version", experiment.tool_version},
                 {"command", experiment.command},
                 {"seed", experiment.seed},
                 {"order", experiment.order},
                 {"blocks_planned", experiment.blocks_planned},
                 {"stopping", stopping_json(experiment.stopping)},
                 {"arms", arms},
                 {"cases", experiment.cases},
                 {"machine", machine},
                 {"start_wall_ns", experiment.start_wall.count()}});
}

std::string json_line(const RunRecord& run) {
  Json object = head_json(run);
  object["workload"] = run.output.workload;
  object["workload_version"] = run.output.workload_version;
  object["mode"] = run.output.mode;
  object["metrics"] = list_json(run.output.metrics);
  object["counters"] = list_json(run.output.counters);
  object["histograms"] = list_json(run.output.histograms);
  object["series"] = list_json(run.output.series);
  object["notes"] = run.output.notes;
  if (is_utf8(run.raw_log)) {
    object["raw_log"] = run.raw_log;
  } else {
    object["raw_log_base64"] = base64(run.raw_log);
  }
  return dumped(object);
}

std::string json_line(const RunMark& mark) {
  return dumped({{"type", "mark"},
                 {"run", mark.run.value},
                 {"reason", mark.reason},
                 {"wall_ns", mark.wall.count()}});
}

std::string json_environment_line(const std::string& hash, const std::string& text) {
  return dumped({{"type", "environment"}, {"hash", hash}, {"text", text}});
}

std::string csv_head() {
  std::string head;
  for (const CsvColumn& column : kRunColumns)
    head += std::string(column.name) + ",";
  return head + "source,name,value,unit,direction,class,resolution,primary,build";
}

std::vector<std::string> csv_lines(const RunRecord& run) {
  const std::string head = csv_run(run) + ",";
  std::vector<std::string> lines;
  for (const Metric& metric : run.output.metrics) {
    lines.push_back(head + csv_row(std::string_view("metric"),
                                   metric.name,
                                   metric.value,
                                   to_string(metric.unit),
                                   to_string(metric.direction),
                                   to_string(metric.metric_class),
                                   metric.resolution,
                                   std::int64_t{metric.primary},
                                   run.build));
  }
  for (const Counter& counter : run.output.counters) {
    lines.push_back(head + "counter," + csv_row(std::string_view(counter.name), counter.value) +
                    ",count,,,,," + csv_field(run.build));
  }
  if (lines.empty()) lines.push_back(head + ",,,,,,,," + csv_field(run.build));
  return lines;
}

}  // namespace schedlab::store
