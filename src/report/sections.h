// Sections: the rows of a comparison as the mailing list's tables have them, one table per
// benchmark and metric, a line per load (groups of hackbench, workers of schbench).
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"

namespace schedlab::report {

struct SectionLine {
  std::string load;  // "4"; empty when the case does not say
  const compare::Row* row = nullptr;
};

struct Section {
  std::string test;  // the case without its load: "hackbench -p -T"
  std::string workload;
  Metric metric;  // of all lines
  std::vector<SectionLine> lines;
};

/// In order of the rows; they point into `comparison`, which must outlive them. Text is safe to
/// print.
std::vector<Section> sections_of(const compare::Comparison& comparison);

/// "4-groups", "16-workers", "default".
std::string load_label(const Section& section, const SectionLine& line);

/// What these tables give of an arm's runs: Median for schbench; else the arithmetic mean where
/// lower is better and the harmonic where higher is.
enum class Statistic { AMean, HMean, Median };

Statistic statistic_of(const Section& section);
std::string_view to_string(Statistic statistic);
double central(const compare::ArmSummary& arm, Statistic statistic);

/// Whether more counts as +: a metric without a direction is shown as it changed.
bool more_is_plus(const Metric& metric);

/// "higher is better", "lower is better", "no better direction".
std::string_view direction_words(const Metric& metric);

/// A unit that figures are divided into.
struct ShownUnit {
  double factor = 1;  // value / factor is shown
  std::string name;   // "s", "us", "MB/s"
};

/// The largest unit in which every base figure of the section is at least 1.
ShownUnit shown_unit(const Section& section);

/// "time", "99th percentile wakeup latency", "median requests per second"; the metric's own name
/// when there is no better one.
std::string described(const Metric& metric);

/// The description with its unit: "time in s", "median requests per second".
std::string described_in(const Metric& metric, std::string_view unit);

}  // namespace schedlab::report
