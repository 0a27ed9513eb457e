// What a table costs: 200 rows with every check below a second, since a person waits for it; and a
// row of 10^5 blocks in seconds, since none of what is looked at may cost more than about n log n.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "core/rng.h"

namespace schedlab::compare {
namespace {

Metric metric_of(const char* name, double value, Unit unit, MetricClass metric_class) {
  const Direction direction = metric_class == MetricClass::Throughput ? Direction::HigherIsBetter
                                                                      : Direction::LowerIsBetter;
  return {name, value, unit, direction, metric_class, 0, true};
}

Experiment experiment_of(int cases) {
  Experiment experiment;
  experiment.arms = {{"base", "same"}, {"new", "nice=1"}};
  experiment.machine.online_cpus = 8;
  for (int i = 0; i < cases; ++i)
    experiment.cases.push_back("schbench -t " + std::to_string(i + 1));
  return experiment;
}

RunRecord run_of(const std::string& case_name, std::int32_t block, std::int32_t position) {
  const bool outer = position == 0 || position == 3;
  RunRecord run;
  run.arm = outer == (block % 2 == 0) ? "base" : "new";
  run.block = block;
  run.position = position;
  run.case_name = case_name;
  run.boot_id = "boot";
  run.end_monotonic = Nanos{1'000'000'000};
  run.canary = Nanos{50'000'000};
  run.output.workload = "schbench";
  run.output.workload_version = "1";
  run.output.mode = "native";
  return run;
}

// Four metrics in each of `cases` cases, `blocks` blocks of four runs.
std::vector<RunRecord> runs_of(const Experiment& experiment, std::int32_t blocks) {
  std::vector<RunRecord> runs;
  Rng rng(1);
  const auto noisy = [&](double level) { return level * std::exp(0.02 * rng.normal()); };
  for (const std::string& name : experiment.cases) {
    for (std::int32_t block = 0; block < blocks; ++block) {
      for (std::int32_t position = 0; position < 4; ++position) {
        RunRecord& run = runs.emplace_back(run_of(name, block, position));
        run.output.metrics = {
            metric_of("wakeup_p50", noisy(5e3), Unit::Nanoseconds, MetricClass::LatencyMedian),
            metric_of("wakeup_p99", noisy(2e4), Unit::Nanoseconds, MetricClass::LatencyTail),
            metric_of("request_p99", noisy(1e7), Unit::Nanoseconds, MetricClass::LatencyTail),
            metric_of("rps_p50", noisy(3e4), Unit::PerSecond, MetricClass::Throughput)};
      }
    }
  }
  return runs;
}

// What a run of schbench keeps: two histograms and a series of a minute.
RunOutput samples_of(std::uint64_t seed) {
  RunOutput output;
  Rng rng(seed);
  Histogram wakeup;
  Histogram request;
  for (int i = 0; i < 20'000; ++i) {
    wakeup.record(static_cast<std::uint64_t>(5e3 * std::exp(0.6 * rng.normal())));
    request.record(static_cast<std::uint64_t>(7e6 * std::exp(0.2 * rng.normal())));
  }
  Series rps{"rps", Unit::PerSecond, Nanos{1'000'000'000}, {}};
  for (int i = 0; i < 60; ++i)
    rps.values.push_back(3e4 * std::exp(0.05 * rng.normal()));
  output.histograms = {{"wakeup", Unit::Nanoseconds, std::move(wakeup)},
                       {"request", Unit::Nanoseconds, std::move(request)}};
  output.series = {std::move(rps)};
  return output;
}

void table_of_200_rows(benchmark::State& state) {
  const Experiment experiment = experiment_of(50);
  const std::vector<RunRecord> runs = runs_of(experiment, 12);
  std::vector<RunOutput> pool;
  for (std::uint64_t seed = 0; seed < 48; ++seed)
    pool.push_back(samples_of(seed));
  const SampleLookup samples = [&](const RunRecord& run) -> Result<RunOutput> {
    return pool[static_cast<std::size_t>(4 * run.block + run.position) % pool.size()];
  };
  std::size_t rows = 0;
  for (auto _ : state) {
    const auto table = compare(experiment, runs, {}, {}, samples);
    if (!table) return state.SkipWithError(table.error().message.c_str());
    rows = table->rows.size();
    benchmark::DoNotOptimize(table->rows.data());
  }
  state.counters["rows"] = static_cast<double>(rows);
}

BENCHMARK(table_of_200_rows)->Unit(benchmark::kMillisecond);

// Without histograms: what the tests and checks alone cost.
void table_of_200_rows_of_figures(benchmark::State& state) {
  const Experiment experiment = experiment_of(50);
  const std::vector<RunRecord> runs = runs_of(experiment, 12);
  for (auto _ : state) {
    const auto table = compare(experiment, runs, {}, {});
    benchmark::DoNotOptimize(table);
  }
}

BENCHMARK(table_of_200_rows_of_figures)->Unit(benchmark::kMillisecond);

void one_case_of_many_blocks(benchmark::State& state) {
  const Experiment experiment = experiment_of(1);
  std::vector<RunRecord> runs;
  Rng rng(2);
  const auto blocks = static_cast<std::int32_t>(state.range(0));
  for (std::int32_t block = 0; block < blocks; ++block) {
    for (const std::int32_t position : {0, 1}) {
      RunRecord& run = runs.emplace_back(run_of(experiment.cases[0], block, position));
      run.output.notes = {"note of block " + std::to_string(block)};
      const double level = 1 + 0.01 * std::sin(0.001 * block);
      run.output.metrics = {metric_of(
          "time", level * std::exp(0.02 * rng.normal()), Unit::Seconds, MetricClass::Time)};
    }
  }
  for (auto _ : state) {
    const auto table = compare(experiment, runs, {}, {});
    if (!table) return state.SkipWithError(table.error().message.c_str());
    benchmark::DoNotOptimize(table->rows.data());
  }
}

BENCHMARK(one_case_of_many_blocks)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedlab::compare
