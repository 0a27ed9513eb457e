// Opening: every way in which the world refuses, and that what is refused is left as it was.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/mount.h>  // a full and a read-only file system are what some of these are about
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "store/schema.h"
#include "store/store.h"
#include "store/test_records.h"

namespace schedlab::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The error's message; fails the test when there is none or it is not one line.
template <typename T>
std::string refusal(const Result<T>& result) {
  if (result) {
    ADD_FAILURE() << "was not refused";
    return {};
  }
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos) << result.error().message;
  return result.error().message;
}

SQLite::Database raw(const std::string& path) {
  return {path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
}

/// A tmpfs on `directory` while it lives; `mounted()` is false where that needs more rights.
class TinyDisk {
 public:
  TinyDisk(std::string directory, const char* options)
      : directory_(std::move(directory)),
        mounted_(::mount("tmpfs", directory_.c_str(), "tmpfs", 0, options) == 0) {}

  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;

  ~TinyDisk() {
    if (mounted_) ::umount2(directory_.c_str(), MNT_DETACH);
  }

  [[nodiscard]] bool mounted() const { return mounted_; }

  void make_read_only() const {
    ASSERT_EQ(::mount("", directory_.c_str(), "", MS_REMOUNT | MS_RDONLY, ""), 0);
  }

 private:
  std::string directory_;
  bool mounted_;
};

TEST(StoreOpen, MissingFileIsNamedToReaders) {
  const TempDir dir;
  EXPECT_THAT(refusal(Store::open_read_only(dir.file())),
              AllOf(HasSubstr(dir.file()), HasSubstr("does not exist"), HasSubstr("schedlab ab")));
  EXPECT_FALSE(std::filesystem::exists(dir.file()));
}

TEST(StoreOpen, MissingDirectoryIsNamedToWriters) {
  const TempDir dir;
  EXPECT_THAT(refusal(Store::open(dir.file("no/such.db"))),
              AllOf(HasSubstr("directory"), HasSubstr("does not exist"), HasSubstr("create it")));
}

TEST(StoreOpen, DirectoryIsRefused) {
  const TempDir dir;
  EXPECT_THAT(refusal(Store::open(dir.path().string())), HasSubstr("it is a directory"));
  EXPECT_THAT(refusal(Store::open_read_only(dir.path().string())), HasSubstr("it is a directory"));
}

TEST(StoreOpen, FifoIsRefusedWithoutWaitingForItsOtherEnd) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo(dir.file().c_str(), 0600), 0);
  EXPECT_THAT(refusal(Store::open(dir.file())), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal(Store::open_read_only(dir.file())), HasSubstr("not a regular file"));
}

TEST(StoreOpen, EmptyAndImpossiblePathsAreRefused) {
  EXPECT_THAT(refusal(Store::open("")), HasSubstr("path is empty"));
  EXPECT_THAT(refusal(Store::open_read_only("")), HasSubstr("path is empty"));
  EXPECT_THAT(refusal(Store::open(std::string("a\0b", 3))), HasSubstr("zero byte"));
  EXPECT_THAT(refusal(Store::open(std::string(5000, 'x'))), HasSubstr("too long"));
}

TEST(StoreOpen, NamesThatSqliteWouldTakeForSomethingElseAreFiles) {
  const TempDir dir;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  const std::vector<std::string> names = {":memory:", "file:x?mode=memory", "a%20?b#c", "it's"};
  for (const std::string& name : names) {
    ASSERT_TRUE(Store::open(name)) << name;
    EXPECT_TRUE(std::filesystem::is_regular_file(dir.file(name))) << name;
    EXPECT_TRUE(Store::open_read_only(name)) << name;
  }
  std::filesystem::current_path(before);
}

