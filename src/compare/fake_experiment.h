// For tests: experiments put together run by run, with nothing measured.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare/compare.h"
#include "core/experiment.h"
#include "core/run_record.h"

namespace schedlab::compare {

inline Metric time_metric(double seconds) {
  return {"time", seconds, Unit::Seconds, Direction::LowerIsBetter, MetricClass::Time, 0, true};
}

inline Metric rate_metric(double per_second) {
  return {"rps",
          per_second,
          Unit::PerSecond,
          Direction::HigherIsBetter,
          MetricClass::Throughput,
          0,
          true};
}

/// An experiment with its runs; add_* append, `run()` gives one to change.
struct FakeExperiment {
  Experiment experiment;
  std::vector<RunRecord> runs;

  FakeExperiment() {
    experiment.arms = {{"base", "same"}, {"new", "nice=5"}, {"control", "same"}};
    experiment.machine.online_cpus = 2;
  }

  RunRecord& add_run(const std::string& arm,
                     std::int32_t block,
                     std::int32_t position,
                     std::vector<Metric> metrics,
                     const std::string& case_name = "case") {
    RunRecord run;
    run.id = RunId{static_cast<std::int64_t>(runs.size()) + 1};
    run.arm = arm;
    run.block = block;
    run.position = position;
    run.case_name = case_name;
    run.boot_id = "boot-1";
    run.start_monotonic = Nanos{0};
    run.end_monotonic = Nanos{1'000'000'000};
    run.output.workload = "fake";
    run.output.workload_version = "1";
    run.output.mode = "native";
    run.output.metrics = std::move(metrics);
    runs.push_back(std::move(run));
    return runs.back();
  }

  /// One block of a time metric in the order base new new base.
  void add_block(std::int32_t block,
                 std::pair<double, double> base,
                 std::pair<double, double> contender) {
    add_run("base", block, 0, {time_metric(base.first)});
    add_run("new", block, 1, {time_metric(contender.first)});
    add_run("new", block, 2, {time_metric(contender.second)});
    add_run("base", block, 3, {time_metric(base.second)});
  }

  /// One block per log-ratio (+ = new faster): base 1 s, new exp(-ratio) s.
  void add_blocks_of_log_ratios(std::span<const double> log_ratios) {
    std::int32_t block = 0;
    for (const double ratio : log_ratios) {
      const double contender = std::exp(-ratio);
      add_block(block++, {1, 1}, {contender, contender});
    }
  }

  [[nodiscard]] Result<Comparison> compare(const Options& options = {}) const {
    return schedlab::compare::compare(experiment, runs, {}, options);
  }
};

}  // namespace schedlab::compare
