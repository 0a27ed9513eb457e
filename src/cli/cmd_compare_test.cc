// `schedlab compare` called as main() calls it, on databases made here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/test_output.h"
#include "core/rng.h"
#include "core/text.h"
#include "store/store.h"
#include "store/test_records.h"

namespace schedlab::cli {
namespace {

using ::testing::HasSubstr;

Said compare(const std::vector<std::string>& arguments) {
  Io io;
  io.out = std::tmpfile();
  io.err = std::tmpfile();
  Said said;
  said.status = compare_main(arguments, io);
  said.out = drained(io.out);
  said.err = drained(io.err);
  return said;
}

/// Twelve kernels with a boot each; from the seventh on 10 % slower.
class CompareHistoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = store::Store::open(db_);
    ASSERT_TRUE(store) << store.error().message;
    Experiment experiment = store::sample_experiment();
    experiment.arms.clear();
    for (int arm = 0; arm < 12; ++arm)
      experiment.arms.push_back({"v" + std::to_string(arm), "same"});
    const ExperimentId id = *store->add_experiment(experiment);
    Rng rng(5);
    std::vector<RunRecord> runs;
    for (std::int32_t arm = 0; arm < 12; ++arm) {
      for (std::int32_t block = 0; block < 3; ++block) {
        RunRecord run = store::sample_run(id, block, arm);
        run.arm = "v" + std::to_string(arm);
        run.boot_id = "boot-" + std::to_string(arm);
        run.output.metrics[0].value = (arm < 6 ? 1.0 : 1.1) * (1 + 0.005 * rng.normal());
        runs.push_back(run);
      }
    }
    ASSERT_TRUE(store->add_runs(runs));
  }

  const store::TempDir dir_;
  const std::string db_ = dir_.file();
};

TEST_F(CompareHistoryTest, PrintsTheArmsAndWhereTheLevelMoved) {
  const Said said = compare({"--db", db_, "--history", "time"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("\n> v6 "));
  EXPECT_THAT(said.out, HasSubstr("worse"));
  for (const std::string_view line : split(said.out, '\n'))
    EXPECT_LE(display_width(line), 80U) << line;
}

TEST_F(CompareHistoryTest, TakesArmsExperimentsAndStyles) {
  const Said json = compare({"--db",
                             db_,
                             "--history",
                             "time",
                             "--arms",
                             "v11,v9,v7,v6,v5,v4,v3,v2,v1",
                             "--experiments",
                             "1-9",
                             "--style",
                             "json"});
  ASSERT_EQ(json.status, 0) << json.err;
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed["cases"][0]["arms"][0]["arm"], "v11");
  EXPECT_EQ(parsed["cases"][0]["changes"][0]["arm"], "v5");
  const Said csv =
      compare({"--db", db_, "--history", "time", "--experiments", "all", "--style", "csv"});
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_THAT(csv.out, HasSubstr("e-divisive"));
}

TEST_F(CompareHistoryTest, ErrorsAreOneLineAndSayWhatWouldHelp) {
  const auto refused = [&](std::vector<std::string> arguments, int status, const std::string& why) {
    arguments.insert(arguments.begin(), {"--db", db_});
    const Said said = compare(arguments);
    EXPECT_EQ(said.status, status) << said.err;
    EXPECT_THAT(said.err, HasSubstr(why));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_EQ(said.out, "");
  };
  refused({"--history", "tiem"}, 2, "did you mean 'time'?");
  refused({"--history", "time", "--arms", "v1,v2"}, 2, "at least 3 arms");
  refused({"--history", "time", "--arms", "v1,v2,x3"}, 2, "did you mean 'v");
  refused({"--history", "time", "--style", "lkp"}, 2, "native, json and csv");
  refused({"--history", "time", "--style", "jsno"}, 2, "did you mean 'json'?");
  refused({"--history", "time", "v1", "v2"}, 2, "--arms a,b,c");
  refused({"--history", "time", "--experiments", "7"}, 1, "no experiment 7");
  refused({"--history", "time", "--experiments", "x"}, 2, "like 3,5-9 or all");
  refused({"--history", "time", "--experiments", "9-3"}, 2, "like 3,5-9 or all");
  refused({"--history", "time", "--experiments", "1", "--experiment", "1"}, 2, "not both");
  refused({"--arms", "v1,v2"}, 2, "--history");
  refused({"--experiments", "1"}, 2, "--history");
  refused({"v1"}, 2, "name two arms");
}

}  // namespace
}  // namespace schedlab::cli
