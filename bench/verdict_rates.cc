// How often verdicts are wrong, and what a true effect costs to see: schedlab's rules beside the
// field's, on noise whose truth is known. Prints the tables of docs/methodology.md ("Error rates").
//
//   verdict_rates [DRAWS]     experiments per cell, 4000 unless given; everything follows from the
//   seed
//
// Each world is noise on the logarithm of a run's time, in the order the runs are made. Two
// designs:
//   interleaved  12 blocks ABBA/BAAB, 24 runs an arm, as `schedlab ab` makes them
//   as practised all base runs, then all new ones, 10 an arm, one boot each
// The other rules are given both, so that design and rule can be told apart.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/fake_experiment.h"
#include "compare/stopping_anytime.h"
#include "core/rng.h"
#include "report/lkp_figures.h"
#include "report/mmtests_figures.h"
#include "stats/student_t.h"
#include "stats/summary.h"

namespace schedlab {
namespace {

constexpr int kBlocks = 12;
constexpr int kPractised = 10;  // runs an arm
constexpr std::uint64_t kSeed = 2026;

/// ln(time) of one session's runs, in order.
using Noise = std::function<std::vector<double>(std::size_t runs, Rng& rng)>;

struct World {
  std::string name;
  Noise noise;
  double boot_sd = 0;  // above 0: each arm is a kernel of its own, booted apart
};

Noise autoregressive(double rho, double sd, double drift) {
  return [=](std::size_t runs, Rng& rng) {
    std::vector<double> series(runs);
    double level = sd * rng.normal();
    for (std::size_t i = 0; i < runs; ++i) {
      series[i] = level + drift * static_cast<double>(i) / static_cast<double>(runs - 1);
      level = rho * level + sd * std::sqrt(1 - rho * rho) * rng.normal();
    }
    return series;
  };
}

// One run in five lands in a mode 30 % slower.
std::vector<double> two_modes(std::size_t runs, Rng& rng) {
  std::vector<double> series(runs);
  for (double& value : series)
    value = (rng.below(5) == 0 ? std::log(1.3) : 0.0) + 0.01 * rng.normal();
  return series;
}

// Student's t with 3 degrees of freedom, scale 1 %.
std::vector<double> heavy_tails(std::size_t runs, Rng& rng) {
  std::vector<double> series(runs);
  for (double& value : series) {
    double squares = 0;
    for (int i = 0; i < 3; ++i) {
      const double z = rng.normal();
      squares += z * z;
    }
    value = 0.01 * rng.normal() / std::sqrt(squares / 3);
  }
  return series;
}

std::vector<World> worlds() {
  return {
      {"normal, sd 1 %", autoregressive(0, 0.01, 0)},
      {"boot sd 2 %, run sd 1 %", autoregressive(0, 0.01, 0), 0.02},
      {"drift 2 %, sd 1 %", autoregressive(0, 0.01, 0.02)},
      {"AR(1) 0.6, sd 2 %", autoregressive(0.6, 0.02, 0)},
      {"two modes 20/80, 30 % apart", two_modes},
      {"heavy tails (t, 3 df), 1 %", heavy_tails},
  };
}

/// The values of two arms, with what schedlab knows of the runs beside them.
struct Experiment {
  compare::FakeExperiment records;
  std::vector<double> base;
  std::vector<double> contender;

