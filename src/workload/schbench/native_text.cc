#include "workload/schbench/native_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace schedlab::workload::schbench {

namespace {

constexpr std::size_t kCounterColumn = 30;

std::string row_of(const NamedHistogram& named) {
  const auto at = [&](double q) {
    return format_value(static_cast<double>(named.histogram.quantile(q)), named.unit);
  };
  return fmt::format("{:<15}{:>11}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
                     named.name,
                     named.histogram.count(),
                     at(0.5),
                     at(0.9),
                     at(0.99),
                     at(0.999),
                     format_value(static_cast<double>(named.histogram.max()), named.unit));
}

std::string rates_of(const RunOutput& output) {
  std::string text;
  for (const Metric& metric : output.metrics) {
    if (metric.unit != Unit::PerSecond && metric.unit != Unit::BytesPerSecond) continue;
    text += fmt::format("{:<15}{:>11}\n", metric.name, format_value(metric.value, metric.unit));
  }
  return text;
}

std::string series_of(const Series& series) {
  if (series.values.size() < 2) return {};
  const auto [low, high] = std::minmax_element(series.values.begin(), series.values.end());
  return fmt::format("per {} {}: {} to {} over {} intervals\n",
                     format_duration(series.interval),
                     series.name,
                     format_value(*low, series.unit),
                     format_value(*high, series.unit),
                     series.values.size());
}

std::string counters_of(const RunOutput& output) {
  std::string text;
  std::string line;
  for (const Counter& counter : output.counters) {
    const std::string cell = fmt::format("{} {}", counter.name, counter.value);
    if (!line.empty() && line.size() + cell.size() > 78) {
      text += line + "\n";
      line.clear();
    }
    const std::size_t column = (line.size() + kCounterColumn - 1) / kCounterColumn * kCounterColumn;
    line.resize(column, ' ');
    line += cell + "  ";
  }
  return text + line + "\n";
}

}  // namespace

std::string native_text(const RunOutput& output, const std::string& title) {
  std::string text = fmt::format("{} ({} mode)\n", title, output.mode);
  text += fmt::format("{:<15}{:>11}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
                      "latency",
                      "samples",
                      "p50",
                      "p90",
                      "p99",
                      "p99.9",
                      "max");
  for (const NamedHistogram& named : output.histograms)
    text += row_of(named);
  text += "\n" + rates_of(output);
  for (const Series& series : output.series)
    text += series_of(series);
  text += "\n" + counters_of(output);
  for (const std::string& note : output.notes)
    text += "note: " + note + "\n";
  return text;
}

std::string native_json(const RunOutput& output, const std::string& title) {
  nlohmann::ordered_json json;
  json["workload"] = output.workload;
  json["workload_version"] = output.workload_version;
  json["mode"] = output.mode;
  json["command"] = title;
  for (const Metric& metric : output.metrics) {
    json["metrics"][metric.name] = {{"value", metric.value},
                                    {"unit", to_string(metric.unit)},
                                    {"direction", to_string(metric.direction)},
                                    {"resolution", metric.resolution},
                                    {"primary", metric.primary}};
  }
  for (const NamedHistogram& named : output.histograms) {
    const Histogram& histogram = named.histogram;
    json["histograms"][named.name + "_ns"] = {{"count", histogram.count()},
                                              {"min", histogram.min()},
                                              {"p50", histogram.quantile(0.5)},
                                              {"p90", histogram.quantile(0.9)},
                                              {"p99", histogram.quantile(0.99)},
                                              {"p99.9", histogram.quantile(0.999)},
                                              {"max", histogram.max()},
                                              {"mean", histogram.mean()}};
  }
  for (const Series& series : output.series) {
    json["series"][series.name] = {{"unit", to_string(series.unit)},
                                   {"interval_ns", series.interval.count()},
                                   {"values", series.values}};
  }
  for (const Counter& counter : output.counters)
    json["counters"][counter.name] = counter.value;
  json["notes"] = output.notes;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace schedlab::workload::schbench
