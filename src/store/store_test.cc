// Records in and out, what is refused, what `check` finds.
#include "store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <cmath>
#include <fstream>

#include "core/text.h"
#include "store/blob.h"
#include "store/store_fixture.h"

namespace schedlab::store {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(StoreTest, RunOfAnUnknownExperimentArmOrCaseIsRefused) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  RunRecord run = sample_run(ExperimentId{77}, 0, 0);
  EXPECT_THAT(store().add_run(run).error().message, HasSubstr("experiment 77 is not in"));
  run = sample_run(id, 0, 0);
  run.arm = "third";
  EXPECT_THAT(store().add_run(run).error().message, HasSubstr("has no arm 'third'"));
  run = sample_run(id, 0, 0);
  run.case_name = "tbench";
  EXPECT_THAT(store().add_run(run).error().message, HasSubstr("has no case 'tbench'"));
  EXPECT_THAT(*store().runs(id, Detail::Figures), IsEmpty());
}

TEST_F(StoreTest, ExperimentWhoseArmsOrCasesCannotBeToldApartIsRefused) {
  Experiment experiment = sample_experiment();
  experiment.arms[1].name = "base";
  EXPECT_THAT(store().add_experiment(experiment).error().message,
              HasSubstr("'base' is named twice"));
  experiment = sample_experiment();
  experiment.cases = {"x", "y", "x"};
  EXPECT_THAT(store().add_experiment(experiment).error().message, HasSubstr("'x' is named twice"));
  experiment = sample_experiment();
  experiment.arms.clear();
  EXPECT_THAT(store().add_experiment(experiment).error().message, HasSubstr("without an arm"));
  EXPECT_THAT(*store().experiments(), IsEmpty());
}

TEST_F(StoreTest, WhatIsNotThereIsAnErrorThatSaysSo) {
  EXPECT_THAT(store().latest_experiment().error().message, HasSubstr("no experiment in"));
  EXPECT_THAT(store().experiment(ExperimentId{5}).error().message, HasSubstr("no experiment 5"));
  EXPECT_THAT(store().experiment(ExperimentId{}).error().message, HasSubstr("no experiment 0"));
  EXPECT_FALSE(store().runs(ExperimentId{5}, Detail::Figures));
  EXPECT_THAT(store().run(RunId{5}).error().message, HasSubstr("no run 5"));
  EXPECT_THAT(store().add_mark({RunId{5}, "noisy", {}}).error().message, HasSubstr("run 5"));
  EXPECT_THAT(store().environment("abc").error().message, HasSubstr("no environment 'abc'"));
}

TEST_F(StoreTest, ReadOnlyStoreRefusesToWrite) {
  store();
  auto reader = Store::open_read_only(dir_.file());
  ASSERT_TRUE(reader);
  EXPECT_THAT(reader->add_experiment(sample_experiment()).error().message,
              HasSubstr("cannot write to database"));
}

TEST_F(StoreTest, EnvironmentHashNamesOneTextForEver) {
  EXPECT_FALSE(store().add_environment("", "text"));
  EXPECT_TRUE(store().add_environment("abc", "kernel\t6.1"));
  EXPECT_TRUE(store().add_environment("abc", "kernel\t6.1"));
  EXPECT_THAT(store().add_environment("abc", "other").error().message,
              HasSubstr("already names another text"));
  EXPECT_TRUE(store().add_environment("empty", ""));
  EXPECT_EQ(*store().environment("abc"), "kernel\t6.1");
  EXPECT_EQ(*store().environment("empty"), "");
}

TEST_F(StoreTest, ExperimentComesBackAsItWas) {
  Experiment experiment = sample_experiment();
  experiment.id = *store().add_experiment(experiment);
  EXPECT_EQ(*store().experiment(experiment.id), experiment);
  Experiment second = experiment;
  second.kind = RunKind::Simulated;
  second.cases.clear();
  second.stopping = {.when = StopWhen::Precision, .half_width = 0.015};
  second.id = *store().add_experiment(second);
  EXPECT_EQ(*store().latest_experiment(), second);
  EXPECT_THAT(*store().experiments(), ElementsAre(experiment, second));
}

