// compare(): records of one experiment -> effects, intervals, verdicts and what makes them
// doubtful.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "compare/comparison.h"
#include "core/result.h"

namespace schedlab::compare {

struct Options {
  std::string base_arm = "base";
  std::string new_arm = "new";
  std::optional<double> delta = std::nullopt;  // of every row; none: the experiment's, or by class
  double alpha = 0.05;                         // for the interval and the false discovery rate
  bool all_metrics = false;  // also rows of metrics that are not primary (descriptive)
  Correction correction = Correction::BenjaminiHochberg;
};

/// The text of a captured environment by its hash: "item<TAB>value" lines.
using EnvironmentLookup = std::function<Result<std::string>(const std::string& hash)>;

/// Histograms and series of a run whose record came without them.
using SampleLookup = std::function<Result<RunOutput>(const RunRecord& run)>;

/// `samples` is asked for the runs whose records carry neither histograms nor series; without it
/// such rows go without what needs them. Errors: no run of an arm, runs of different kinds or
/// workload versions or modes within one row's arm pair (external against ours is allowed: that is
/// how fidelity is measured, and is noted; but not external schbench against native, see
/// admission.h), unknown arm.
Result<Comparison> compare(const Experiment& experiment,
                           std::span<const RunRecord> runs,
                           const EnvironmentLookup& environment,
                           const Options& options,
                           const SampleLookup& samples = {});

}  // namespace schedlab::compare
