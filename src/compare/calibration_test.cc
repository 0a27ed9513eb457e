// How often the verdicts are wrong, and how often they see what is there: compare() on experiments
// whose truth is known. Noise recorded on a real, shared machine (tests/data, in the order run, so
// neighbours resemble each other), and synthetic noise. Everything follows from the seeds.
//
// Experiments dealt from a recorded series overlap: however many are made, they hold what that one
// recording holds. Only the synthetic ones are independent draws.
//
// The figures are printed as test properties:
//   compare_test --gtest_filter='Calibration*' --gtest_output=xml:figures.xml
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "compare/fake_experiment.h"
#include "core/rng.h"
#include "core/text.h"
#include "stats/summary.h"

namespace schedlab::compare {
namespace {

constexpr int kExperiments = 200;
constexpr std::int32_t kBlocks = 12;

// 5 % and three standard errors of 2000 draws at 5 %.
constexpr int kMany = 2000;
constexpr double kFivePercentOfMany = 0.05 + 0.015;

std::vector<double> recorded(const std::string& name) {
  std::ifstream file(std::string(SCHEDLAB_TEST_DATA) + "/" + name);
  std::vector<double> values;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const auto value = parse_number(line);
    if (value) values.push_back(*value);
  }
  return values;
}

// One metric of a case, and where its noise comes from: the value of the run made `turn`-th.
struct Source {
  Metric metric;
  std::function<double(std::size_t turn)> value;
};

// ABBA or BAAB at random for each block, as the lab runs them.
std::array<bool, 4> block_order(Rng& rng) {
  const bool base_first = rng.below(2) == 0;
  return {!base_first, base_first, base_first, !base_first};  // true: the new arm
}

// Appends a case of `blocks` blocks; the new arm is better by `effect` (a ratio) in every metric.
void add_case(FakeExperiment& fake,
              const std::string& name,
              const std::vector<Source>& sources,
              std::int32_t blocks,
              double effect,
              Rng& rng) {
  std::size_t turn = 0;
  for (std::int32_t block = 0; block < blocks; ++block) {
    const std::array<bool, 4> is_new = block_order(rng);
    for (std::int32_t position = 0; position < 4; ++position, ++turn) {
      std::vector<Metric> metrics;
      for (const Source& source : sources) {
        Metric metric = source.metric;
        const double planted = metric.direction == Direction::LowerIsBetter ? 1 / effect : effect;
        const bool in_new = is_new[static_cast<std::size_t>(position)];
        metric.value = source.value(turn) * (in_new ? planted : 1);
        metrics.push_back(metric);
      }
      const bool in_new = is_new[static_cast<std::size_t>(position)];
      fake.add_run(in_new ? "new" : "base", block, position, std::move(metrics), name);
    }
  }
}

Metric latency_metric(const char* name) {
  return {name, 0, Unit::Nanoseconds, Direction::LowerIsBetter, MetricClass::LatencyTail, 1, true};
}

// The recorded series; an experiment takes a stretch of consecutive runs from a random place on,
// round the end to the beginning. Metrics of one case come from the same runs.
class RecordedNoise {
 public:
  RecordedNoise()
      : hackbench_{recorded("noise_hackbench.txt")},
        schbench_{recorded("noise_schbench_wakeup_p99.txt"),
                  recorded("noise_schbench_request_p99.txt"),
                  recorded("noise_schbench_rps.txt")} {}

  [[nodiscard]] const std::vector<double>& hackbench() const { return hackbench_; }

  [[nodiscard]] const std::vector<std::vector<double>>& schbench() const { return schbench_; }

  FakeExperiment experiment(std::int32_t blocks, double effect, Rng& rng) const {
    FakeExperiment fake;
    const auto stretch = [](const std::vector<double>& series, std::size_t start) {
      return [&series, start](std::size_t turn) { return series[(start + turn) % series.size()]; };
    };
    const auto start = static_cast<std::size_t>(rng.below(hackbench_.size()));
    add_case(
        fake, "hackbench", {{time_metric(0), stretch(hackbench_, start)}}, blocks, effect, rng);
    const auto other = static_cast<std::size_t>(rng.below(schbench_[0].size()));
    add_case(fake,
             "schbench",
             {{latency_metric("wakeup_p99"), stretch(schbench_[0], other)},
              {latency_metric("request_p99"), stretch(schbench_[1], other)},
              {rate_metric(0), stretch(schbench_[2], other)}},
             blocks,
             effect,
             rng);
    return fake;
  }

 private:
  std::vector<double> hackbench_;
  std::vector<std::vector<double>> schbench_;
};

struct Tally {
  int experiments = 0;
  int experiments_alarmed = 0;  // with at least one better or worse
  int rows = 0;
  int alarms = 0;
  int differing = 0;  // alarms, and "same" rows that still claim a real effect
  int same = 0;