  void add(bool is_new, int block, int position, double log_time, const std::string& boot) {
    const double time = std::exp(log_time);
    (is_new ? contender : base).push_back(time);
    RunRecord& run =
        records.add_run(is_new ? "new" : "base", block, position, {compare::time_metric(time)});
    run.boot_id = boot;
  }
};

/// `effect`: ln of how much faster the new arm is. In a world of boots every block is a boot of
/// each arm.
Experiment interleaved(const World& world, int blocks, double effect, Rng& rng) {
  Experiment experiment;
  const std::vector<double> series = world.noise(static_cast<std::size_t>(blocks) * 4, rng);
  std::size_t turn = 0;
  for (int block = 0; block < blocks; ++block) {
    const std::array<double, 2> luck = {world.boot_sd * rng.normal(), world.boot_sd * rng.normal()};
    const bool base_first = rng.below(2) == 0;
    const std::array<bool, 4> is_new = {!base_first, base_first, base_first, !base_first};
    for (int position = 0; position < 4; ++position, ++turn) {
      const bool in_new = is_new[static_cast<std::size_t>(position)];
      const double value = series[turn] + luck[in_new ? 1 : 0] - (in_new ? effect : 0);
      const std::string boot =
          world.boot_sd > 0 ? fmt::format("{}-{}", in_new ? "new" : "base", block) : "boot";
      experiment.add(in_new, block, position, value, boot);
    }
  }
  return experiment;
}

Experiment as_practised(const World& world, int runs, double effect, Rng& rng) {
  Experiment experiment;
  const std::vector<double> series = world.noise(static_cast<std::size_t>(runs) * 2, rng);
  const std::array<double, 2> luck = {world.boot_sd * rng.normal(), world.boot_sd * rng.normal()};
  for (int turn = 0; turn < 2 * runs; ++turn) {
    const bool in_new = turn >= runs;
    const double value =
        series[static_cast<std::size_t>(turn)] + luck[in_new ? 1 : 0] - (in_new ? effect : 0);
    experiment.add(in_new, turn % runs, turn / runs, value, in_new ? "new" : "base");
  }
  return experiment;
}

bool schedlab_alarms(const Experiment& experiment) {
  const auto comparison = experiment.records.compare();
  if (!comparison || comparison->rows.size() != 1) {
    fmt::print(stderr, "verdict_rates: an experiment could not be compared\n");
    std::exit(1);
  }
  const compare::Verdict verdict = comparison->rows.front().verdict;
  return verdict == compare::Verdict::Better || verdict == compare::Verdict::Worse;
}

bool welch_alarms(const Experiment& experiment) {
  const auto estimate = stats::welch_t(experiment.base, experiment.contender);
  return estimate && estimate->p_two_sided() < 0.05;
}

bool mmtests_alarms(const Experiment& experiment, report::StarRule rule) {
  return report::mmtests_star(report::mmtests_figures(experiment.base, false),
                              report::mmtests_figures(experiment.contender, false),
                              rule);
}

bool lkp_alarms(const Experiment& experiment) {
  return report::lkp_lists(experiment.base, experiment.contender, report::kLkpLeastRatioOfResult);
}

struct Rule {
  const char* name;
  bool (*alarms)(const Experiment&);
};

constexpr std::array kOtherRules = {
    Rule{"Welch", welch_alarms},
    Rule{"mmtests old",
         [](const Experiment& e) { return mmtests_alarms(e, report::StarRule::TTest); }},
    Rule{"mmtests new",
         [](const Experiment& e) { return mmtests_alarms(e, report::StarRule::BandsApart); }},
    Rule{"lkp", lkp_alarms},
};

using Dealer = std::function<Experiment(Rng&)>;

/// Share of `draws` experiments that each rule alarms on, in percent.
std::vector<double> rates(const Dealer& deal, bool with_schedlab, int draws, std::uint64_t stream) {
  Rng rng(kSeed, stream);
  std::vector<int> alarms(kOtherRules.size() + 1);
  for (int i = 0; i < draws; ++i) {
    const Experiment experiment = deal(rng);
    if (with_schedlab) alarms[0] += schedlab_alarms(experiment) ? 1 : 0;
    for (std::size_t rule = 0; rule < kOtherRules.size(); ++rule)
      alarms[rule + 1] += kOtherRules[rule].alarms(experiment) ? 1 : 0;
  }
  std::vector<double> percent;
  for (const int count : alarms)
    percent.push_back(100.0 * count / draws);
  return percent;
}

void print_table(const char* title, double effect, int draws) {
  fmt::print("{}, {} experiments a cell:\n\n", title, draws);
  fmt::print("| noise | schedlab |");
  for (const char* design : {"", " as practised"})
    for (const Rule& rule : kOtherRules)
      fmt::print(" {}{} |", rule.name, design);
  fmt::print("\n| --- |{}\n", [] {
    std::string dashes;
    for (std::size_t i = 0; i < 2 * kOtherRules.size() + 1; ++i)
      dashes += " --- |";
    return dashes;
  }());
  std::uint64_t stream = 1;
  for (const World& world : worlds()) {
    const auto same = rates(
        [&](Rng& rng) { return interleaved(world, kBlocks, effect, rng); }, true, draws, stream++);
    const auto practised =
        rates([&](Rng& rng) { return as_practised(world, kPractised, effect, rng); },
              false,
              draws,
              stream++);
    fmt::print("| {} |", world.name);
    for (const double percent : same)
      fmt::print(" {:.1f} |", percent);
    for (std::size_t rule = 1; rule < practised.size(); ++rule)
      fmt::print(" {:.1f} |", practised[rule]);
    fmt::print("\n");
  }
  fmt::print("\n");
}

// --- plans that end themselves -----------------------------------------------------------------

constexpr int kCap = 60;
constexpr double kDelta = 0.01;

/// Base over new of each block, + is better.
std::vector<double> log_ratios(const Experiment& experiment) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i + 1 < experiment.base.size(); i += 2) {
    const auto level = [i](const std::vector<double>& times) {
      return (std::log(times[i]) + std::log(times[i + 1])) / 2;
    };
    ratios.push_back(level(experiment.base) - level(experiment.contender));
  }
  return ratios;
}

