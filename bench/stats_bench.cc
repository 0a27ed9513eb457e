// What an interval costs: BCa with 10,000 resamples of 30 blocks must stay under 20 ms, since a
// table has a few hundred rows and a plan looks again after every block.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/histogram.h"
#include "core/rng.h"
#include "stats/bootstrap.h"
#include "stats/histogram_bootstrap.h"
#include "stats/pairwise.h"
#include "stats/quantile.h"
#include "stats/rank_sum.h"
#include "stats/signed_rank.h"
#include "stats/summary.h"

namespace schedlab::stats {
namespace {

std::vector<double> block_effects(std::size_t n, std::uint64_t seed = 1) {
  Rng rng(seed);
  std::vector<double> effects(n);
  for (double& effect : effects)
    effect = 0.02 + 0.03 * rng.normal();
  return effects;
}

void bca_median(benchmark::State& state) {
  const std::vector<double> effects = block_effects(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    const auto found = bca(effects, median_in_place, {.resamples = 10'000});
    if (!found) state.SkipWithError(found.error().message.c_str());
    benchmark::DoNotOptimize(found);
  }
}

BENCHMARK(bca_median)->Arg(30)->Unit(benchmark::kMillisecond);

void bca_two_medians(benchmark::State& state) {
  const std::vector<double> x = block_effects(30, 1);
  const std::vector<double> y = block_effects(30, 2);
  const auto difference = [](std::span<double> a, std::span<double> b) {
    return median_in_place(a) - median_in_place(b);
  };
  for (auto _ : state) {
    const auto found = bca_two_sample(x, y, difference, {.resamples = 10'000});
    if (!found) state.SkipWithError(found.error().message.c_str());
    benchmark::DoNotOptimize(found);
  }
}

BENCHMARK(bca_two_medians)->Unit(benchmark::kMillisecond);

// 30 boots of 5 runs.
void bca_clustered_median(benchmark::State& state) {
  std::vector<Cluster> boots;
  for (std::uint64_t boot = 0; boot < 30; ++boot)
    boots.push_back(block_effects(5, boot));
  for (auto _ : state) {
    const auto found = bca_clustered(boots, median_in_place, {.resamples = 10'000});
    if (!found) state.SkipWithError(found.error().message.c_str());
    benchmark::DoNotOptimize(found);
  }
}

BENCHMARK(bca_clustered_median)->Unit(benchmark::kMillisecond);

// p99 of 30 boots of 3 runs of 10,000 latencies.
void bca_merged_p99(benchmark::State& state) {
  std::vector<std::vector<Histogram>> runs(30, std::vector<Histogram>(3));
  std::vector<HistogramBoot> boots(runs.size());
  Rng rng(1);
  for (std::size_t boot = 0; boot < runs.size(); ++boot) {
    for (Histogram& run : runs[boot]) {
      for (int i = 0; i < 10'000; ++i)
        run.record(static_cast<std::uint64_t>(8'000 * std::exp(0.6 * rng.normal())));
      boots[boot].push_back(&run);
    }
  }
  for (auto _ : state) {
    const auto found = histogram_quantile_bootstrap(boots, 0.99, {.resamples = 10'000});
    if (!found) state.SkipWithError(found.error().message.c_str());
    benchmark::DoNotOptimize(found);
  }
}

BENCHMARK(bca_merged_p99)->Unit(benchmark::kMillisecond);

void hodges_lehmann_centre(benchmark::State& state) {
  const std::vector<double> values = block_effects(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(hodges_lehmann(values));
}

BENCHMARK(hodges_lehmann_centre)->Arg(30)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

void hodges_lehmann_two_samples(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<double> x = block_effects(n, 1);
  const std::vector<double> y = block_effects(n, 2);
  for (auto _ : state)
    benchmark::DoNotOptimize(hodges_lehmann_shift(x, y));
}

BENCHMARK(hodges_lehmann_two_samples)->Arg(1'000)->Unit(benchmark::kMicrosecond);

void harrell_davis_p99(benchmark::State& state) {
  const std::vector<double> values = block_effects(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(harrell_davis(values, 0.99));
}

BENCHMARK(harrell_davis_p99)->Arg(1'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

void summarise_runs(benchmark::State& state) {
  const std::vector<double> values = block_effects(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(summarise(values));
}

BENCHMARK(summarise_runs)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedlab::stats
