// Checks of what lies below a run's value: its series, and all runs' histograms merged.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/checks.h"
#include "compare/phrases.h"
#include "core/text.h"
#include "stats/autocorrelation.h"
#include "stats/distributions.h"
#include "stats/histogram_bootstrap.h"
#include "stats/summary.h"
#include "stats/warmup.h"

namespace schedlab::compare {

namespace {

struct QuantileName {
  std::string stem;
  double q = 0;
};

// "wakeup_p99" -> wakeup, 0.99; "x_p999" -> x, 0.999; "x_p5" -> x, 0.05.
std::optional<QuantileName> parse_quantile(std::string_view metric) {
  const std::size_t at = metric.rfind("_p");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view digits = metric.substr(at + 2);
  constexpr std::size_t kMostDigits = 6;
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  double value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  const auto places = static_cast<double>(std::max<std::size_t>(2, digits.size()));
  const double q = value / std::pow(10.0, places);
  if (!(q > 0 && q < 1)) return std::nullopt;
  return QuantileName{std::string(metric.substr(0, at)), q};
}

// The series of the metric itself, or of what it is a percentile of.
const Series* series_for(const CaseSamples& samples,
                         const RunRecord& run,
                         const std::string& metric,
                         const std::optional<QuantileName>& quantile) {
  if (const Series* own = samples.series(run, metric)) return own;
  return quantile ? samples.series(run, quantile->stem) : nullptr;
}

// What the runs' series of one metric have in common.
struct SeriesTally {
  std::string name;
  std::size_t runs = 0;
  std::vector<double> lengths;
  std::vector<double> r1;
  std::vector<double> effective;
  std::size_t remembering = 0;  // Ljung-Box p < 0.05
  std::size_t looked_for_warmup = 0;
  std::vector<double> discarded;  // of the runs with a cut
  std::size_t unsettled = 0;
  std::size_t rising = 0;         // runs whose start lies below the rest
  std::vector<double> start_off;  // (mean of the start - mean of the rest) / mean of the rest
};

void add_warmup(SeriesTally& tally, std::span<const double> values) {
  if (values.size() < stats::kWarmupFewest) return;
  const auto warmup = stats::find_warmup(values);
  if (!warmup) return;
  ++tally.looked_for_warmup;
  if (!warmup->settled) ++tally.unsettled;
  if (warmup->discard == 0) return;
  const double rest = stats::mean(values.subspan(warmup->discard));
  const double start = stats::mean(values.first(warmup->discard));
  tally.discarded.push_back(static_cast<double>(warmup->discard));
  if (rest != 0) tally.start_off.push_back(start / rest - 1);
  tally.rising += start < rest ? 1U : 0U;
}

void add_series(SeriesTally& tally, const Series& series) {
  constexpr std::size_t kFewest = 8;
  constexpr std::size_t kMostLags = 10;
  const std::span<const double> values(series.values);
  if (values.size() < kFewest) return;
  const auto r = stats::autocorrelations(values, 1);
  const auto box = stats::ljung_box(values, std::min(kMostLags, values.size() / 4));
  const auto size = stats::effective_size(values);
  if (!r || !box || !size) return;
  tally.name = series.name;
  ++tally.runs;
  tally.lengths.push_back(static_cast<double>(values.size()));
  tally.r1.push_back(r->front());
  tally.effective.push_back(size->n);
  tally.remembering += box->p < kAlarmLevel ? 1U : 0U;
  add_warmup(tally, values);
}

void add_memory_check(Row& row, const SeriesTally& tally) {
  Check check;
  check.name = "series";
  check.sentence = fmt::format(
      "{}: median lag-1 correlation {:+.2f} in {}, {} with Ljung-Box p below 0.05; a run's "
      "{:.0f} values count as about {:.0f}, which is why a run is one value",
      printable(tally.name),
      stats::median(tally.r1),
      plural(tally.runs, "run"),
      tally.remembering,
      stats::median(tally.lengths),
      stats::median(tally.effective));
  check.figures = {{"runs", static_cast<double>(tally.runs)},
                   {"values", stats::median(tally.lengths)},
                   {"r1", stats::median(tally.r1)},
                   {"remembering", static_cast<double>(tally.remembering)},
                   {"effective", stats::median(tally.effective)}};
  add_check(row, std::move(check));
}

// Chance cuts a start off too, but not the same way in run after run: sign test.
bool starts_alike(const SeriesTally& tally) {
  const auto cut = static_cast<std::int64_t>(tally.discarded.size());
  const auto rising = static_cast<std::int64_t>(tally.rising);
  const std::int64_t fewer = std::min(rising, cut - rising);
  return 2 * stats::fair_binomial_cdf(fewer, cut) < kAlarmLevel;
}

void add_warmup_check(Row& row, const SeriesTally& tally) {
  if (tally.looked_for_warmup == 0) return;
  const std::size_t cut = tally.discarded.size();
  const double off = stats::median(tally.start_off);
  Check check;
  check.name = "warmup";
  check.warns = 2 * cut >= tally.looked_for_warmup && starts_alike(tally);
  check.sentence = fmt::format(
      "{}: MSER-5 would cut the start of {} of {} runs (median {:.0f} values, "
      "{} against the rest); {} never settled",
      printable(tally.name),
      cut,
      tally.looked_for_warmup,
      stats::median(tally.discarded),
      signed_percent(off),
      tally.unsettled);
  if (check.warns) {
    check.flag = fmt::format("warm-up: first {:.0f} of {:.0f} values of {} are {} ({} of {} runs)",
                             stats::median(tally.discarded),
                             stats::median(tally.lengths),
                             printable(tally.name),
                             signed_percent(off),
                             cut,
                             tally.looked_for_warmup);
  }
  check.figures = {{"runs", static_cast<double>(tally.looked_for_warmup)},
                   {"cut", static_cast<double>(cut)},
                   {"discard", stats::median(tally.discarded)},
                   {"start_off", off},
                   {"unsettled", static_cast<double>(tally.unsettled)}};
  add_check(row, std::move(check));
}

// The histograms of each replicate's runs. Empty when a run has none of that name.
std::vector<stats::HistogramBoot> histograms_of(const MetricBlocks& data,
                                                const CaseSamples& samples,
                                                std::string_view name,
                                                Runs PairedBlock::*side,
                                                const std::vector<std::size_t>& groups) {
  std::vector<stats::HistogramBoot> boots;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    boots.resize(std::max(boots.size(), groups[i] + 1));
    for (const RunRecord* run : data.blocks[i]->*side) {
      const NamedHistogram* found = samples.histogram(*run, name);
      const bool usable =
          found != nullptr && !found->histogram.empty() && found->unit == Unit::Nanoseconds;
      if (!usable || ++runs > 2 * kMostSampledRuns) return {};
      boots[groups[i]].push_back(&found->histogram);
    }
  }
  std::erase_if(boots, [](const stats::HistogramBoot& boot) { return boot.empty(); });
  return boots;
}

std::vector<std::size_t> groups_of(const Row& row,
                                   const MetricBlocks& data,
                                   std::size_t PairedBlock::*unit) {
  std::vector<std::size_t> groups;
  for (const PairedBlock* block : data.blocks) {
    groups.push_back(row.replication.paired ? block->replicate : block->*unit);
  }
  return groups;
}

MergedQuantile merged_of(const Row& row, double q, const stats::QuantileRatio& found) {
  const bool less_is_better = row.metric.direction == Direction::LowerIsBetter;
  const auto ratio = [&](double log) { return std::exp(less_is_better ? -log : log); };
  MergedQuantile merged;
  merged.q = q;
  merged.contender = found.x.value;
  merged.base = found.y.value;
  merged.bin_width = std::max(found.x.bin_width, found.y.bin_width);
  merged.difference = merged.contender - merged.base;
  merged.ratio = ratio(found.log_ratio.estimate);
  const double low = ratio(found.log_ratio.interval.low);
  const double high = ratio(found.log_ratio.interval.high);
  merged.interval95 = {std::min(low, high), std::max(low, high)};
  merged.resolution_limited = found.resolution_limited(row.delta);
  return merged;
}

}  // namespace

