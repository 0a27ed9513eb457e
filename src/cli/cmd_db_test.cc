#include "cli/cmd_db.h"

#include <gmock/gmock.h>
#include <sys/resource.h>  // a limit on file sizes is how these tests fill a disk

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/test_output.h"
#include "core/text.h"
#include "store/test_records.h"

namespace schedlab::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Said db(const std::vector<std::string>& arguments) {
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  Said said;
  said.status = db_main(arguments, out, err);
  said.out = drained(out);
  said.err = drained(err);
  const auto lines = std::count(said.err.begin(), said.err.end(), '\n');
  EXPECT_LE(lines, 1) << said.err;
  return said;
}

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class DbTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = store::Store::open(db_);
    ASSERT_TRUE(store) << store.error().message;
    id_ = *store->add_experiment(store::sample_experiment());
    ASSERT_TRUE(store->add_run(store::sample_run(id_, 0, 0)));
    RunRecord failed = store::sample_run(id_, 0, 1);
    failed.outcome = Outcome::TimedOut;
    failed.failure = "killed after 10s\x1b[2J";
    failed.output.metrics.clear();
    ASSERT_TRUE(store->add_run(failed));
    ASSERT_TRUE(store->add_mark({RunId{1}, "cron\nran", Nanos(1)}));
  }

  [[nodiscard]] std::size_t files() const {
    const auto in = std::filesystem::directory_iterator(dir_.path());
    return static_cast<std::size_t>(std::count_if(begin(in), end(in), [](const auto& entry) {
      return entry.path().filename().string().find("test.db") != 0;
    }));
  }

  const store::TempDir dir_;
  const std::string db_ = dir_.file();
  ExperimentId id_;
};

TEST_F(DbTest, NoVerbAndUnknownVerbAreUsageErrors) {
  EXPECT_EQ(db({}).status, 2);
  const Said said = db({"lits"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, AllOf(StartsWith("schedlab: "), HasSubstr("did you mean list?")));
  EXPECT_THAT(db({"\x1b[2J"}).err, Not(HasSubstr("\x1b")));
}

TEST_F(DbTest, UnknownFlagIsAUsageErrorThatNamesTheNearest) {
  const Said said = db({"export", "--formt", "csv"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("--format"));
  EXPECT_EQ(db({"export", "--format", "xml", "--db", db_}).status, 2);
  EXPECT_EQ(db({"export", "--db", db_}).status, 2) << "the format is not guessed";
  EXPECT_EQ(db({"show", "zero", "--db", db_}).status, 2);
  EXPECT_EQ(db({"show", "-3", "--db", db_}).status, 2);
  EXPECT_EQ(db({"show", "--log", "--db", db_}).status, 2);
  EXPECT_EQ(db({"list", "extra", "--db", db_}).status, 2);
}

TEST_F(DbTest, HelpStartsWithAnExample) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"list", "--help"},
                                                    {"show", "--help"},
                                                    {"export", "--help"},
                                                    {"check", "--help"}}) {
    const Said said = db(arguments);
    EXPECT_EQ(said.status, 0);
    EXPECT_THAT(said.out, StartsWith("Example: schedlab db "));
    EXPECT_THAT(said.err, IsEmpty());
  }
}

TEST_F(DbTest, MissingAndForeignDatabasesFailWithOneLine) {
  std::ofstream(dir_.file("garbage")) << "garbage";
  for (const std::string verb : {"list", "show", "check"}) {
    const Said missing = db({verb, "--db", dir_.file("none")});
    EXPECT_EQ(missing.status, 1);
    EXPECT_THAT(missing.err, HasSubstr("does not exist"));
    EXPECT_EQ(db({verb, "--db", dir_.file("garbage")}).status, 1);
  }
}

// A kill while the first experiment makes the database loses nothing: there is nothing yet.
TEST_F(DbTest, AnEmptyFileIsSoundButHasNothingToShow) {
  const std::string empty = dir_.file("empty");
  std::ofstream(empty).flush();
  const Said checked = db({"check", "--db", empty});
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("nothing was stored yet"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"list"}, {"show"}, {"export", "--format", "csv"}}) {
    std::vector<std::string> command = arguments;
    command.insert(command.end(), {"--db", empty});
    const Said said = db(command);
    EXPECT_EQ(said.status, 1);
    EXPECT_THAT(said.err, HasSubstr("it is empty: no experiment yet"));
  }
}

TEST_F(DbTest, ListHasALinePerExperimentWithinEightyColumns) {
  {
    auto store = store::Store::open(db_);
    Experiment longest = store::sample_experiment();
    longest.machine.hostname = std::string(100, 'h') + "\n";
    longest.arms[0].name = std::string(100, 'a');
    longest.cases = {std::string(100, 'c'), "d"};
    ASSERT_TRUE(store->add_experiment(longest));
  }
  const Said said = db({"list", "--db", db_});
  EXPECT_EQ(said.status, 0) << said.err;
  std::istringstream lines(said.out);
  std::vector<std::string> list;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    list.push_back(line);
  }
  ASSERT_EQ(list.size(), 3U);
  EXPECT_THAT(list[1],
              AllOf(HasSubstr("2023-11-14 22:13"),
                    HasSubstr("1/1"),
                    HasSubstr("box"),
                    HasSubstr("base new control"),
                    HasSubstr("hackbench"),
                    HasSubstr(" +1")));
}

