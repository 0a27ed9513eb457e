// The frame of core/run_record.h: 8 bytes magic, 8 bytes length, the CBOR of the fields, 8 bytes
// FNV-1a.

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/fnv1a.h"
#include "core/run_record.h"

namespace schedlab {

namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "SLABRUN1";
constexpr std::size_t kWord = 8;

std::string word_bytes(std::uint64_t value) {
  std::string out;
  for (unsigned i = 0; i < kWord; ++i)
    out.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
  return out;
}

std::uint64_t read_word(std::string_view bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < kWord; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

/// get<std::int64_t>() would take a fraction, or a number past its range, in silence.
Result<std::int64_t> integer_from(const json& j) {
  const bool fits = j.is_number_unsigned()
                        ? j.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max()
                        : j.is_number_integer();
  if (!fits) return failed("cannot read the run's result: a whole number is missing");
  return j.get<std::int64_t>();
}

json to_json(const Metric& m) {
  return {{"name", m.name},
          {"value", m.value},
          {"unit", to_string(m.unit)},
          {"direction", to_string(m.direction)},
          {"class", to_string(m.metric_class)},
          {"resolution", m.resolution},
          {"primary", m.primary}};
}

Result<Metric> metric_from(const json& j) {
  Metric m;
  m.name = j.at("name").get<std::string>();
  m.value = j.at("value").get<double>();
  m.resolution = j.at("resolution").get<double>();
  m.primary = j.at("primary").get<bool>();
  SCHEDLAB_ASSIGN_OR_RETURN(m.unit, parse_unit(j.at("unit").get<std::string>()));
  SCHEDLAB_ASSIGN_OR_RETURN(m.direction, parse_direction(j.at("direction").get<std::string>()));
  SCHEDLAB_ASSIGN_OR_RETURN(m.metric_class, parse_metric_class(j.at("class").get<std::string>()));
  return m;
}

json to_json(const NamedHistogram& h) {
  const std::string blob = h.histogram.serialise();
  return {{"name", h.name},
          {"unit", to_string(h.unit)},
          {"blob", json::binary(std::vector<std::uint8_t>(blob.begin(), blob.end()))}};
}

Result<NamedHistogram> histogram_from(const json& j) {
  NamedHistogram h;
  h.name = j.at("name").get<std::string>();
  SCHEDLAB_ASSIGN_OR_RETURN(h.unit, parse_unit(j.at("unit").get<std::string>()));
  const auto& blob = j.at("blob").get_binary();
  SCHEDLAB_ASSIGN_OR_RETURN(h.histogram,
                            Histogram::deserialise(std::string(blob.begin(), blob.end())));
  return h;
}

json to_json(const Series& s) {
  return {{"name", s.name},
          {"unit", to_string(s.unit)},
          {"interval_ns", s.interval.count()},
          {"values", s.values}};
}

Result<Series> series_from(const json& j) {
  Series s;
  s.name = j.at("name").get<std::string>();
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t interval, integer_from(j.at("interval_ns")));
  s.interval = Nanos(interval);
  s.values = j.at("values").get<std::vector<double>>();
  SCHEDLAB_ASSIGN_OR_RETURN(s.unit, parse_unit(j.at("unit").get<std::string>()));
  return s;
}

json to_json(const Counter& c) {
  return {{"name", c.name}, {"value", c.value}};
}

Result<Counter> counter_from(const json& j) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t value, integer_from(j.at("value")));
  return Counter{j.at("name").get<std::string>(), value};
}

template <typename T>
json list_to_json(const std::vector<T>& items) {
  json out = json::array();
  for (const T& item : items)
    out.push_back(to_json(item));
  return out;
}

template <typename T, typename Read>
Status list_from(const json& list, Read read, std::vector<T>& out) {
  // Iterating over a single value, or over null, would pass for a list of one or none.
  if (!list.is_array()) return failed("cannot read the run's result: a list is missing");
  for (const json& item : list) {
    SCHEDLAB_ASSIGN_OR_RETURN(T value, read(item));
    out.push_back(std::move(value));
  }
  return {};
}

Result<RunOutput> output_from(const json& j) {
  RunOutput out;
  out.workload = j.at("workload").get<std::string>();
  out.workload_version = j.at("version").get<std::string>();
  out.mode = j.at("mode").get<std::string>();
  out.notes = j.at("notes").get<std::vector<std::string>>();
  SCHEDLAB_RETURN_IF_ERROR(list_from(j.at("metrics"), metric_from, out.metrics));
  SCHEDLAB_RETURN_IF_ERROR(list_from(j.at("histograms"), histogram_from, out.histograms));
  SCHEDLAB_RETURN_IF_ERROR(list_from(j.at("series"), series_from, out.series));
  SCHEDLAB_RETURN_IF_ERROR(list_from(j.at("counters"), counter_from, out.counters));
  return out;
}

}  // namespace

std::string encode(const RunOutput& output) {
  const json fields = {{"workload", output.workload},
                       {"version", output.workload_version},
                       {"mode", output.mode},
                       {"metrics", list_to_json(output.metrics)},
                       {"histograms", list_to_json(output.histograms)},
                       {"series", list_to_json(output.series)},
                       {"counters", list_to_json(output.counters)},
                       {"notes", output.notes}};
  std::string body;
  json::to_cbor(fields, body);
  return std::string(kMagic) + word_bytes(body.size()) + body + word_bytes(fnv1a(body));
}

Result<RunOutput> decode_run_output(std::string_view frame) {
  const auto complain = [](std::string_view why) {
    return failed("cannot read the run's result: " + std::string(why));
  };
  if (frame.empty()) return complain("the run wrote none");
  if (frame.substr(0, kMagic.size()) != kMagic) return complain("it does not start as one");
  frame.remove_prefix(kMagic.size());
  if (frame.size() < 2 * kWord) return complain("it is truncated");
  const std::uint64_t length = read_word(frame);
  frame.remove_prefix(kWord);
  if (frame.size() - kWord != length) return complain("it is truncated");
  const std::string_view body = frame.substr(0, length);
  if (read_word(frame.substr(length)) != fnv1a(body)) return complain("its checksum is wrong");
  // The library throws for an array that claims to be larger than memory even when told not to.
  try {
    const json fields = json::from_cbor(body, /*strict=*/true, /*allow_exceptions=*/false);
    if (fields.is_discarded()) return complain("it is not CBOR");
    return output_from(fields);
  } catch (const json::exception& error) {
    return complain(error.what());
  }
}

}  // namespace schedlab