TEST(StoreOpen, GarbageIsRefusedAndLeftAsItWas) {
  const TempDir dir;
  for (const std::string& garbage : {std::string("hello"),
                                     std::string(100'000, 'x'),
                                     std::string("SQLite format 3\0", 16),
                                     "SQLite format 3" + std::string(5000, '\xff'),
                                     std::string(4096, '\0')}) {
    spill(dir.file(), garbage);
    EXPECT_THAT(refusal(Store::open(dir.file())), HasSubstr("cannot open database"));
    EXPECT_THAT(refusal(Store::open_read_only(dir.file())), HasSubstr("cannot open database"));
    EXPECT_EQ(slurp(dir.file()), garbage);
  }
}

TEST(StoreOpen, EmptyFileBecomesADatabaseForWritersOnly) {
  const TempDir dir;
  spill(dir.file(), "");
  EXPECT_THAT(refusal(Store::open_read_only(dir.file())),
              HasSubstr("it is empty: no experiment yet"));
  EXPECT_TRUE(Store::open(dir.file()));
  EXPECT_TRUE(Store::open_read_only(dir.file()));
}

TEST(StoreOpen, WhatAWriterKilledWhileCreatingItLeavesIsBlank) {
  const TempDir dir;
  spill(dir.file("made"), "");
  raw(dir.file("wal")).exec("PRAGMA journal_mode=WAL");
  for (const char* name : {"made", "wal"}) {
    const auto blank = Store::is_blank(dir.file(name));
    ASSERT_TRUE(blank) << blank.error().message;
    EXPECT_TRUE(*blank) << name;
    EXPECT_THAT(refusal(Store::open_read_only(dir.file(name))), HasSubstr("no experiment yet"));
    EXPECT_TRUE(Store::open(dir.file(name)));
    EXPECT_FALSE(*Store::is_blank(dir.file(name))) << name;
  }
}

TEST(StoreOpen, ForeignDamagedAndMissingFilesAreNotBlank) {
  const TempDir dir;
  raw(dir.file("foreign")).exec("CREATE TABLE bookmarks (url TEXT)");
  spill(dir.file("garbage"), "garbage");
  for (const char* name : {"foreign", "garbage", "missing"})
    EXPECT_FALSE(Store::is_blank(dir.file(name))) << name;
}

TEST(StoreOpen, AnotherApplicationsDatabaseIsRefusedAndLeftAsItWas) {
  const TempDir dir;
  raw(dir.file()).exec("CREATE TABLE bookmarks (url TEXT)");
  const std::string before = slurp(dir.file());
  EXPECT_THAT(refusal(Store::open(dir.file())), HasSubstr("another application's"));
  EXPECT_THAT(refusal(Store::open_read_only(dir.file())), HasSubstr("another application's"));
  EXPECT_EQ(slurp(dir.file()), before);

  raw(dir.file("b.db")).exec("PRAGMA application_id=1234; VACUUM");
  EXPECT_THAT(refusal(Store::open(dir.file("b.db"))), HasSubstr("another application's"));
  raw(dir.file("c.db")).exec("PRAGMA user_version=1; VACUUM");
  EXPECT_THAT(refusal(Store::open(dir.file("c.db"))), HasSubstr("another application's"));
}

TEST(StoreOpen, NewerVersionIsRefusedAndLeftAsItWas) {
  const TempDir dir;
  ASSERT_TRUE(Store::open(dir.file()));
  raw(dir.file()).exec("PRAGMA user_version=99");
  const std::string before = slurp(dir.file());
  EXPECT_THAT(refusal(Store::open(dir.file())),
              AllOf(HasSubstr("schema version 99"), HasSubstr("newer schedlab")));
  EXPECT_THAT(refusal(Store::open_read_only(dir.file())), HasSubstr("schema version 99"));
  EXPECT_EQ(slurp(dir.file()), before);
}

TEST(StoreOpen, OlderVersionIsMigratedByWritersAndRefusedByReaders) {
  const TempDir dir;
  raw(dir.file()).exec(fmt::format("PRAGMA application_id={}; VACUUM", kApplicationId));
  EXPECT_THAT(refusal(Store::open_read_only(dir.file())), HasSubstr("older schema version 0"));
  EXPECT_TRUE(Store::open(dir.file()));
  EXPECT_TRUE(Store::open_read_only(dir.file()));
}

TEST(StoreOpen, AnExperimentOfVersion1ComesBackAsAPlanOfFixedLength) {
  const TempDir dir;
  {
    SQLite::Database old = raw(dir.file());
    old.exec(migrations()[0]);
    old.exec(fmt::format("PRAGMA application_id={}; PRAGMA user_version=1", kApplicationId));
    old.exec(
        "INSERT INTO machine VALUES (1, 'box', 'A CPU', 8, '6.1');"
        "INSERT INTO experiment VALUES (7, 1, 'measured', '0.1.0', 5, 'ABBA/BAAB', 12, 1000);"
        "INSERT INTO arm VALUES (7, 0, 'base', 'same')");
  }
  const auto store = Store::open(dir.file());
  ASSERT_TRUE(store) << store.error().message;
  const auto experiment = store->experiment(ExperimentId{7});
  ASSERT_TRUE(experiment) << experiment.error().message;
  EXPECT_EQ(experiment->stopping, StoppingRule());
  EXPECT_EQ(experiment->blocks_planned, 12);
  EXPECT_EQ(experiment->start_wall, Nanos(1000));
  EXPECT_THAT(*store->check(), ::testing::IsEmpty());
}

TEST(StoreOpen, RunsOfEarlierVersionsAreOfTheOnlyBuild) {
  const TempDir dir;
  SQLite::Database old = raw(dir.file());
  old.exec(migrations().front());
  old.exec(fmt::format("PRAGMA application_id={}; PRAGMA user_version=1", kApplicationId));
  old.exec(
      "INSERT INTO machine VALUES (1, 'box', 'cpu', 2, '6.1');"
      "INSERT INTO experiment VALUES (1, 1, 'measured', '0.1.0', 7, 'ABBA/BAAB', 1, 0);"
      "INSERT INTO arm VALUES (1, 0, 'base', 'same');"
      "INSERT INTO experiment_case VALUES (1, 0, 'case');"
      "INSERT INTO run VALUES (1, 1, 0, 0, 'base', 'case', NULL, 'measured', 'failed', 1, 0, 'exit "
      "status 1', 0, 1, 0, 1, '', '', NULL, NULL, NULL, NULL, NULL, 'fake', '1', 'native')");
  const auto store = Store::open(dir.file());
  ASSERT_TRUE(store) << store.error().message;
  const auto run = store->run(RunId{1});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->build, "");
  EXPECT_EQ(run->output.mode, "native");
  EXPECT_TRUE(store->check()->empty());
}