TEST_F(StoreTest, RunComesBackAsItWas) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  RunRecord run = sample_run(id, 3, 1);
  run.id = *store().add_run(run);
  EXPECT_EQ(*store().run(run.id), run);

  RunRecord bare;
  bare.experiment = id;
  bare.arm = "control";
  bare.case_name = "schbench -m 1";
  bare.outcome = Outcome::Killed;
  bare.exit_signal = 9;
  bare.id = *store().add_run(bare);
  EXPECT_THAT(*store().runs(id, Detail::Everything), ElementsAre(run, bare));
  EXPECT_EQ(*store().count_runs(id), (RunCounts{1, 1}));
}

TEST_F(StoreTest, FiguresLeaveSamplesAndLogsOut) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  RunRecord run = sample_run(id, 0, 0);
  run.id = *store().add_run(run);
  run.output.histograms.clear();
  run.output.series.clear();
  run.raw_log.clear();
  EXPECT_THAT(*store().runs(id, Detail::Figures), ElementsAre(run));
}

TEST_F(StoreTest, VerdictLeavesOutWhatNoVerdictRestsOn) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  RunRecord run = sample_run(id, 0, 0);
  run.id = *store().add_run(run);
  RunRecord primary_elsewhere = sample_run(id, 1, 0);
  primary_elsewhere.output.metrics[2].primary = true;
  primary_elsewhere.id = *store().add_run(primary_elsewhere);
  for (RunRecord* lean : {&run, &primary_elsewhere}) {
    lean->arguments.clear();
    lean->output.counters.clear();
    lean->output.histograms.clear();
    lean->output.series.clear();
    lean->raw_log.clear();
    std::erase_if(lean->output.metrics,
                  [](const Metric& metric) { return metric.name == "wakeup_p99"; });
  }
  EXPECT_THAT(*store().runs(id, Detail::Verdict), ElementsAre(run, primary_elsewhere));
}

TEST_F(StoreTest, AFewRunsAmongManyOfOthersAreReadAlike) {
  // Both ways to walk: among 40 runs of another experiment the index, beside them the range.
  const ExperimentId many = *store().add_experiment(sample_experiment());
  const ExperimentId few = *store().add_experiment(sample_experiment());
  std::vector<RunRecord> of_few;
  for (std::int32_t block = 0; block < 40; ++block) {
    ASSERT_TRUE(store().add_run(sample_run(many, block, 0)));
    if (block % 20 != 1) continue;
    of_few.push_back(sample_run(few, block, 1));
    of_few.back().id = *store().add_run(of_few.back());
  }
  EXPECT_EQ(*store().runs(few, Detail::Everything), of_few);
  EXPECT_THAT(*store().runs(many, Detail::Everything), SizeIs(40));
  EXPECT_EQ(*store().run(of_few[1].id), of_few[1]);
  EXPECT_THAT(*store().runs(*store().add_experiment(sample_experiment()), Detail::Everything),
              IsEmpty());
}

TEST_F(StoreTest, ManyRunsAreAddedAllOrNone) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  std::vector<RunRecord> runs = {sample_run(id, 0, 0), sample_run(id, 0, 1), sample_run(id, 1, 0)};
  runs[1].output.counters.clear();
  const auto ids = store().add_runs(runs);
  ASSERT_TRUE(ids) << ids.error().message;
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].id = ids->at(i);
  EXPECT_EQ(*store().runs(id, Detail::Everything), runs);
  runs[2].arm = "third";
  EXPECT_THAT(store().add_runs(runs).error().message, HasSubstr("has no arm 'third'"));
  EXPECT_THAT(*store().runs(id, Detail::Figures), SizeIs(3));
  EXPECT_THAT(*store().add_runs({}), IsEmpty());
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(StoreTest, RunsOfInterleavedExperimentsAreKeptApartAndInOrder) {
  const ExperimentId a = *store().add_experiment(sample_experiment());
  const ExperimentId b = *store().add_experiment(sample_experiment());
  std::vector<RunRecord> of_b;
  for (std::int32_t block = 5; block > 0; --block) {
    ASSERT_TRUE(store().add_run(sample_run(a, block, 0)));
    of_b.push_back(sample_run(b, block, 1));
    of_b.back().output.metrics.resize(static_cast<std::size_t>(block) % 4);
    of_b.back().output.counters.resize(static_cast<std::size_t>(block) % 3);
    of_b.back().id = *store().add_run(of_b.back());
  }
  EXPECT_EQ(*store().runs(b, Detail::Everything), of_b);
  EXPECT_THAT(*store().runs(a, Detail::Figures), SizeIs(5));
}

