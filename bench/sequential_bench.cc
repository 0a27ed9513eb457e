// The stopping rules and diagnostics that a table of many rows runs through.
#include <benchmark/benchmark.h>

#include <vector>

#include "core/rng.h"
#include "stats/autocorrelation.h"
#include "stats/change_points.h"
#include "stats/dip.h"
#include "stats/e_values.h"
#include "stats/group_sequential.h"

namespace {

using schedlab::Rng;

std::vector<double> normal_values(std::size_t n) {
  Rng rng(1);
  std::vector<double> values(n);
  for (double& value : values)
    value = rng.normal();
  return values;
}

void BM_DipTest(benchmark::State& state) {
  const auto values = normal_values(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(schedlab::stats::dip_test(values));
}

BENCHMARK(BM_DipTest)->Arg(30)->Arg(1000)->Arg(1'000'000);

// The usual history: 200 values, one step, 199 permutations a split.
void BM_EDivisive(benchmark::State& state) {
  auto values = normal_values(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = values.size() / 2; i < values.size(); ++i)
    values[i] += 3;
  for (auto _ : state)
    benchmark::DoNotOptimize(schedlab::stats::e_divisive(values));
}

BENCHMARK(BM_EDivisive)->Arg(200)->Unit(benchmark::kMillisecond);

// No change: the slowest case for pruning.
void BM_Pelt(benchmark::State& state) {
  const auto values = normal_values(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(schedlab::stats::pelt(values));
}

BENCHMARK(BM_Pelt)->Arg(200)->Arg(20'000)->Unit(benchmark::kMillisecond);

// One block through both e-processes.
void BM_EValuesPerBlock(benchmark::State& state) {
  const auto values = normal_values(1024);
  schedlab::stats::SignProcess sign;
  schedlab::stats::TMixtureProcess t;
  std::size_t i = 0;
  for (auto _ : state) {
    sign.add(values[i % values.size()]);
    t.add(values[i % values.size()]);
    ++i;
    benchmark::DoNotOptimize(sign.log_e_max());
    benchmark::DoNotOptimize(t.log_e_max());
  }
}

BENCHMARK(BM_EValuesPerBlock);

void BM_GroupBoundaries(benchmark::State& state) {
  using schedlab::stats::BoundaryShape;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        schedlab::stats::group_boundaries(BoundaryShape::OBrienFleming, 5, 0.05));
}

BENCHMARK(BM_GroupBoundaries)->Unit(benchmark::kMillisecond);

void BM_EffectiveSize(benchmark::State& state) {
  const auto values = normal_values(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(schedlab::stats::effective_size(values));
}

BENCHMARK(BM_EffectiveSize)->Arg(1000)->Arg(1'000'000);

}  // namespace
