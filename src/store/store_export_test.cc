// The export formats: JSON Lines and CSV.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "store/export_text.h"
#include "store/store_fixture.h"

namespace schedlab::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::vector<std::string> json_lines(const Store& store) {
  std::vector<std::string> lines;
  EXPECT_TRUE(store.export_json_lines([&](const std::string& line) -> Status {
    lines.push_back(line);
    return {};
  }));
  return lines;
}

TEST_F(StoreTest, JsonLinesHoldWhatItTakesToRebuildARun) {
  ASSERT_TRUE(store().add_environment("abc", "kernel\t6.1"));
  const ExperimentId id = *store().add_experiment(sample_experiment());
  const RunRecord run = sample_run(id, 3, 1);
  ASSERT_TRUE(store().add_run(run));
  ASSERT_TRUE(store().add_mark({RunId{1}, "cron", Nanos(5)}));
  const auto lines = json_lines(store());
  ASSERT_THAT(lines, SizeIs(4));
  const auto experiment = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(experiment["type"], "experiment");
  EXPECT_EQ(experiment["seed"].get<std::uint64_t>(), 18446744073709551615U);
  EXPECT_EQ(experiment["arms"][1]["spec"], "cpus=0-3,nice=5");
  EXPECT_EQ(experiment["stopping"]["when"], "looks");
  EXPECT_EQ(experiment["stopping"]["looks"], 4);
  EXPECT_EQ(experiment["stopping"]["delta"], 0.02);
  EXPECT_EQ(experiment["stopping"]["max_time_ns"], 7'200'000'000'000);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["text"], "kernel\t6.1");
  const auto record = nlohmann::json::parse(lines[2]);
  EXPECT_EQ(record["type"], "run");
  EXPECT_EQ(record["block"], 3);
  EXPECT_EQ(record["arguments"].get<std::vector<std::string>>(), run.arguments);
  EXPECT_EQ(record["noise_foreign_cpu_ns"], 7);
  EXPECT_TRUE(record["noise_steal_ns"].is_null());
  EXPECT_EQ(record["metrics"][2]["value"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(record["histograms"][0]["data_base64"],
            base64(run.output.histograms[0].histogram.serialise()));
  EXPECT_EQ(record["histograms"][0]["quantiles"]["0.5"],
            run.output.histograms[0].histogram.quantile(0.5));
  EXPECT_EQ(record["raw_log_base64"], base64(run.raw_log)) << "it is not UTF-8";
  EXPECT_FALSE(record.contains("raw_log"));
  EXPECT_EQ(nlohmann::json::parse(lines[3])["reason"], "cron");
}

TEST(StoreExport, Base64IsThatOfTheStandard) {
  // RFC 4648, section 10.
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

/// The fields of one record that holds no line end, by RFC 4180.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

TEST_F(StoreTest, CsvHasOneRowPerFigureAndOneForARunWithout) {
  Experiment experiment = sample_experiment();
  experiment.cases.emplace_back("odd, \"case\"\nname");
  const ExperimentId id = *store().add_experiment(experiment);
  RunRecord run = sample_run(id, 3, 1);
  run.case_name = experiment.cases.back();
  run.output.metrics[1].value = std::nan("");
  run.output.counters[0].name = "";
  ASSERT_TRUE(store().add_run(run));
  RunRecord failed_run = sample_run(id, 4, 1);
  failed_run.outcome = Outcome::TimedOut;
  failed_run.output = {};
  ASSERT_TRUE(store().add_run(failed_run));
  std::vector<std::vector<std::string>> rows;
  ASSERT_TRUE(store().export_csv([&](const std::string& line) -> Status {
    rows.push_back(csv_fields(line));
    return {};
  }));
  ASSERT_THAT(rows, SizeIs(1 + 3 + 2 + 1));
  const auto at = [&](std::size_t row, const std::string& name) {
    const auto column = std::find(rows[0].begin(), rows[0].end(), name);
    EXPECT_NE(column, rows[0].end()) << name;
    return rows[row].at(static_cast<std::size_t>(column - rows[0].begin()));
  };
  for (const auto& row : rows)
    EXPECT_THAT(row, SizeIs(rows[0].size()));
  EXPECT_EQ(at(1, "case"), "odd, \"case\"\nname");
  EXPECT_EQ(at(1, "arguments"), "hackbench -p -g 1 '' 'a b'");
  EXPECT_EQ(at(1, "name"), "time");
  EXPECT_EQ(at(1, "value"), "4.25");
  EXPECT_EQ(at(1, "primary"), "1");
  EXPECT_EQ(at(1, "noise_steal_ns"), "");
  EXPECT_EQ(at(2, "value"), "NaN");
  EXPECT_EQ(at(3, "value"), "0.30000000000000004");
  EXPECT_EQ(at(4, "source"), "counter");
  EXPECT_EQ(at(5, "value"), "-9223372036854775808");
  EXPECT_EQ(at(6, "outcome"), "timed-out");
  EXPECT_EQ(at(6, "value"), "");
}

TEST_F(StoreTest, ExportStopsAtTheFirstLineThatCannotBeWritten) {
  ASSERT_TRUE(store().add_experiment(sample_experiment()));
  ASSERT_TRUE(store().add_experiment(sample_experiment()));
  int lines = 0;
  const auto full = [&](const std::string&) -> Status {
    ++lines;
    return failed("disk full");
  };
  EXPECT_THAT(store().export_json_lines(full).error().message, HasSubstr("disk full"));
  EXPECT_THAT(store().export_csv(full).error().message, HasSubstr("disk full"));
  EXPECT_EQ(lines, 2);
}

}  // namespace
}  // namespace schedlab::store