TEST_F(DbTest, ShowTellsTheExperimentAndItsRuns) {
  const Said said = db({"show", "1", "--db", db_});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(
      said.out,
      AllOf(HasSubstr("repeat   schedlab ab -A same --seed 18446744073709551615 'it'\\''s'"),
            HasSubstr("arm      new: cpus=0-3,nice=5"),
            HasSubstr("time 1.250 s"),
            HasSubstr("timed-out"),
            HasSubstr("killed after 10s?[2J"),
            HasSubstr("run 1 is marked: cron?ran")));
  EXPECT_EQ(db({"show", "--db", db_}).out, said.out) << "the newest by default";
  const Said absent = db({"show", "9", "--db", db_});
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.err, HasSubstr("no experiment 9"));
}

TEST_F(DbTest, ShowOfARunTellsAllOfIt) {
  const Said said = db({"show", "--run", "1", "--db", db_});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("command   hackbench -p -g 1 '' 'a b'"),
                    HasSubstr("steal not known"),
                    HasSubstr("interrupts 12345"),
                    HasSubstr("lower is better, primary"),
                    HasSubstr("distribution of wakeup: 50 samples"),
                    HasSubstr("distribution of empty: 0 samples"),
                    HasSubstr("p99.9 ")));
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("voluntary_switches"),
                    HasSubstr("footprint 4096 bytes"),
                    HasSubstr("marked    cron?ran"),
                    HasSubstr("series rps: 3 values"),
                    HasSubstr("--log shows them"),
                    Not(HasSubstr("Time: 1.250"))));
  EXPECT_THAT(db({"show", "--run", "1", "--log", "--db", db_}).out, HasSubstr("Time: 1.250\n??"));
  EXPECT_EQ(db({"show", "--run", "7", "--db", db_}).status, 1);
  EXPECT_EQ(db({"show", "2", "--run", "1", "--db", db_}).status, 2);
}

TEST_F(DbTest, ExportGoesToStandardOutputOrAFile) {
  const Said csv = db({"export", "--format", "csv", "--db", db_});
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_THAT(csv.out, StartsWith("experiment,run,"));
  EXPECT_THAT(db({"export", "--format", "jsonl", "--db", db_}).out,
              StartsWith("{\"type\":\"experiment\""));
  const std::string file = dir_.file("runs.csv");
  EXPECT_EQ(db({"export", "--format", "csv", "-o", file, "--db", db_}).status, 0);
  EXPECT_EQ(slurp(file), csv.out);
  EXPECT_EQ(files(), 1U) << "nothing is left beside it";
}

TEST_F(DbTest, ExportNeverReplacesAFileUnlessForced) {
  const std::string file = dir_.file("runs.csv");
  std::ofstream(file) << "precious";
  const Said said = db({"export", "--format", "csv", "-o", file, "--db", db_});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.err, HasSubstr("--force"));
  EXPECT_EQ(slurp(file), "precious");
  EXPECT_EQ(db({"export", "--format", "csv", "-o", file, "--force", "--db", db_}).status, 0);
  EXPECT_THAT(slurp(file), StartsWith("experiment,"));
  const Said device = db({"export", "--format", "csv", "-o", "/dev/null", "--force", "--db", db_});
  EXPECT_EQ(device.status, 1) << "renaming over a device would remove it";
  EXPECT_THAT(device.err, HasSubstr("not a regular file"));
}

/// No file of this process may grow past `bytes` while this lives: a disk that fills up half-way.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit = {bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }

  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }

 private:
  sighandler_t handler_;
  rlimit before_{};
};

TEST_F(DbTest, ExportThatFailsHalfWayLeavesNoFile) {
  {
    auto store = store::Store::open(db_);
    for (std::int32_t block = 1; block < 100; ++block)
      ASSERT_TRUE(store->add_run(store::sample_run(id_, block, 0)));
  }
  const std::string file = dir_.file("runs.jsonl");
  const std::vector<std::string> arguments = {
      "export", "--format", "jsonl", "-o", file, "--force", "--db", db_};
  {
    const SmallFiles limit(64 * 1024);
    const Said said = db(arguments);
    EXPECT_EQ(said.status, 1);
    EXPECT_THAT(said.err, HasSubstr("File too large; nothing was kept"));
    EXPECT_EQ(files(), 0U);
    std::ofstream(file) << "precious";
    EXPECT_EQ(db(arguments).status, 1);
    EXPECT_EQ(slurp(file), "precious") << "a failed export does not cost the old one";
    EXPECT_EQ(files(), 1U);
  }
  EXPECT_EQ(db(arguments).status, 0);
  EXPECT_GT(std::filesystem::file_size(file), 64U * 1024U);
}

TEST_F(DbTest, FullStandardOutputAndMissingDirectoriesAreErrors) {
  const Said said = db({"export", "--format", "csv", "-o", dir_.file("no/x.csv"), "--db", db_});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.err, HasSubstr("No such file or directory"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"export", "--format", "jsonl", "--db", db_},
        {"list", "--db", db_},
        {"check", "--db", db_}}) {
    std::FILE* full = std::fopen("/dev/full", "w");
    ASSERT_NE(full, nullptr);
    std::FILE* err = std::tmpfile();
    EXPECT_EQ(db_main(arguments, full, err), 1);
    EXPECT_THAT(drained(err), HasSubstr("No space left"));
    std::fclose(full);
  }
}

TEST_F(DbTest, CheckSaysSoundOrWhatIsNot) {
  const Said sound = db({"check", "--db", db_});
  EXPECT_EQ(sound.status, 0);
  EXPECT_THAT(sound.out, HasSubstr("sound"));
  {
    auto store = store::Store::open(db_);
    RunRecord run = store::sample_run(id_, 1, 0);
    run.environment_after = "gone\x1b";
    ASSERT_TRUE(store->add_run(run));
  }
  const Said found = db({"check", "--db", db_});
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("run 3 names environment 'gone?'"), HasSubstr("1 finding\n")));
  EXPECT_THAT(found.err, IsEmpty());
}

}  // namespace
}  // namespace schedlab::cli
