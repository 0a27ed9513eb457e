#include "core/run_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

namespace schedlab {
namespace {

using nlohmann::json;

RunOutput full_output() {
  RunOutput out;
  out.workload = "schbench";
  out.workload_version = "1";
  out.mode = "native";
  out.metrics = {{.name = "wakeup_p99",
                  .value = 12.5,
                  .unit = Unit::Nanoseconds,
                  .direction = Direction::LowerIsBetter,
                  .metric_class = MetricClass::LatencyTail,
                  .resolution = 1,
                  .primary = true},
                 {.name = "rps", .value = 0.1, .unit = Unit::PerSecond}};
  out.histograms.push_back({.name = "wakeup", .unit = Unit::Nanoseconds, .histogram = {}});
  out.histograms[0].histogram.record(77);
  out.histograms[0].histogram.record(123'456'789);
  out.series = {{.name = "rps", .unit = Unit::Count, .interval = Nanos(1'000), .values = {1, 2.5}}};
  out.counters = {{"switches", std::numeric_limits<std::int64_t>::max()}, {"lost", -3}};
  out.notes = {"footprint 4 MiB", "not \xff UTF-8"};
  return out;
}

/// A frame with a right checksum around any fields: what a confused or hostile writer might send.
std::string frame_of(const json& fields) {
  std::string body;
  json::to_cbor(fields, body);
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : body)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  const auto word = [](std::uint64_t value) {
    std::string bytes;
    for (unsigned i = 0; i < 8; ++i)
      bytes.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
    return bytes;
  };
  return "SLABRUN1" + word(body.size()) + body + word(hash);
}

json good_fields() {
  return {
      {"workload", "w"},
      {"version", "1"},
      {"mode", "native"},
      {"metrics",
       json::array({{{"name", "time"},
                     {"value", 1.5},
                     {"unit", "s"},
                     {"direction", "lower"},
                     {"class", "time"},
                     {"resolution", 0},
                     {"primary", true}}})},
      {"histograms", json::array()},
      {"series",
       json::array({{{"name", "rps"}, {"unit", "1/s"}, {"interval_ns", 5}, {"values", {1, 2}}}})},
      {"counters", json::array({{{"name", "n"}, {"value", 3}}})},
      {"notes", json::array({"a"})}};
}

TEST(RunOutputFrame, CarriesEverything) {
  const RunOutput out = full_output();
  const auto back = decode_run_output(encode(out));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, out);
  EXPECT_EQ(decode_run_output(encode(RunOutput())).value(), RunOutput());
}

TEST(RunOutputFrame, CarriesValuesThatAreNotFinite) {
  RunOutput out;
  out.metrics = {{.name = "a", .value = std::numeric_limits<double>::infinity()},
                 {.name = "b", .value = std::nan("")}};
  const auto back = decode_run_output(encode(out));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->metrics[0].value, out.metrics[0].value);
  EXPECT_TRUE(std::isnan(back->metrics[1].value));
}

TEST(RunOutputFrame, IsRefusedWhenTruncatedAnywhere) {
  const std::string frame = encode(full_output());
  for (std::size_t size = 0; size < frame.size(); ++size) {
    ASSERT_FALSE(decode_run_output(frame.substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_run_output(frame + "x"));
  EXPECT_FALSE(decode_run_output(frame + frame));
}

TEST(RunOutputFrame, IsRefusedWhenAnyBitFlips) {
  const std::string frame = encode(full_output());
  for (std::size_t byte = 0; byte < frame.size(); ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string flipped = frame;
      flipped[byte] = static_cast<char>(static_cast<unsigned char>(flipped[byte]) ^ (1U << bit));
      ASSERT_FALSE(decode_run_output(flipped)) << byte << "." << bit;
    }
  }
}

TEST(RunOutputFrame, SaysWhatIsWrong) {
  EXPECT_EQ(decode_run_output("").error().message,
            "cannot read the run's result: the run wrote none");
  EXPECT_EQ(decode_run_output("Time: 1.234\n").error().message,
            "cannot read the run's result: it does not start as one");
  EXPECT_EQ(decode_run_output("SLABRUN1").error().message,
            "cannot read the run's result: it is truncated");
}

TEST(RunOutputFrame, FieldsOfTheWrongTypeAreRefused) {
  ASSERT_TRUE(decode_run_output(frame_of(good_fields())));
  const std::vector<std::pair<std::string, std::function<void(json&)>>> faults = {
      {"no workload", [](json& j) { j.erase("workload"); }},
      {"number as name", [](json& j) { j["workload"] = 5; }},
      {"null for a list", [](json& j) { j["metrics"] = nullptr; }},
      {"object for a list", [](json& j) { j["counters"] = json::object(); }},
      {"text for a list", [](json& j) { j["histograms"] = "none"; }},
      {"number in a list", [](json& j) { j["metrics"] = json::array({1}); }},
      {"unknown unit", [](json& j) { j["metrics"][0]["unit"] = "furlong"; }},
      {"unknown direction", [](json& j) { j["metrics"][0]["direction"] = "sideways"; }},
      {"unknown class", [](json& j) { j["metrics"][0]["class"] = "first"; }},
      {"text as value", [](json& j) { j["metrics"][0]["value"] = "1.5"; }},
      {"flag as value", [](json& j) { j["metrics"][0]["value"] = true; }},
      {"number as flag", [](json& j) { j["metrics"][0]["primary"] = 1; }},
      {"fraction as counter", [](json& j) { j["counters"][0]["value"] = 1.5; }},
      {"counter out of range", [](json& j) { j["counters"][0]["value"] = UINT64_MAX; }},
      {"fraction as interval", [](json& j) { j["series"][0]["interval_ns"] = 1e300; }},
      {"text in a series", [](json& j) { j["series"][0]["values"] = json::array({"x"}); }},
      {"null for notes", [](json& j) { j["notes"] = nullptr; }},
      {"histogram without bytes",
       [](json& j) {
         j["histograms"] = json::array({{{"name", "h"}, {"unit", "ns"}, {"blob", "text"}}});
       }},
      {"histogram of other bytes",
       [](json& j) {
         j["histograms"] =
             json::array({{{"name", "h"}, {"unit", "ns"}, {"blob", json::binary({9, 9, 9})}}});
       }},
  };
  for (const auto& [what, break_it] : faults) {
    json fields = good_fields();
    break_it(fields);
    EXPECT_FALSE(decode_run_output(frame_of(fields))) << what;
  }
  for (const json& top : {json(1), json("x"), json::array(), json()}) {
    EXPECT_FALSE(decode_run_output(frame_of(top))) << top;
  }
}

RunRecord run_with(Nanos length) {
  RunRecord run;
  run.start_monotonic = Nanos(1'000'000);
  run.end_monotonic = run.start_monotonic + length;
  return run;
}

TEST(IsDisturbed, AboveFivePercentOfTheCapacity) {
  RunRecord run = run_with(std::chrono::seconds(10));
  EXPECT_FALSE(is_disturbed(run, 2));
  run.noise.foreign_cpu = std::chrono::milliseconds(1000);
  EXPECT_FALSE(is_disturbed(run, 2)) << "5 % of 20 CPU seconds";
  run.noise.foreign_cpu = std::chrono::milliseconds(1001);
  EXPECT_TRUE(is_disturbed(run, 2));
  EXPECT_FALSE(is_disturbed(run, 4));
}

TEST(IsDisturbed, NotByAFewTicksOfAShortRun) {
  RunRecord run = run_with(std::chrono::milliseconds(100));
  run.noise.foreign_cpu = std::chrono::milliseconds(50);
  run.noise.steal = std::chrono::milliseconds(50);
  EXPECT_FALSE(is_disturbed(run, 2)) << "25 % of 200 ms, but five ticks";
  run.noise.steal = std::chrono::milliseconds(60);
  EXPECT_TRUE(is_disturbed(run, 2));
}

TEST(IsDisturbed, ByStealOrAnyThrottling) {
  RunRecord run = run_with(std::chrono::seconds(10));
  run.noise.steal = std::chrono::seconds(2);
  EXPECT_TRUE(is_disturbed(run, 2));
  run.noise.steal.reset();
  run.noise.throttle_events = 1;
  EXPECT_TRUE(is_disturbed(run, 2));
  run.noise.throttle_events = 0;
  EXPECT_FALSE(is_disturbed(run, 2));
}

TEST(IsDisturbed, RunWithoutLengthDividesByNothing) {
  RunRecord run = run_with(Nanos(0));
  run.noise.steal = std::chrono::seconds(2);
  EXPECT_FALSE(is_disturbed(run, 2));
  EXPECT_FALSE(is_disturbed(run_with(Nanos(5)), 0));
}

TEST(RunRecord, WordsReadBack) {
  for (const auto kind :
       {RunKind::Measured, RunKind::Imported, RunKind::Emulated, RunKind::Simulated})
    EXPECT_EQ(parse_run_kind(to_string(kind)).value(), kind);
  for (const auto outcome :
       {Outcome::Ok, Outcome::Failed, Outcome::TimedOut, Outcome::Killed, Outcome::Interrupted})
    EXPECT_EQ(parse_outcome(to_string(outcome)).value(), outcome);
  EXPECT_FALSE(parse_outcome("OK"));
  EXPECT_FALSE(parse_run_kind(""));
}

TEST(RunOutput, FindsAMetricByName) {
  const RunOutput out = full_output();
  ASSERT_NE(out.find_metric("rps"), nullptr);
  EXPECT_EQ(out.find_metric("rps")->value, 0.1);
  EXPECT_EQ(out.find_metric("rp"), nullptr);
}

}  // namespace
}  // namespace schedlab