TEST(StoreOpen, MadeDatabaseIsMarkedAsOursInWalMode) {
  const TempDir dir;
  ASSERT_TRUE(Store::open(dir.file()));
  SQLite::Database database = raw(dir.file());
  EXPECT_EQ(database.execAndGet("PRAGMA application_id").getInt64(), kApplicationId);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt64(), schema_version());
  EXPECT_EQ(database.execAndGet("PRAGMA journal_mode").getString(), "wal");
}

TEST(StoreOpen, OpensAgainAfterACrashBetweenCreationAndSchema) {
  const TempDir dir;
  raw(dir.file()).exec("PRAGMA journal_mode=WAL");
  EXPECT_TRUE(Store::open(dir.file()));
}

TEST(StoreOpen, SeveralProcessesMayCreateAtOnce) {
  const TempDir dir;
  for (int round = 0; round < 10; ++round) {
    const std::string path = dir.file(fmt::format("{}.db", round));
    std::vector<std::string> errors(4);
    std::vector<std::thread> creators;
    for (std::string& error : errors) {
      creators.emplace_back([&path, &error] {
        const auto store = Store::open(path);
        if (!store) error = store.error().message;
      });
    }
    for (std::thread& creator : creators)
      creator.join();
    EXPECT_THAT(errors, ::testing::Each(""));
  }
}

TEST(StoreOpen, LockHeldByAnotherWriterIsAnErrorAfterTheTimeout) {
  const TempDir dir;
  auto store = Store::open(dir.file(), std::chrono::milliseconds(20));
  ASSERT_TRUE(store);
  SQLite::Database other = raw(dir.file());
  other.exec("BEGIN IMMEDIATE");
  EXPECT_THAT(refusal(store->add_experiment(sample_experiment())), HasSubstr("keeps it locked"));
  EXPECT_TRUE(store->experiments()) << "readers do not wait for writers";
  other.exec("ROLLBACK");
  EXPECT_TRUE(store->add_experiment(sample_experiment()));
}

/// Root may do everything, so these tests put it aside for a while.
class WithoutRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() != 0) return;
    ASSERT_EQ(::chown(dir_.path().c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::seteuid(kNobody), 0);
    was_root_ = true;
  }

  void TearDown() override {
    if (was_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
    ::chmod(dir_.path().c_str(), 0700);
  }

  const TempDir dir_;
  bool was_root_ = false;
};

TEST_F(WithoutRoot, UnreadableFileSaysPermissionDenied) {
  ASSERT_TRUE(Store::open(dir_.file()));
  ::chmod(dir_.file().c_str(), 0000);
  EXPECT_THAT(refusal(Store::open(dir_.file())), HasSubstr("Permission denied"));
  EXPECT_THAT(refusal(Store::open_read_only(dir_.file())), HasSubstr("Permission denied"));
}

