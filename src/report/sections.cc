#include "report/sections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "report/layout.h"

namespace schedlab::report {

namespace {

struct LoadFlag {
  std::string_view workload;
  std::string_view brief;
  std::string_view full;
  std::string_view noun;
};

constexpr std::array<LoadFlag, 2> kLoadFlags = {
    {{"hackbench", "-g", "--groups", "groups"}, {"schbench", "-t", "--threads", "workers"}}};

const LoadFlag* load_flag(std::string_view workload) {
  const auto found = std::find_if(kLoadFlags.begin(), kLoadFlags.end(), [&](const LoadFlag& flag) {
    return flag.workload == workload;
  });
  return found == kLoadFlags.end() ? nullptr : &*found;
}

struct CutCase {
  std::string test;
  std::string load;
};

/// Takes "-g 4", "-g4" or "--groups=4" out of a case's text.
CutCase cut_load(const compare::Row& row) {
  const LoadFlag* flag = load_flag(row.workload);
  CutCase out;
  std::vector<std::string> kept;
  const auto pieces = words(row.case_name);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string_view piece = pieces[i];
    if (flag != nullptr && (piece == flag->brief || piece == flag->full) && i + 1 < pieces.size()) {
      out.load = safe(pieces[++i]);
    } else if (flag != nullptr &&
               piece.substr(0, flag->full.size() + 1) == std::string(flag->full) + "=") {
      out.load = safe(piece.substr(flag->full.size() + 1));
    } else if (flag != nullptr && piece.size() > 2 && piece.substr(0, 2) == flag->brief) {
      out.load = safe(piece.substr(2));
    } else {
      kept.push_back(safe(piece));
    }
  }
  out.test = kept.empty() ? safe(row.workload) : join(kept, " ");
  return out;
}

std::vector<ShownUnit> units_of(Unit unit) {
  switch (unit) {
    case Unit::Seconds:
      return {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    case Unit::Nanoseconds:
      return {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    case Unit::BytesPerSecond:
      return {{1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}};
    case Unit::PerSecond:
      return {{1, "per second"}};
    case Unit::Count:
      return {{1, "count"}};
    case Unit::Percent:
      return {{1, "%"}};
  }
  return {{1, ""}};
}

/// "p99" -> "99th percentile ", "p50" -> "median ".
std::string percentile_words(std::string_view percentile) {
  if (percentile == "p50") return "median";
  std::string number(percentile.substr(1));
  // "p999" is the 99.9th.
  if (number.size() > 2) number.insert(2, ".");
  return number + "th percentile";
}

}  // namespace

std::vector<Section> sections_of(const compare::Comparison& comparison) {
  std::vector<Section> sections;
  for (const compare::Row& row : comparison.rows) {
    CutCase cut = cut_load(row);
    const auto same = [&](const Section& section) {
      return section.test == cut.test && section.metric.name == row.metric.name;
    };
    auto found = std::find_if(sections.begin(), sections.end(), same);
    if (found == sections.end()) {
      sections.push_back({cut.test, row.workload, row.metric, {}});
      found = sections.end() - 1;
    }
    found->lines.push_back({cut.load, &row});
  }
  return sections;
}

std::string load_label(const Section& section, const SectionLine& line) {
  if (line.load.empty()) return "default";
  const LoadFlag* flag = load_flag(section.workload);
  return flag == nullptr ? line.load : line.load + "-" + std::string(flag->noun);
}

Statistic statistic_of(const Section& section) {
  if (section.workload == "schbench") return Statistic::Median;
  return section.metric.direction == Direction::HigherIsBetter ? Statistic::HMean
                                                               : Statistic::AMean;
}

std::string_view to_string(Statistic statistic) {
  switch (statistic) {
    case Statistic::AMean:
      return "AMean";
    case Statistic::HMean:
      return "HMean";
    case Statistic::Median:
      return "Median";
  }
  return {};
}

double central(const compare::ArmSummary& arm, Statistic statistic) {
  switch (statistic) {
    case Statistic::AMean:
      return arm.mean;
    case Statistic::HMean:
      return arm.harmonic_mean;
    case Statistic::Median:
      return arm.median;
  }
  return 0;
}

bool more_is_plus(const Metric& metric) {
  return metric.direction != Direction::LowerIsBetter;
}

std::string_view direction_words(const Metric& metric) {
  switch (metric.direction) {
    case Direction::HigherIsBetter:
      return "higher is better";
    case Direction::LowerIsBetter:
      return "lower is better";
    case Direction::Descriptive:
      return "no better direction";
  }
  return {};
}

ShownUnit shown_unit(const Section& section) {
  double least = std::numeric_limits<double>::infinity();
  for (const SectionLine& line : section.lines) {
    const double value = std::abs(central(line.row->base, statistic_of(section)));
    if (value > 0) least = std::min(least, value);
  }
  const std::vector<ShownUnit> units = units_of(section.metric.unit);
  for (const ShownUnit& unit : units) {
    if (least >= unit.factor) return unit;
  }
  return units.back();
}

std::string described(const Metric& metric) {
  const std::size_t at = metric.name.rfind("_p");
  const bool digits = at != std::string::npos && at + 2 < metric.name.size() &&
                      metric.name.find_first_not_of("0123456789", at + 2) == std::string::npos;
  if (!digits) return safe(metric.name);
  const std::string percentile = percentile_words(std::string_view(metric.name).substr(at + 1));
  const std::string of = safe(metric.name.substr(0, at));
  if (of == "rps") return percentile + " requests per second";
  return percentile + " " + of + " latency";
}

std::string described_in(const Metric& metric, std::string_view unit) {
  std::string out = described(metric);
  if (metric.unit != Unit::PerSecond) return out + " in " + std::string(unit);
  return out.find("per second") == std::string::npos ? out + " per second" : out;
}

}  // namespace schedlab::report
