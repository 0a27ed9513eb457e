// The histograms and series of a case's runs, at hand while its rows are made and gone after.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "compare/compare.h"
#include "compare/pairing.h"

namespace schedlab::compare {

/// Runs of an arm whose samples are looked up at most: the rest would not fit in memory.
inline constexpr std::size_t kMostSampledRuns = 200;

class CaseSamples {
 public:
  /// None at all: for rows that are not to look.
  CaseSamples() = default;

  /// Of the runs in the case's complete blocks. Records that carry samples are used as they are;
  /// others are looked up, spread evenly over the arm when there are more than kMostSampledRuns.
  CaseSamples(const PairedCase& paired, const SampleLookup& lookup);

  /// Null when the run kept none, or was not looked up.
  [[nodiscard]] const NamedHistogram* histogram(const RunRecord& run, std::string_view name) const;
  [[nodiscard]] const Series* series(const RunRecord& run, std::string_view name) const;

  /// What went wrong, one line; empty when nothing.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  void look_up(const Runs& runs, const SampleLookup& lookup);
  [[nodiscard]] const RunOutput& output_of(const RunRecord& run) const;

  std::unordered_map<const RunRecord*, RunOutput> looked_up_;
  std::size_t unreadable_ = 0;
  std::string first_error_;
  std::string trouble_;
};

}  // namespace schedlab::compare