void check_series(Row& row, const PairedCase& paired, const CaseSamples& samples) {
  constexpr std::size_t kMostRuns = 32;  // of each arm: enough to see what they share
  const auto quantile = parse_quantile(row.metric.name);
  SeriesTally tally;
  for (Runs PairedBlock::*side : {&PairedBlock::base, &PairedBlock::contender}) {
    std::size_t looked = 0;
    for (const PairedBlock& block : paired.blocks) {
      for (const RunRecord* run : block.*side) {
        if (looked == kMostRuns) break;
        const Series* series = series_for(samples, *run, row.metric.name, quantile);
        if (series == nullptr) continue;
        ++looked;
        add_series(tally, *series);
      }
    }
  }
  if (tally.runs == 0) return;
  add_memory_check(row, tally);
  add_warmup_check(row, tally);
}

void add_merged_quantile(Row& row,
                         const MetricBlocks& data,
                         const CaseSamples& samples,
                         std::uint64_t seed) {
  constexpr std::size_t kResamples = 1'000;  // a table has hundreds of rows
  const bool is_latency = row.metric.metric_class == MetricClass::LatencyMedian ||
                          row.metric.metric_class == MetricClass::LatencyTail;
  if (!is_latency || row.metric.unit != Unit::Nanoseconds || data.blocks.empty()) return;
  const auto quantile = parse_quantile(row.metric.name);
  if (!quantile) return;
  const auto base = histograms_of(data,
                                  samples,
                                  quantile->stem,
                                  &PairedBlock::base,
                                  groups_of(row, data, &PairedBlock::base_unit));
  const auto contender = histograms_of(data,
                                       samples,
                                       quantile->stem,
                                       &PairedBlock::contender,
                                       groups_of(row, data, &PairedBlock::contender_unit));
  if (base.empty() || contender.empty()) return;
  const auto found = stats::histogram_quantile_ratio(
      contender, base, quantile->q, {.seed = seed, .resamples = kResamples}, row.metric.resolution);
  if (found) {
    row.merged = merged_of(row, quantile->q, *found);
    return;
  }
  Check check;
  check.name = "merged";
  check.sentence = "all samples together: no interval: " + found.error().message;
  add_check(row, std::move(check));
}

}  // namespace schedlab::compare
