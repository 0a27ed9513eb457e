#include "compare/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace schedlab::compare {

namespace {

bool carries_samples(const RunRecord& run) {
  return !run.output.histograms.empty() || !run.output.series.empty();
}

template <typename Item>
const Item* find_by_name(const std::vector<Item>& items, std::string_view name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

CaseSamples::CaseSamples(const PairedCase& paired, const SampleLookup& lookup) {
  if (!lookup) return;
  for (Runs PairedBlock::*side : {&PairedBlock::base, &PairedBlock::contender}) {
    Runs runs;
    for (const PairedBlock& block : paired.blocks)
      runs.insert(runs.end(), (block.*side).begin(), (block.*side).end());
    look_up(runs, lookup);
  }
}

void CaseSamples::look_up(const Runs& runs, const SampleLookup& lookup) {
  const std::size_t wanted = std::min(runs.size(), kMostSampledRuns);
  for (std::size_t i = 0; i < wanted; ++i) {
    const RunRecord& run = *runs[i * runs.size() / wanted];
    if (carries_samples(run)) continue;
    auto output = lookup(run);
    if (output) {
      looked_up_.emplace(&run, *std::move(output));
      continue;
    }
    if (unreadable_++ == 0) first_error_ = output.error().message;
  }
  if (unreadable_ > 0) {
    trouble_ = fmt::format(
        "samples of {} runs could not be read (first: {})", unreadable_, printable(first_error_));
  }
}

const RunOutput& CaseSamples::output_of(const RunRecord& run) const {
  const auto found = looked_up_.find(&run);
  return found == looked_up_.end() ? run.output : found->second;
}

const NamedHistogram* CaseSamples::histogram(const RunRecord& run, std::string_view name) const {
  return find_by_name(output_of(run).histograms, name);
}

const Series* CaseSamples::series(const RunRecord& run, std::string_view name) const {
  return find_by_name(output_of(run).series, name);
}

}  // namespace schedlab::compare
