#include "workload/hackbench/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/text.h"

namespace schedlab::workload::hackbench {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Nanos kMillisecond = std::chrono::milliseconds(1);

const Options kOptions = {.groups = 2, .loops = 1000};

Measurement sample() {
  Measurement out;
  out.setup_time = 4 * kMillisecond;
  out.time = Nanos(340'999'999);
  out.message_time = 338 * kMillisecond;
  out.group_times = {320 * kMillisecond, 338 * kMillisecond};
  out.migrations = 1;
  out.voluntary_switches = 37'000;
  out.involuntary_switches = 12;
  out.messages = 800'000;
  return out;
}

double value_of(const RunOutput& output, std::string_view name) {
  const Metric* metric = output.find_metric(name);
  return metric == nullptr ? -1 : metric->value;
}

TEST(Output, TheTimeLineIsCutOffNotRounded) {
  EXPECT_EQ(time_line(Nanos(340'999'999)), "Time: 0.340\n");
  EXPECT_EQ(time_line(Nanos(0)), "Time: 0.000\n");
  EXPECT_EQ(time_line(Nanos(12'001'000'000)), "Time: 12.001\n");
}

TEST(Output, TheBannerIsTheOriginals) {
  EXPECT_EQ(banner_text({.groups = 1, .loops = 1000}),
            "Running in process mode with 1 groups using 40 file descriptors each (== 40 tasks)\n"
            "Each sender will pass 1000 messages of 100 bytes\n");
  EXPECT_THAT(banner_text({.tasks = TaskKind::Thread}), HasSubstr("Running in threaded mode with"));
}

TEST(Output, TimeIsTheOnlyPrimaryMetric) {
  const RunOutput output = to_run_output(kOptions, sample(), {"a note"});
  for (const Metric& metric : output.metrics)
    EXPECT_EQ(metric.primary, metric.name == "time") << metric.name;
  EXPECT_EQ(output.mode, "native");
  EXPECT_EQ(output.notes, std::vector<std::string>{"a note"});
  EXPECT_DOUBLE_EQ(value_of(output, "time"), 0.340999999);
  EXPECT_DOUBLE_EQ(value_of(output, "setup_time"), 0.004);
  EXPECT_DOUBLE_EQ(value_of(output, "message_time"), 0.338);
  EXPECT_NEAR(value_of(output, "reap_time"), 0.002999999, 1e-12);
  EXPECT_DOUBLE_EQ(value_of(output, "group_time_min"), 0.320);
  EXPECT_DOUBLE_EQ(value_of(output, "group_time_max"), 0.338);
  EXPECT_NEAR(value_of(output, "group_time_spread"), 0.018, 1e-12);
  EXPECT_NEAR(value_of(output, "ns_per_message"), 426.25, 0.01);
}

TEST(Output, AClassicRunClaimsNothingItDidNotMeasure) {
  Options options = kOptions;
  options.classic = true;
  Measurement measurement = sample();
  measurement.message_time.reset();
  measurement.group_times.clear();
  measurement.migrations.reset();
  const RunOutput output = to_run_output(options, measurement, {});
  EXPECT_EQ(output.mode, "classic");
  EXPECT_EQ(output.find_metric("message_time"), nullptr);
  EXPECT_EQ(output.find_metric("group_time_min"), nullptr);
  for (const Counter& counter : output.counters)
    EXPECT_NE(counter.name, "migrations");
  const std::string text = native_text(options, measurement, {});
  EXPECT_THAT(text, Not(HasSubstr("groups")));
  EXPECT_THAT(text, Not(HasSubstr("migration")));
}

TEST(Output, NativeTextFitsEightyColumnsAndEndsInTime) {
  Measurement measurement = sample();
  measurement.message_latency.emplace();
  for (std::uint64_t i = 1; i <= 1000; ++i)
    measurement.message_latency->record(i * 123'456);
  const std::string text = native_text(kOptions, measurement, {});
  for (const std::string_view line : split(text, '\n'))
    EXPECT_LE(line.size(), 80U) << line;
  EXPECT_TRUE(text.ends_with("\nTime: 0.340999\n")) << text;
  EXPECT_THAT(text, HasSubstr("; 1 migration\n"));
  EXPECT_THAT(text, HasSubstr("message latency  p50 61."));
}

TEST(Output, MissingStampsAreNoted) {
  Measurement measurement = sample();
  measurement.message_latency.emplace();
  measurement.unstamped = 3;
  const RunOutput output = to_run_output(kOptions, measurement, {});
  ASSERT_EQ(output.notes.size(), 1U);
  EXPECT_THAT(output.notes.front(), HasSubstr("3 of 800000 messages had no readable time stamp"));
}

TEST(Output, JsonHoldsTheFigures) {
  Measurement measurement = sample();
  measurement.message_latency.emplace();
  measurement.message_latency->record_many(700, 800'000);
  const auto json = nlohmann::json::parse(json_text(kOptions, measurement, {"a note"}));
  EXPECT_EQ(json.at("time_ns"), 340'999'999);
  EXPECT_EQ(json.at("group_times_ns").size(), 2U);
  EXPECT_EQ(json.at("reap_time_ns"), 2'999'999);
  EXPECT_EQ(json.at("migrations"), 1);
  EXPECT_EQ(json.at("parameters").at("ipc"), "socket");
  EXPECT_EQ(json.at("message_latency").at("count"), 800'000);
  EXPECT_EQ(json.at("message_latency").at("buckets_ns").at(0).at(2), 800'000);
  EXPECT_EQ(json.at("notes").at(0), "a note");
}

}  // namespace
}  // namespace schedlab::workload::hackbench
