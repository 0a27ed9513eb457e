// What the recorder costs: the histogram's record() sits inside every measured loop, so its goal is
// at most 8 ns per sample on latencies as a loaded machine gives them.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/histogram.h"
#include "core/rng.h"

namespace schedlab {
namespace {

/// Wakeup latencies: log-normal around 8 us, one in a hundred 50 times as long (a preempted
/// worker). A power of two of them, larger than what a branch predictor learns by heart.
std::vector<std::uint64_t> realistic_latencies() {
  constexpr std::size_t kSamples = std::size_t{1} << 16U;
  Rng rng(1);
  std::vector<std::uint64_t> latencies(kSamples);
  for (std::uint64_t& latency : latencies) {
    const double tail = rng.below(100) == 0 ? 50 : 1;
    latency = static_cast<std::uint64_t>(8'000 * tail * std::exp(0.6 * rng.normal()));
  }
  return latencies;
}

Histogram realistic_histogram() {
  Histogram histogram;
  for (const std::uint64_t latency : realistic_latencies())
    histogram.record(latency);
  return histogram;
}

void record_latency(benchmark::State& state) {
  const std::vector<std::uint64_t> latencies = realistic_latencies();
  const std::size_t mask = latencies.size() - 1;
  Histogram histogram;
  std::size_t next = 0;
  for (auto _ : state) {
    histogram.record(latencies[next++ & mask]);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
  if (histogram.count() != static_cast<std::uint64_t>(state.iterations())) {
    state.SkipWithError("samples were lost");
  }
}

BENCHMARK(record_latency);

void quantile_p99(benchmark::State& state) {
  const Histogram histogram = realistic_histogram();
  for (auto _ : state)
    benchmark::DoNotOptimize(histogram.quantile(0.99));
}

BENCHMARK(quantile_p99);

void merge(benchmark::State& state) {
  const Histogram from = realistic_histogram();
  Histogram into;
  for (auto _ : state) {
    into.merge(from);
    benchmark::ClobberMemory();
  }
}

BENCHMARK(merge);

void serialise(benchmark::State& state) {
  const Histogram histogram = realistic_histogram();
  for (auto _ : state)
    benchmark::DoNotOptimize(histogram.serialise());
  state.counters["bytes"] = static_cast<double>(histogram.serialise().size());
}

BENCHMARK(serialise);

void deserialise(benchmark::State& state) {
  const std::string bytes = realistic_histogram().serialise();
  for (auto _ : state) {
    const auto histogram = Histogram::deserialise(bytes);
    if (!histogram) state.SkipWithError("its own bytes were refused");
    benchmark::DoNotOptimize(histogram);
  }
}

BENCHMARK(deserialise);

void rng_next(benchmark::State& state) {
  Rng rng(1);
  for (auto _ : state)
    benchmark::DoNotOptimize(rng.next());
}

BENCHMARK(rng_next);

}  // namespace
}  // namespace schedlab