TEST_F(StoreTest, NotANumberComesBackAsNotANumber) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  RunRecord run = sample_run(id, 0, 0);
  run.output.metrics[0].value = std::nan("");
  run.output.metrics[1].value = -HUGE_VAL;
  run.output.series[0].values = {std::nan(""), HUGE_VAL};
  const RunRecord back = *store().run(*store().add_run(run));
  EXPECT_TRUE(std::isnan(back.output.metrics[0].value));
  EXPECT_EQ(back.output.metrics[1].value, -HUGE_VAL);
  EXPECT_TRUE(std::isnan(back.output.series[0].values[0]));
}

TEST_F(StoreTest, AnyTextAndNumbersSurvive) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  rc::check([&](const std::string& text,
                const std::vector<std::string>& texts,
                const std::vector<double>& values,
                std::int64_t number,
                std::vector<std::uint64_t> samples) {
    RunRecord run = sample_run(id, 0, 0);
    run.failure = text;
    run.boot_id = text;
    run.raw_log = text;
    run.arguments = texts;
    run.output.notes = texts;
    run.output.mode = text;
    run.start_wall = Nanos(number);
    run.noise.interrupts = number;
    run.output.counters = {{text, number}};
    run.output.series[0].values = values;
    for (const std::uint64_t sample : samples)
      run.output.histograms[1].histogram.record(sample);
    const auto stored = store().add_run(run);
    RC_ASSERT(stored.has_value());
    run.id = *stored;
    RC_ASSERT(*store().run(run.id) == run);
  });
}

TEST_F(StoreTest, ReaderSeesRunsThatAWriterAddsLater) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  const auto reader = Store::open_read_only(dir_.file());
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->count_runs(id)->ok, 0);
  ASSERT_TRUE(store().add_run(sample_run(id, 0, 0)));
  EXPECT_EQ(reader->count_runs(id)->ok, 1);
}

TEST_F(StoreTest, MarksAreAddedBesideTheRun) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  const RunId run = *store().add_run(sample_run(id, 0, 0));
  ASSERT_TRUE(store().add_mark({run, "cron ran", Nanos(5)}));
  ASSERT_TRUE(store().add_mark({run, "and again", Nanos(6)}));
  const auto marks = *store().marks(id);
  ASSERT_THAT(marks, SizeIs(2));
  EXPECT_EQ(marks[0].reason, "cron ran");
  EXPECT_EQ(marks[1].wall, Nanos(6));
  EXPECT_EQ(marks[1].run, run);
}

