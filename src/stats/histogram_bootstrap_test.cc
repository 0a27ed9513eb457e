#include "stats/histogram_bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/rng.h"

namespace schedlab::stats {
namespace {

// Runs of latencies: an arm's level, a factor for each boot, log-normal samples.
struct RecordedArm {
  std::vector<std::vector<Histogram>> runs;
  std::vector<HistogramBoot> boots;

  RecordedArm(double level, double boot_sd, std::size_t boot_count, std::uint64_t seed) {
    Rng rng(seed);
    runs.resize(boot_count);
    boots.resize(boot_count);
    for (std::size_t boot = 0; boot < boot_count; ++boot) {
      const double of_boot = level * std::exp(boot_sd * rng.normal());
      for (int run = 0; run < 3; ++run) {
        Histogram histogram;
        for (int i = 0; i < 1'000; ++i)
          histogram.record(static_cast<std::uint64_t>(of_boot * std::exp(0.5 * rng.normal())));
        runs[boot].push_back(std::move(histogram));
      }
    }
    for (std::size_t boot = 0; boot < boot_count; ++boot)
      for (const Histogram& histogram : runs[boot])
        boots[boot].push_back(&histogram);
  }
};

TEST(HistogramBootstrap, EstimatesTheQuantileOfEverythingMerged) {
  const RecordedArm arm(20'000, 0.05, 6, 1);
  Histogram merged;
  for (const auto& boot : arm.runs)
    for (const Histogram& run : boot)
      merged.merge(run);
  for (const double q : {0.5, 0.9, 0.99}) {
    const auto found = histogram_quantile_bootstrap(arm.boots, q, {.resamples = 500});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->value, static_cast<double>(merged.quantile(q)));
    EXPECT_EQ(found->bin_width, static_cast<double>(Histogram::bucket_width(merged.quantile(q))));
    EXPECT_LT(found->low, found->value);
    EXPECT_GT(found->high, found->value);
  }
}

// Samples by the thousand inside few boots say little about other boots.
TEST(HistogramBootstrap, WidthComesFromBootsNotSamples) {
  const RecordedArm scattered(20'000, 0.05, 8, 1);
  const auto clustered = histogram_quantile_bootstrap(scattered.boots, 0.5, {});
  ASSERT_TRUE(clustered);
  Histogram merged;
  for (const auto& boot : scattered.runs)
    for (const Histogram& run : boot)
      merged.merge(run);
  const auto by_ranks = quantile_interval(merged, 0.5, 0.95);
  ASSERT_TRUE(by_ranks);
  EXPECT_GT(clustered->high - clustered->low, 1.5 * (by_ranks->high - by_ranks->low));
}

TEST(HistogramBootstrap, FindsARatioAndItsInverse) {
  const RecordedArm slow(22'000, 0.02, 8, 1);
  const RecordedArm fast(20'000, 0.02, 8, 2);
  const auto there = histogram_quantile_ratio(slow.boots, fast.boots, 0.9, {.resamples = 2'000});
  const auto back = histogram_quantile_ratio(fast.boots, slow.boots, 0.9, {.resamples = 2'000});
  ASSERT_TRUE(there && back);
  EXPECT_GT(there->log_ratio.interval.low, std::log(1.03));
  EXPECT_LT(there->log_ratio.interval.high, std::log(1.17));
  EXPECT_TRUE(there->log_ratio.interval.contains(there->log_ratio.estimate));
  EXPECT_EQ(there->log_ratio.interval.low, -back->log_ratio.interval.high);
  EXPECT_EQ(there->log_ratio.interval.high, -back->log_ratio.interval.low);
}

TEST(HistogramBootstrap, CarriesTheCoarserStep) {
  const RecordedArm arm(20'000, 0.05, 6, 1);
  const auto found = histogram_quantile_bootstrap(arm.boots, 0.5, {.resamples = 500}, 1'000);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bin_width, 1'000);
  EXPECT_TRUE(found->resolution_limited(0.01));
  const auto ratio = histogram_quantile_ratio(arm.boots, arm.boots, 0.5, {.resamples = 500}, 1'000);
  ASSERT_TRUE(ratio);
  EXPECT_TRUE(ratio->resolution_limited(0.01));
  EXPECT_FALSE(ratio->resolution_limited(0.10));
}

TEST(HistogramBootstrap, RefusesWhatItCannotAnswer) {
  const RecordedArm arm(20'000, 0.05, 5, 1);
  const RecordedArm few(20'000, 0.05, 3, 1);
  const Histogram empty;
  std::vector<HistogramBoot> with_empty_run = arm.boots;
  with_empty_run[2][1] = &empty;
  std::vector<HistogramBoot> without_runs = arm.boots;
  without_runs[0].clear();
  EXPECT_FALSE(histogram_quantile_bootstrap({}, 0.5));
  EXPECT_FALSE(histogram_quantile_bootstrap(few.boots, 0.5));
  EXPECT_FALSE(histogram_quantile_bootstrap(with_empty_run, 0.5));
  EXPECT_FALSE(histogram_quantile_bootstrap(without_runs, 0.5));
  EXPECT_FALSE(histogram_quantile_bootstrap(arm.boots, 1));
  EXPECT_FALSE(histogram_quantile_bootstrap(arm.boots, std::nan("")));
  EXPECT_FALSE(histogram_quantile_ratio(arm.boots, few.boots, 0.5));
  Histogram one_value;
  one_value.record_many(100, 50);
  const std::vector<HistogramBoot> constant(6, HistogramBoot{&one_value});
  EXPECT_FALSE(histogram_quantile_bootstrap(constant, 0.5));
}

}  // namespace
}  // namespace schedlab::stats