struct Watch {
  compare::Verdict verdict = compare::Verdict::Inconclusive;
  int blocks = 0;
};

/// `--until clear`: looks after every block, ends with the first verdict or at the cap.
Watch until_clear(const std::vector<double>& ratios) {
  Watch watch;
  for (std::size_t n = 1; n <= ratios.size(); ++n) {
    watch.blocks = static_cast<int>(n);
    watch.verdict = compare::anytime_verdict(std::span(ratios).first(n), kDelta, 0.05, 1).verdict;
    if (watch.verdict != compare::Verdict::Inconclusive) break;
  }
  return watch;
}

struct Watched {
  double better = 0;  // % of draws
  double worse = 0;
  double same = 0;
  std::vector<double> blocks;
};

Watched watch_many(const World& world, double effect, int draws, std::uint64_t stream) {
  Rng rng(kSeed, stream);
  Watched seen;
  for (int i = 0; i < draws; ++i) {
    const Watch watch = until_clear(log_ratios(interleaved(world, kCap, effect, rng)));
    const double share = 100.0 / draws;
    if (watch.verdict == compare::Verdict::Better) seen.better += share;
    if (watch.verdict == compare::Verdict::Worse) seen.worse += share;
    if (watch.verdict == compare::Verdict::Same) seen.same += share;
    seen.blocks.push_back(watch.blocks);
  }
  std::sort(seen.blocks.begin(), seen.blocks.end());
  return seen;
}

void print_watch_without_effect(int draws) {
  fmt::print("`--until clear`, at most {} blocks, equal arms, {} plans a row:\n\n", kCap, draws);
  fmt::print("| noise | better or worse | same within 1 % | blocks, median |\n");
  fmt::print("| --- | --- | --- | --- |\n");
  std::uint64_t stream = 101;
  for (const World& world : worlds()) {
    const Watched seen = watch_many(world, 0, draws, stream++);
    fmt::print("| {} | {:.1f} | {:.1f} | {:.0f} |\n",
               world.name,
               seen.better + seen.worse,
               seen.same,
               stats::median(seen.blocks));
  }
  fmt::print("\n");
}

/// Share of draws in which Welch's test on 30 runs an arm, interleaved, finds the effect.
double thirty_runs_find(const World& world, double effect, int draws, std::uint64_t stream) {
  constexpr int kThirtyRunsAnArm = 15;  // blocks
  Rng rng(kSeed, stream);
  int found = 0;
  for (int i = 0; i < draws; ++i)
    found += welch_alarms(interleaved(world, kThirtyRunsAnArm, effect, rng)) ? 1 : 0;
  return 100.0 * found / draws;
}

void print_cost_of_three_percent(int draws) {
  const double effect = std::log(1.03);
  fmt::print("3 % planted, {} plans a row; the fixed design is Welch's test on 30 runs an arm:\n\n",
             draws);
  fmt::print(
      "| block sd | fixed finds | until clear finds | says worse | says same | "
      "blocks: median, mean, 90 % | runs an arm, mean |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- |\n");
  std::uint64_t stream = 201;
  for (const double sd : {0.005, 0.01, 0.015, 0.02, 0.03, 0.042}) {
    // Two runs an arm in each block: its log-ratio scatters as one run does.
    const World world{"", autoregressive(0, sd, 0)};
    const double fixed = thirty_runs_find(world, effect, draws, stream++);
    const Watched seen = watch_many(world, effect, draws, stream++);
    const double mean_blocks = stats::mean(seen.blocks);
    fmt::print(
        "| {:.1f} % | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.0f}, {:.1f}, {:.0f} | {:.1f} |\n",
        100 * sd,
        fixed,
        seen.better,
        seen.worse,
        seen.same,
        stats::median(seen.blocks),
        mean_blocks,
        seen.blocks[seen.blocks.size() * 9 / 10],
        2 * mean_blocks);
  }
  fmt::print("\n");
}

int run(int draws) {
  print_table("False alarms in %, equal arms", 0, draws);
  print_table("Found in %, new arm faster by 3 %", std::log(1.03), draws);
  print_watch_without_effect(draws);
  print_cost_of_three_percent(draws);
  return 0;
}

}  // namespace
}  // namespace schedlab

int main(int argc, char** argv) {
  int draws = 4000;
  if (argc > 1) {
    const std::string_view text = argv[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), draws);
    if (error != std::errc() || end != text.data() + text.size() || draws < 1 ||
        draws > 1'000'000) {
      fmt::print(stderr, "verdict_rates: {}: give a number of experiments, 1 to 1000000\n", text);
      return 2;
    }
  }
  return schedlab::run(draws);
}