TEST(StoreBlob, SizeAndCapAreHeldBeforeAnythingIsAllocated) {
  const std::string frame = *compress(std::string(1'000'000, 'x'), kMaxBulkBytes);
  EXPECT_LT(frame.size(), 1000U);
  EXPECT_TRUE(decompress(frame, 1'000'000, kMaxBulkBytes));
  EXPECT_FALSE(decompress(frame, 1'000'000, 999'999)) << "above the cap";
  EXPECT_FALSE(decompress(frame, 999'999, kMaxBulkBytes)) << "not the recorded size";
  EXPECT_FALSE(decompress(frame, -1, kMaxBulkBytes));
  EXPECT_FALSE(decompress(frame + "x", 1'000'000, kMaxBulkBytes)) << "more than one frame";
  EXPECT_FALSE(decompress(frame.substr(0, frame.size() - 1), 1'000'000, kMaxBulkBytes));
  EXPECT_FALSE(decompress("", 0, kMaxBulkBytes));
  EXPECT_FALSE(decompress("garbage", 7, kMaxBulkBytes));
  EXPECT_FALSE(compress(std::string(100, 'x'), 99));
  EXPECT_FALSE(unpack_doubles("1234567"));
}

TEST_F(StoreTest, SoundStoreHasNoFindings) {
  ASSERT_TRUE(store().add_environment("abc", "kernel\t6.1"));
  const ExperimentId id = *store().add_experiment(sample_experiment());
  RunRecord run = sample_run(id, 0, 0);
  run.environment_before = "abc";
  run.environment_after = "abc";
  ASSERT_TRUE(store().add_run(run));
  run.outcome = Outcome::Interrupted;
  run.output.metrics.clear();
  ASSERT_TRUE(store().add_run(run)) << "a run that did not end well may be made again";
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(StoreTest, CheckFindsRunsThatBreakAnInvariant) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  RunRecord run = sample_run(id, 0, 0);
  run.output.metrics.clear();
  run.environment_before = "gone";
  run.end_monotonic = Nanos(0);
  run.kind = RunKind::Imported;
  ASSERT_TRUE(store().add_run(run));
  run.block = -1;
  run.output.metrics = {{"time", std::nan("")}};
  ASSERT_TRUE(store().add_run(run));
  ASSERT_TRUE(store().add_run(run));
  EXPECT_THAT(findings(),
              AllOf(Contains("run 1 is ok but has no metric"),
                    Contains("run 2 is ok but its metric 'time' is not a number"),
                    Contains("run 1 names environment 'gone', which is not there"),
                    Contains("run 1 ends before it starts"),
                    Contains("run 1 is imported in an experiment that is measured"),
                    Contains("run 2 has block -1 position 0, below 0"),
                    Contains("runs 2, 3 of experiment 1 are all ok and all in block -1 position 0 "
                             "of case 'hackbench -p -g 1'")));
}

TEST_F(StoreTest, CheckFindsWhatWasTamperedWith) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  for (std::int32_t block = 0; block < 4; ++block)
    ASSERT_TRUE(store().add_run(sample_run(id, block, 0)));
  tamper(
      "UPDATE histogram SET data_zstd = x'00' WHERE run_id = 1 AND position = 0;"
      "UPDATE series SET data_bytes = 1 << 40 WHERE run_id = 2 AND position = 0;"
      "UPDATE artefact SET data_bytes = data_bytes + 1 WHERE run_id = 3;"
      "DELETE FROM metric WHERE run_id = 4 AND position = 1;"
      "DELETE FROM arm WHERE name = 'new'; DELETE FROM arm WHERE name = 'base';"
      "DROP INDEX run_mark_by_run; CREATE TABLE extra (x);"
      "INSERT INTO environment VALUES ('abc', 3, x'1234')");
  EXPECT_THAT(findings(),
              AllOf(Contains(AllOf(HasSubstr("run 1"), HasSubstr("histogram 'wakeup'"))),
                    Contains(AllOf(HasSubstr("run 2"), HasSubstr("series 'rps'"))),
                    Contains(AllOf(HasSubstr("run 3"), HasSubstr("raw log"))),
                    Contains("run 4 lacks rows of metric"),
                    Contains(HasSubstr("of run names a arm that is not there")),
                    Contains("index run_mark_by_run is missing"),
                    Contains("table extra is not ours"),
                    Contains(HasSubstr("environment 'abc'"))));
  EXPECT_THAT(store().runs(id, Detail::Everything).error().message,
              AllOf(HasSubstr("run 1"), HasSubstr("histogram 'wakeup'")));
  EXPECT_TRUE(store().runs(id, Detail::Figures)) << "figures do not need the blobs";
}

TEST_F(StoreTest, UnknownWordInARowIsDamageAndNamesTheRun) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  ASSERT_TRUE(store().add_run(sample_run(id, 0, 0)));
  tamper("UPDATE run SET outcome = 'splendid'");
  const auto runs = store().runs(id, Detail::Figures);
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().kind, Error::Kind::Failed);
  EXPECT_THAT(runs.error().message, AllOf(HasSubstr("run 1"), HasSubstr("'splendid'")));
}

TEST_F(StoreTest, MissingTableIsAnError) {
  store();
  tamper("DROP VIEW metric_value; DROP TABLE series");
  EXPECT_FALSE(store().run(RunId{1}));
  EXPECT_THAT(findings(), Contains("table series is missing"));
}

TEST_F(StoreTest, RandomDamageNeverCrashesAReader) {
  const ExperimentId id = *store().add_experiment(sample_experiment());
  for (std::int32_t block = 0; block < 20; ++block)
    ASSERT_TRUE(store().add_run(sample_run(id, block, 0)));
  store_.reset();
  std::ifstream in(dir_.file(), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  const std::string path = dir_.file("damaged.db");
  int noticed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    std::string bad = good;
    for (int i = 0; i < 40; ++i)
      bad[100 + rng.below(bad.size() - 100)] = static_cast<char>(rng.below(256));
    if (seed % 4 == 0) bad.resize(rng.below(bad.size()));
    std::ofstream(path, std::ios::binary) << bad;
    const auto damaged = Store::open_read_only(path);
    if (!damaged) {
      ++noticed;
      continue;
    }
    static_cast<void>(damaged->experiments());
    static_cast<void>(damaged->runs(id, Detail::Everything));
    const auto found = damaged->check();
    if (!found || !found->empty()) ++noticed;
  }
  EXPECT_GE(noticed, 40) << "of 60";
}

}  // namespace
}  // namespace schedlab::store