  void add(const Comparison& comparison) {
    ++experiments;
    int here = 0;
    for (const Row& row : comparison.rows) {
      ++rows;
      const bool alarm = row.verdict == Verdict::Better || row.verdict == Verdict::Worse;
      here += alarm ? 1 : 0;
      differing += alarm || row.real_but_small ? 1 : 0;
      same += row.verdict == Verdict::Same ? 1 : 0;
    }
    alarms += here;
    experiments_alarmed += here > 0 ? 1 : 0;
  }

  [[nodiscard]] double alarm_share() const { return double(experiments_alarmed) / experiments; }

  [[nodiscard]] double differing_share() const { return double(differing) / rows; }

  void record(const std::string& name) const {
    testing::Test::RecordProperty(
        name,
        fmt::format("better or worse: {} of {} experiments, {} of {} rows; with real but small: "
                    "{} rows; same: {} rows",
                    experiments_alarmed,
                    experiments,
                    alarms,
                    rows,
                    differing,
                    same));
  }
};

Tally tally(int experiments, const std::function<FakeExperiment()>& make) {
  Tally counts;
  for (int i = 0; i < experiments; ++i) {
    const auto result = make().compare();
    if (result) counts.add(*result);
  }
  EXPECT_EQ(counts.experiments, experiments) << "an experiment could not be compared";
  return counts;
}

// Better verdicts of one metric.
int found(int experiments, const std::string& metric, const std::function<FakeExperiment()>& make) {
  int better = 0;
  for (int i = 0; i < experiments; ++i) {
    const auto result = make().compare();
    if (!result) continue;
    for (const Row& row : result->rows) {
      better += row.metric.name == metric && row.verdict == Verdict::Better ? 1 : 0;
    }
  }
  return better;
}

TEST(CalibrationOnRecordedNoise, IsGivenWholeAndAutocorrelatedSeries) {
  const RecordedNoise noise;
  ASSERT_GE(noise.hackbench().size(), 120U);
  RecordProperty("hackbench_cv", std::to_string(stats::summarise(noise.hackbench()).cv));
  RecordProperty("hackbench_r1", std::to_string(stats::lag1_autocorrelation(noise.hackbench())));
  EXPECT_GT(stats::lag1_autocorrelation(noise.hackbench()), 0.3);
  for (const auto& series : noise.schbench()) {
    ASSERT_EQ(series.size(), noise.schbench().front().size());
    ASSERT_GE(series.size(), 120U);
  }
}

TEST(CalibrationOnRecordedNoise, SeldomSeesWhatIsNotThere) {
  const RecordedNoise noise;
  Rng rng(2026);
  const Tally counts = tally(kExperiments, [&] { return noise.experiment(kBlocks, 1, rng); });
  counts.record("no_effect_12_blocks");
  EXPECT_EQ(counts.rows, 4 * kExperiments);
  EXPECT_LE(counts.experiments_alarmed, kExperiments * 5 / 100);
  EXPECT_LE(counts.alarms, counts.rows * 5 / 100);
}

TEST(CalibrationOnRecordedNoise, AlarmsNoMoreThanItSaysInTheLongRun) {
  const RecordedNoise noise;
  Rng rng(7);
  const Tally counts = tally(kMany, [&] { return noise.experiment(kBlocks, 1, rng); });
  counts.record("no_effect_12_blocks_2000");
  EXPECT_LE(counts.alarm_share(), kFivePercentOfMany);
  EXPECT_LE(counts.differing_share(), kFivePercentOfMany);  // three standard errors of 2000 draws
}

TEST(CalibrationOnRecordedNoise, FindsFivePercentMoreRequestsInTwelveBlocks) {
  const RecordedNoise noise;
  Rng rng(99);
  const int better =
      found(kExperiments, "rps", [&] { return noise.experiment(kBlocks, 1.05, rng); });
  RecordProperty("rps_5_percent_found_of_200", better);
  EXPECT_GE(better, kExperiments * 80 / 100);
}

// hackbench on this machine lives in two modes 50 % apart: five percent takes many blocks, and
// twelve must not claim to see it often. Eighty blocks use every recorded run once; more would deal
// the same runs twice and look better than it is.
TEST(CalibrationOnRecordedNoise, FindsFivePercentOfHackbenchWithEnoughBlocks) {
  const RecordedNoise noise;
  const auto most = static_cast<std::int32_t>(noise.hackbench().size() / 4);
  ASSERT_EQ(most, 80);
  for (const std::int32_t blocks : {12, 40, most}) {
    Rng rng(100);
    const int better = found(100, "time", [&] { return noise.experiment(blocks, 1.05, rng); });
    RecordProperty("time_5_percent_found_of_100_with_" + std::to_string(blocks) + "_blocks",
                   better);
    if (blocks == most) {
      EXPECT_GE(better, 80);
    }
  }
}

// ln value = rho times the neighbour's + what is new, with the stationary sd given; plus a rise of
// `drift` (a fraction) from the first run to the last.
std::function<double(std::size_t)> autoregressive(
    double rho, double sd, double drift, std::size_t runs, Rng& rng) {
  std::vector<double> series;
  double level = sd * rng.normal();
  for (std::size_t i = 0; i < runs; ++i) {
    series.push_back(std::exp(level + drift * double(i) / double(runs - 1)));
    level = rho * level + sd * std::sqrt(1 - rho * rho) * rng.normal();
  }
  return [series](std::size_t turn) { return series[turn]; };
}

FakeExperiment synthetic(double rho, double sd, double drift, double effect, Rng& rng) {
  FakeExperiment fake;
  add_case(fake,
           "case",
           {{time_metric(0), autoregressive(rho, sd, drift, 4 * kBlocks, rng)}},
           kBlocks,
           effect,
           rng);
  return fake;
}

TEST(CalibrationOnSyntheticNoise, IsNotFooledByNeighboursThatResembleEachOther) {
  for (const double rho : {0.0, 0.3, 0.6, 0.9}) {
    Rng rng(31);
    const Tally counts = tally(kMany, [&] { return synthetic(rho, 0.03, 0, 1, rng); });
    counts.record("ar1_rho_" + std::to_string(int(10 * rho)) + "_tenths");
    EXPECT_LE(counts.alarm_share(), kFivePercentOfMany) << "rho " << rho;
    EXPECT_LE(counts.differing_share(), kFivePercentOfMany) << "rho " << rho;
  }
}

TEST(CalibrationOnSyntheticNoise, IsNotFooledByDrift) {
  for (const double rho : {0.0, 0.6}) {
    Rng rng(32);
    const Tally many = tally(kMany, [&] { return synthetic(rho, 0.02, 0.02, 1, rng); });
    many.record("drift_2_percent_ar1_rho_" + std::to_string(int(10 * rho)) + "_tenths");
    EXPECT_LE(many.experiments_alarmed, kMany * 5 / 100) << "rho " << rho;
    EXPECT_LE(many.differing_share(), kFivePercentOfMany) << "rho " << rho;
  }
}

TEST(CalibrationOnSyntheticNoise, FindsThreePercentWhereRunsScatterByTwo) {
  Rng rng(33);
  const int better =
      found(kExperiments, "time", [&] { return synthetic(0.3, 0.02, 0.02, 1.03, rng); });
  RecordProperty("3_percent_found_of_200", better);
  EXPECT_GE(better, kExperiments * 80 / 100);
}

// Two kernels, each rebooted six times, two blocks a boot; a boot shifts all its runs by 2 %.
FakeExperiment rebooted(double boot_sd, Rng& rng) {
  FakeExperiment fake;
  std::array<double, 2> luck{};
  std::size_t turn = 0;
  const auto run_noise = autoregressive(0, 0.01, 0, 4 * kBlocks, rng);
  for (std::int32_t block = 0; block < kBlocks; ++block) {
    if (block % 2 == 0) luck = {boot_sd * rng.normal(), boot_sd * rng.normal()};
    const std::array<bool, 4> is_new = block_order(rng);
    for (std::int32_t position = 0; position < 4; ++position) {
      const bool in_new = is_new[static_cast<std::size_t>(position)];
      const double value = run_noise(turn++) * std::exp(luck[in_new ? 1 : 0]);
      RunRecord& run = fake.add_run(in_new ? "new" : "base", block, position, {time_metric(value)});
      run.boot_id = run.arm + std::to_string(block / 2);
    }
  }
  return fake;
}

TEST(CalibrationOnSyntheticNoise, IsNotFooledByTheLuckOfABoot) {
  Rng rng(34);
  const Tally counts = tally(kMany, [&] { return rebooted(0.02, rng); });
  counts.record("boots_apart_sd_2_percent");
  EXPECT_LE(counts.alarm_share(), kFivePercentOfMany);
  EXPECT_LE(counts.differing_share(), kFivePercentOfMany);
}

TEST(CalibrationOnSyntheticNoise, SaysSameOfEqualArmsOnceTheyAreMeasuredWellEnough) {
  Rng rng(35);
  const Tally counts = tally(kExperiments, [&] { return synthetic(0.3, 0.008, 0, 1, rng); });
  counts.record("equal_arms_sd_0_8_percent");
  EXPECT_GE(counts.same, kExperiments * 80 / 100);
}

TEST(CalibrationOnSyntheticNoise, SeldomSaysSameOfAnEffectAtTheMargin) {
  Rng rng(36);
  const Tally counts = tally(kMany, [&] { return synthetic(0, 0.01, 0, 1.01, rng); });
  counts.record("effect_of_exactly_delta");
  EXPECT_LE(counts.same, kMany * kFivePercentOfMany);
}

}  // namespace
}  // namespace schedlab::compare