TEST_F(WithoutRoot, ReadOnlyFileIsForReadersOnly) {
  ASSERT_TRUE(Store::open(dir_.file()));
  ::chmod(dir_.file().c_str(), 0400);
  EXPECT_THAT(refusal(Store::open(dir_.file())), HasSubstr("must be readable and writable"));
  EXPECT_TRUE(Store::open_read_only(dir_.file()));
}

TEST_F(WithoutRoot, UnwritableDirectoryIsNamedToWriters) {
  ::chmod(dir_.path().c_str(), 0500);
  EXPECT_THAT(refusal(Store::open(dir_.file())),
              AllOf(HasSubstr("Permission denied"), HasSubstr("directory must be writable")));
}

TEST_F(WithoutRoot, UnwritableDirectoryCanBeReadWhenNothingIsUnmerged) {
  {
    auto store = Store::open(dir_.file());
    ASSERT_TRUE(store);
    ASSERT_TRUE(store->add_experiment(sample_experiment()));
  }
  ::chmod(dir_.path().c_str(), 0500);
  const auto store = Store::open_read_only(dir_.file());
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(store->experiments()->size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(dir_.file("test.db-shm")));
}

TEST_F(WithoutRoot, UnwritableDirectoryIsRefusedWhileAWalHidesRuns) {
  {
    auto store = Store::open(dir_.file("live.db"));
    ASSERT_TRUE(store);
    ASSERT_TRUE(store->add_experiment(sample_experiment()));
    // What a crash leaves: the database and its log, no shared memory file.
    std::filesystem::copy(dir_.file("live.db"), dir_.file());
    std::filesystem::copy(dir_.file("live.db-wal"), dir_.file("test.db-wal"));
  }
  ::chmod(dir_.path().c_str(), 0500);
  EXPECT_THAT(refusal(Store::open_read_only(dir_.file())),
              AllOf(HasSubstr("test.db-wal"), HasSubstr("not merged"), HasSubstr("copy both")));
  ::chmod(dir_.path().c_str(), 0700);
  const auto store = Store::open_read_only(dir_.file());
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(store->experiments()->size(), 1U);
}

TEST(StoreOpen, ReadOnlyFileSystemIsForReadersOnly) {
  const TempDir dir;
  const TinyDisk disk(dir.path().string(), "size=4m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs needs root";
  ASSERT_TRUE(Store::open(dir.file()));
  disk.make_read_only();
  EXPECT_THAT(refusal(Store::open(dir.file())), HasSubstr("Read-only file system"));
  EXPECT_THAT(refusal(Store::open(dir.file("new.db"))), HasSubstr("Read-only file system"));
  EXPECT_TRUE(Store::open_read_only(dir.file()));
}

TEST(StoreOpen, FullDiskIsAnErrorAtCreation) {
  const TempDir dir;
  const TinyDisk disk(dir.path().string(), "size=64k");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs needs root";
  EXPECT_THAT(refusal(Store::open(dir.file())), HasSubstr("disk is full"));
}

TEST(StoreOpen, FullDiskLosesOnlyTheRunThatDidNotFit) {
  const TempDir dir;
  const TinyDisk disk(dir.path().string(), "size=2m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs needs root";
  auto store = Store::open(dir.file());
  ASSERT_TRUE(store);
  const ExperimentId id = *store->add_experiment(sample_experiment());
  spill(dir.file("ballast"), std::string(500'000, 'x'));
  std::size_t stored = 0;
  Result<RunId> last = RunId{};
  for (std::int32_t block = 0; block < 10'000 && last; ++block) {
    last = store->add_run(sample_run(id, block, 0));
    if (last) ++stored;
  }
  EXPECT_THAT(refusal(last), HasSubstr("disk is full"));
  EXPECT_GT(stored, 10U);
  std::filesystem::remove(dir.file("ballast"));
  EXPECT_EQ(store->runs(id, Detail::Everything)->size(), stored);
  EXPECT_TRUE(store->add_run(sample_run(id, 20'000, 0))) << "usable once there is space";
  EXPECT_THAT(*store->check(), ::testing::IsEmpty());
}

TEST(StoreOpen, EveryRefusalNamesThePathSafely) {
  const TempDir dir;
  EXPECT_THAT(refusal(Store::open_read_only(dir.file("bad\x1b[2Jname"))),
              AllOf(HasSubstr("bad?[2Jname"), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace schedlab::store
