#include "tests/golden/fixtures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compare/fake_experiment.h"

namespace schedlab::golden {

using compare::ArmSummary;
using compare::Comparison;
using compare::Effect;
using compare::Row;
using compare::Verdict;

ArmSummary summary_of(std::vector<double> values) {
  ArmSummary out;
  out.values = std::move(values);
  if (out.values.empty()) return out;
  const auto n = static_cast<double>(out.values.size());
  double inverse = 0;
  for (const double value : out.values)
    inverse += 1 / value;
  out.mean = std::accumulate(out.values.begin(), out.values.end(), 0.0) / n;
  out.harmonic_mean = n / inverse;
  std::vector<double> sorted = out.values;
  std::sort(sorted.begin(), sorted.end());
  out.min = sorted.front();
  out.max = sorted.back();
  out.median = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  double squares = 0;
  for (const double value : out.values)
    squares += (value - out.mean) * (value - out.mean);
  out.sd = out.values.size() < 2 ? 0 : std::sqrt(squares / (n - 1));
  out.cv = out.sd / out.mean;
  return out;
}

Comparison empty_comparison() {
  Comparison out;
  out.experiment.id = ExperimentId{7};
  out.experiment.tool_version = "0.1.0";
  out.experiment.command = {
      "schedlab", "ab",        "-A", "cpus=0",    "-B", "cpus=0-1", "--blocks", "12", "--seed",
      "42",       "--control", "--", "hackbench", "-p", "-T",       "-g",       "4",  "--",
      "schbench", "-L",        "-m", "1",         "-t", "2",        "-n",       "0"};
  out.experiment.seed = 42;
  out.experiment.order = "ABBA/BAAB";
  out.experiment.blocks_planned = 12;
  out.experiment.arms = {{"base", "cpus=0"}, {"new", "cpus=0-1"}, {"control", "cpus=0"}};
  out.experiment.machine = {"lab7",
                            "AMD EPYC 7763 64-Core Processor",
                            128,
                            "6.18.0-rc1 #1 SMP PREEMPT_DYNAMIC Mon Oct 13 09:00:00 UTC 2025"};
  out.experiment.start_wall = Nanos(1'760'000'000'000'000'000);
  out.base = {"base", "cpus=0"};
  out.contender = {"new", "cpus=0-1"};
  out.blocks_complete = 12;
  out.runs_disturbed = 1;
  out.conditional = "one boot";
  out.notes = {"conditional on one boot"};
  return out;
}

Metric time_metric() {
  return {"time", 0, Unit::Seconds, Direction::LowerIsBetter, MetricClass::Time, 0.001, true};
}

Metric wakeup_p99_metric() {
  return {"wakeup_p99",
          0,
          Unit::Nanoseconds,
          Direction::LowerIsBetter,
          MetricClass::LatencyTail,
          1,
          true};
}

Metric request_p99_metric() {
  return {"request_p99",
          0,
          Unit::Nanoseconds,
          Direction::LowerIsBetter,
          MetricClass::LatencyTail,
          1,
          true};
}

Metric rps_metric() {
  return {
      "rps_p50", 0, Unit::PerSecond, Direction::HigherIsBetter, MetricClass::Throughput, 0, true};
}

Row worked_example() {
  const std::vector<double> log_ratios = {
      0.021, 0.035, -0.004, 0.028, 0.031, 0.015, 0.042, 0.009, 0.026, 0.018, 0.033, 0.024};
  // A drift that both arms share: it must not show in the effect.
  std::vector<double> base;
  std::vector<double> contender;
  for (std::size_t i = 0; i < log_ratios.size(); ++i) {
    base.push_back(1.234 * (1 + 0.004 * (static_cast<double>(i) - 5.5)));
    contender.push_back(base.back() * std::exp(-log_ratios[i]));
  }
  Row row;
  row.workload = "hackbench";
  row.case_name = "hackbench -p -T -g 4";
  row.metric = time_metric();
  row.base = summary_of(base);
  row.contender = summary_of(contender);
  row.log_ratios = log_ratios;
  Effect effect;
  effect.ratio = std::exp(0.0231667);
  effect.interval95 = {std::exp(0.0152178), std::exp(0.0311155)};
  effect.interval90 = {std::exp(0.0166810), std::exp(0.0296524)};
  effect.hodges_lehmann = std::exp(0.02425);
  effect.hl_interval95 = compare::Interval{std::exp(0.0150), std::exp(0.0315)};
  effect.p_value = 4.98e-5;
  effect.p_adjusted = 1.99e-4;
  effect.p_tost = 0.998;
  row.effect = effect;
  row.verdict = Verdict::Better;
  return row;
}

Row row_of(const Metric& metric,
           const std::string& case_name,
           double base,
           double contender,
           compare::Interval interval95,
           Verdict verdict,
           std::size_t blocks) {
  Row row;
  row.case_name = case_name;
  row.workload = case_name.substr(0, case_name.find(' '));
  row.metric = metric;
  std::vector<double> base_values;
  std::vector<double> contender_values;
  const double ratio =
      metric.direction == Direction::HigherIsBetter ? contender / base : base / contender;
  for (std::size_t i = 0; i < blocks; ++i) {
    const double noise = 0.015 * (static_cast<double>(i % 4) - 1.5);
    base_values.push_back(base * (1 + noise));
    contender_values.push_back(contender * (1 - noise));
    row.log_ratios.push_back(std::log(ratio));
  }
  row.base = summary_of(base_values);
  row.contender = summary_of(contender_values);
  row.delta = default_delta(metric.metric_class);
  row.verdict = verdict;
  Effect effect;
  effect.ratio = ratio;
  effect.interval95 = interval95;
  effect.interval90 = {1 + 0.8 * (interval95.low - 1), 1 + 0.8 * (interval95.high - 1)};
  effect.hodges_lehmann = ratio;
  effect.hl_interval95 = interval95;
  effect.p_value = 0.04;
  effect.p_adjusted = 0.08;
  effect.p_tost = 0.5;
  row.effect = effect;
  return row;
}

namespace {

Row two_modes() {
  Row row = row_of(rps_metric(),
                   "schbench -L -m 1 -t 8 -n 0",
                   33'100,
                   24'000,
                   {0.55, 1.02},
                   Verdict::Inconclusive);
  row.base = summary_of({33'100,
                         33'050,
                         33'200,
                         33'150,
                         33'000,
                         33'120,
                         33'080,
                         33'110,
                         33'090,
                         33'130,
                         33'070,
                         33'140});
  row.contender = summary_of({33'000,
                              2'200,
                              33'100,
                              33'050,
                              2'210,
                              33'020,
                              33'080,
                              33'010,
                              33'090,
                              33'060,
                              33'040,
                              33'030});
  row.two_modes = true;
  row.effect->hodges_lehmann = 0.91;
  row.effect->hl_interval95 = compare::Interval{0.60, 1.02};
  row.flags = {"two modes: 33.05 k/s (10/12) 2205 /s (2/12)", "2 runs disturbed"};
  row.more_blocks = 30;
  return row;
}

Row secondary() {
  Metric metric = {
      "voluntary_switches", 0, Unit::Count, Direction::Descriptive, MetricClass::Other, 1, false};
  return row_of(
      metric, "hackbench -p -T -g 4", 120'345, 118'002, {0.97, 1.07}, Verdict::Inconclusive);
}

Row one_block() {
  Row row = row_of(time_metric(), "hackbench -g 1", 0.123, 0.125, {1, 1}, Verdict::Inconclusive, 1);
  row.effect.reset();
  row.flags = {"1 complete block: an interval needs 2, a verdict needs 3"};
  return row;
}

Row small_but_real() {
  Row row = row_of(wakeup_p99_metric(),
                   "schbench -L -m 1 -t 2 -n 0",
                   9'100,
                   8'900,
                   {1.012, 1.033},
                   Verdict::Same);
  row.real_but_small = true;
  row.resolution_limited = true;
  row.metric.resolution = 1'000;
  row.flags = {
      "resolution-limited: one step is 1.000 us, 11.2 % of the median; the means differ by 200.0 "
      "ns"};
  return row;
}

}  // namespace

Comparison full_comparison() {
  Comparison out = empty_comparison();
  out.rows = {worked_example(),
              secondary(),
              row_of(time_metric(),
                     "hackbench -p -T -g 16",
                     4.73,
                     4.70,
                     {0.998, 1.0141},
                     Verdict::Inconclusive),
              small_but_real(),
              row_of(request_p99_metric(),
                     "schbench -L -m 1 -t 2 -n 0",
                     14'200'000,
                     16'900'000,
                     {0.80, 0.88},
                     Verdict::Worse),
              row_of(rps_metric(),
                     "schbench -L -m 1 -t 2 -n 0",
                     33'100,
                     33'123,
                     {0.9995, 1.0019},
                     Verdict::Same),
              two_modes(),
              one_block(),
              row_of(time_metric(),
                     "hackbench --pipe --threads --groups=64 --loops=1000 --datasize=4096 --fds=40",
                     21.5,
                     20.1,
                     {1.05, 1.09},
                     Verdict::Better,
                     11)};
  out.rows[2].more_blocks = 30;
  out.rows.back().flags = {"drift"};
  out.rows.back().effect->hl_interval95 = compare::Interval{0.99, 1.08};
  out.control_rows = {
      row_of(time_metric(), "hackbench -p -T -g 4", 1.234, 1.235, {0.991, 1.007}, Verdict::Same),
      row_of(wakeup_p99_metric(),
             "schbench -L -m 1 -t 2 -n 0",
             9'100,
             8'000,
             {1.09, 1.18},
             Verdict::Better)};
  out.control_floor = compare::ControlFloor{.moved = 0.1375,
                                            .bound = 0.18,
                                            .case_name = "schbench -L -m 1 -t 2 -n 0",
                                            .metric = "wakeup_p99"};
  out.environment_differences = {{"cpufreq governor of cpu1", "performance", "powersave"},
                                 {"kernel.sched_autogroup_enabled", "1", ""}};
  return out;
}

namespace {

// Both arms' runs of one block of a case, in the order of the block.
void add_runs(compare::FakeExperiment& fake,
              const std::string& case_name,
              std::int32_t block,
              const std::vector<Metric>& base,
              const std::vector<Metric>& contender) {
  const bool base_first = block % 2 == 0;
  for (const bool is_base : {base_first, !base_first}) {
    const std::int32_t position = is_base == base_first ? 0 : 1;
    RunRecord& run = fake.add_run(
        is_base ? "base" : "new", block, position, is_base ? base : contender, case_name);
    run.output.workload = case_name.substr(0, case_name.find(' '));
  }
}

Metric with_value(Metric metric, double value) {
  metric.value = value;
  return metric;
}

void add_hackbench(compare::FakeExperiment& fake, std::int32_t block) {
  const double jitter = 1 + 0.002 * (block % 3);
  const double mode = block % 4 == 1 ? 1.5 : 1;
  add_runs(fake,
           "hackbench -g 4",
           block,
           {with_value(time_metric(), 1.2 * jitter)},
           {with_value(time_metric(), 1.15 * mode * jitter)});
  RunRecord& first = *(fake.runs.end() - 2);
  RunRecord& second = fake.runs.back();
  RunRecord& base = first.arm == "base" ? first : second;
  RunRecord& contender = first.arm == "base" ? second : first;
  base.output.mode = "external:hackbench";
  if (mode > 1) contender.output.notes = {"40 file descriptors a task, not 80"};
  if (block == 7) {
    contender.outcome = Outcome::TimedOut;
    contender.failure = "killed at its limit of 10 s";
  }
}

void add_schbench(compare::FakeExperiment& fake, std::int32_t block) {
  const std::vector<double> weak = {
      0.03, -0.02, 0.05, 0.02, -0.01, 0.04, 0.01, 0.05, -0.02, 0.03, 0.04, -0.01};
  Metric coarse = wakeup_p99_metric();
  coarse.resolution = 1'000;
  const double step = block % 3 == 0 ? 9'000 : 8'000;
  add_runs(fake,
           "schbench -m 1 -t 2",
           block,
           {with_value(rps_metric(), 33'100),
            with_value(coarse, 9'000),
            with_value(request_p99_metric(), block == 2 ? 0 : 14'200'000)},
           {with_value(rps_metric(), 33'100 * std::exp(weak[static_cast<std::size_t>(block)])),
            with_value(coarse, step),
            with_value(request_p99_metric(), 14'300'000)});
  for (RunRecord* run : {&fake.runs.back(), &*(fake.runs.end() - 2)})
    run->output.mode = "classic";
}

}  // namespace

Result<Comparison> compared_runs() {
  compare::FakeExperiment fake;
  const Experiment described = empty_comparison().experiment;
  fake.experiment = described;
  fake.experiment.machine.online_cpus = 2;
  fake.experiment.arms = {{"base", "cpus=0"}, {"new", "cpus=0-1"}};
  for (std::int32_t block = 0; block < described.blocks_planned; ++block) {
    add_hackbench(fake, block);
    add_schbench(fake, block);
  }
  return fake.compare();
}

namespace {

// One visit of each arm to a block; `base_boot` and `new_boot` number the arms' own boots.
void add_booted(compare::FakeExperiment& fake,
                const std::string& case_name,
                std::int32_t block,
                int base_boot,
                int new_boot) {
  const std::vector<double> luck = {0.012, -0.008, 0.015, 0.001};
  const double wobble = 0.002 * (block % 3 - 1);
  const auto add = [&](const char* arm, std::int32_t position, double level, int boot) {
    RunRecord& run = fake.add_run(
        arm, block, position, {with_value(time_metric(), 1.2 * std::exp(-level))}, case_name);
    run.boot_id = arm + std::to_string(boot);
    run.output.workload = "hackbench";
  };
  for (const std::int32_t turn : {0, 1}) {
    const double own = wobble + 0.001 * turn;
    add("base", 2 * turn, own, base_boot);
    add("new", 2 * turn + 1, own + 0.02 + luck[static_cast<std::size_t>(new_boot)], new_boot);
  }
}

}  // namespace

Result<Comparison> compared_boots() {
  compare::FakeExperiment fake;
  fake.experiment = empty_comparison().experiment;
  fake.experiment.order = "by boots";
  fake.experiment.arms = {{"base", "kernel 6.17"}, {"new", "kernel 6.18"}};
  fake.experiment.machine.online_cpus = 2;
  for (std::int32_t block = 0; block < 12; ++block) {
    add_booted(fake, "hackbench -g 1", block, block / 3, block / 3);
    add_booted(fake, "hackbench -g 4", block, block / 4, block / 3);
  }
  return fake.compare();
}

Comparison hostile_comparison() {
  Comparison out = empty_comparison();
  const std::string attack = "\x1b[2J\x1b[31m\u202egnp.exe\xff\xfe\n\r\tbell\a";
  out.base = {"b" + attack, attack};
  out.contender = {"\u6838\u5fc3-m\u00fcnchen", "cmd:/opt/\u4e2d\u6587/" + std::string(150, 'x')};
  out.experiment.arms = {out.base, out.contender};
  out.experiment.command = {"schedlab", attack, std::string(200, 'y') + "'", "", "a b", "FOO=bar"};
  out.experiment.machine = {attack, attack, 8, attack};
  out.experiment.order = attack;
  out.experiment.tool_version = attack;
  out.rows = {
      row_of(time_metric(),
             "hackbench -g \u4e2d\u6587 " + attack,
             1.2,
             1.1,
             {1.05, 1.12},
             Verdict::Better),
      row_of(
          time_metric(), std::string(400, 'z'), 1e-12, 1e9, {1e-30, 1e30}, Verdict::Inconclusive),
      row_of(time_metric(), "a,b\"c", 1, 0.5, {1.9, 2.1}, Verdict::Better)};
  out.rows[0].metric.name = "time" + attack;
  out.rows[1].metric.name = std::string(100, 'm');
  out.rows[0].flags = {attack, std::string(300, 'f')};
  out.rows[2].effect->ratio = std::nan("");
  out.environment_differences = {{attack, attack, std::string(200, 'e')}};
  out.notes = {attack};
  return out;
}

}  // namespace schedlab::golden
