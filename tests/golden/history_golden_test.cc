// A history in each of its styles, byte for byte.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "compare/fake_experiment.h"
#include "compare/history.h"
#include "report/history.h"
#include "tests/golden/golden.h"

namespace schedlab::golden {
namespace {

/// Fourteen kernels of two boots: a regression of 6 % at v6.14, half of it mended at v6.17; a
/// second case where nothing happens. Spread without random numbers, so that libm has no say.
compare::HistorySource kernels() {
  compare::FakeExperiment fake;
  fake.experiment.id = ExperimentId{3};
  fake.experiment.tool_version = "0.1.0";
  fake.experiment.machine.hostname = "lab7";
  fake.experiment.cases = {"hackbench -p -g 4", "hackbench -p -g 16"};
  fake.experiment.arms.clear();
  for (int arm = 0; arm < 14; ++arm) {
    const std::string name = "v6." + std::to_string(7 + arm);
    fake.experiment.arms.push_back({name, "same"});
    const double level = arm < 7 ? 1.0 : arm < 10 ? 1.06 : 1.03;
    for (int run = 0; run < 6; ++run) {
      const double wobble = 1 + 0.001 * ((arm * 5 + run * 3) % 7 - 3);
      const std::string boot = name + "-" + std::to_string(run / 3);
      for (const std::string& case_name : fake.experiment.cases) {
        const double value = case_name == fake.experiment.cases[0] ? level * wobble : 4 * wobble;
        fake.add_run(name, run, arm, {compare::time_metric(value)}, case_name).boot_id = boot;
      }
    }
  }
  return {fake.experiment, fake.runs};
}

TEST(HistoryGolden, KernelsOfTwoBoots) {
  const compare::HistorySource source = kernels();
  const auto history = compare::find_history({&source, 1}, {.metric = "time"});
  ASSERT_TRUE(history) << history.error().message;
  using report::Style;
  expect_golden("history.native", report::render_history(*history, Style::Native));
  expect_golden("history.json", report::render_history(*history, Style::Json));
  expect_golden("history.csv", report::render_history(*history, Style::Csv));
}

}  // namespace
}  // namespace schedlab::golden
