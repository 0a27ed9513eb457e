// What the store's tests share: a directory that goes away, and records with every field in use.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX's

#include <filesystem>
#include <string>

#include "core/experiment.h"
#include "core/rng.h"
#include "core/run_record.h"
#include "store/store.h"

namespace schedlab::store {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "store-test-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }

  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string file(const std::string& name = "test.db") const {
    return (path_ / name).string();
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Experiment sample_experiment() {
  Experiment experiment;
  experiment.tool_version = "0.1.0";
  experiment.command = {"schedlab", "ab", "-A", "same", "--seed", "18446744073709551615", "it's"};
  experiment.seed = 18446744073709551615U;
  experiment.order = "ABBA/BAAB";
  experiment.blocks_planned = 12;
  experiment.stopping = {.when = StopWhen::Looks,
                         .half_width = 0,
                         .looks = 4,
                         .spending = Spending::Pocock,
                         .delta = 0.02,
                         .futility = false,
                         .max_time = std::chrono::hours(2)};
  experiment.arms = {{"base", "same"}, {"new", "cpus=0-3,nice=5"}, {"control", "same"}};
  experiment.cases = {"hackbench -p -g 1", "schbench -m 1"};
  experiment.machine = {"box", "A CPU @ 3 GHz", 8, "6.1.0 #1 SMP"};
  experiment.start_wall = Nanos(1'700'000'000'123'456'789);
  return experiment;
}

inline Histogram sample_histogram(std::uint64_t seed, int samples) {
  Histogram histogram;
  Rng rng(seed);
  for (int i = 0; i < samples; ++i)
    histogram.record(rng.below(10'000'000));
  return histogram;
}

/// Every field set, differing by block and position.
inline RunRecord sample_run(ExperimentId experiment, std::int32_t block, std::int32_t position) {
  RunRecord run;
  run.experiment = experiment;
  run.block = block;
  run.position = position;
  run.arm = position % 2 == 0 ? "base" : "new";
  run.case_name = "hackbench -p -g 1";
  run.arguments = {"hackbench", "-p", "-g", "1", "", "a b"};
  run.boot_id = "0a1b2c3d";
  run.build = "align64";
  run.start_monotonic = Nanos(1000 + block);
  run.end_monotonic = Nanos(5'000'000'000 + position);
  run.start_wall = Nanos(1'700'000'000'000'000'001);
  run.end_wall = Nanos(1'700'000'005'000'000'001);
  run.noise = {Nanos(7), std::nullopt, 0, 12345};
  run.canary = Nanos(50'123'456);
  run.output.workload = "hackbench";
  run.output.workload_version = "1";
  run.output.mode = "native";
  run.output.metrics = {
      {"time",
       1.25 + block,
       Unit::Seconds,
       Direction::LowerIsBetter,
       MetricClass::Time,
       0.001,
       true},
      {"wakeup_p99", 1e300, Unit::Nanoseconds, Direction::LowerIsBetter, MetricClass::LatencyTail},
      {"rps", 0.1 + 0.2, Unit::PerSecond, Direction::HigherIsBetter, MetricClass::Throughput}};
  run.output.histograms = {{"wakeup", Unit::Nanoseconds, sample_histogram(1, 50)},
                           {"empty", Unit::Nanoseconds, Histogram()}};
  run.output.series = {{"rps", Unit::PerSecond, Nanos(1'000'000'000), {1.5, -0.0, 1e-300}},
                       {"none", Unit::Count, Nanos(1), {}}};
  run.output.counters = {{"voluntary_switches", 42}, {"lowest", INT64_MIN}};
  run.output.notes = {"footprint 4096 bytes", "line\nbreak"};
  run.raw_log = "Time: 1.250\n" + std::string("\0\xff binary", 9);
  return run;
}

}  // namespace schedlab::store
