// kill -9: whatever add_run returned for is there afterwards, and the file is sound.
#include <gmock/gmock.h>
#include <sys/wait.h>  // fork, kill and wait are what this is about
#include <unistd.h>

#include <csignal>
#include <set>

#include "store/test_records.h"

namespace schedlab::store {
namespace {

/// A run as small as they get.
RunRecord small_run(ExperimentId experiment, std::int32_t block) {
  RunRecord run = sample_run(experiment, block, 0);
  run.output.histograms.pop_back();
  return run;
}

/// In the child: stores runs for ever, telling each by the pipe once it is durable.
[[noreturn]] void store_until_killed(const std::string& path,
                                     ExperimentId experiment,
                                     std::int32_t first_block,
                                     int report) {
  auto store = Store::open(path);
  if (!store) ::_exit(3);
  for (std::int32_t block = first_block;; ++block) {
    const auto id = store->add_run(small_run(experiment, block));
    if (!id) ::_exit(4);
    if (::write(report, &id->value, sizeof id->value) != sizeof id->value) ::_exit(5);
  }
}

/// Starts such a child, kills it after `reports` runs and `more_us`, returns the runs that it told.
std::set<std::int64_t> runs_told_before_kill(const std::string& path,
                                             ExperimentId experiment,
                                             std::int32_t first_block,
                                             std::size_t reports,
                                             useconds_t more_us) {
  int ends[2] = {};
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) store_until_killed(path, experiment, first_block, ends[1]);
  ::close(ends[1]);
  std::set<std::int64_t> told;
  std::int64_t id = 0;
  while (told.size() < reports && ::read(ends[0], &id, sizeof id) == sizeof id)
    told.insert(id);
  ::usleep(more_us);
  ::kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the child gave up with exit code " << WEXITSTATUS(status);
  while (::read(ends[0], &id, sizeof id) == sizeof id)
    told.insert(id);
  ::close(ends[0]);
  return told;
}

TEST(StoreCrash, KillAtAnyInstantKeepsEveryRunThatWasReported) {
  constexpr int kKills = 100;
  constexpr std::uint64_t kSeed = 20;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  const TempDir dir;
  ExperimentId experiment;
  {
    auto store = Store::open(dir.file());
    ASSERT_TRUE(store);
    experiment = *store->add_experiment(sample_experiment());
  }
  Rng rng(kSeed);
  std::set<std::int64_t> told;
  for (int kill = 0; kill < kKills; ++kill) {
    // Some children die while opening, before any run of theirs.
    const std::size_t reports = rng.below(4);
    const auto more_us = static_cast<useconds_t>(rng.below(8000));
    told.merge(
        runs_told_before_kill(dir.file(), experiment, 1'000'000 * (kill + 1), reports, more_us));
    const auto store = Store::open_read_only(dir.file());
    ASSERT_TRUE(store) << store.error().message;
    const auto runs = store->runs(experiment, Detail::Figures);
    ASSERT_TRUE(runs) << runs.error().message;
    std::set<std::int64_t> stored;
    for (const RunRecord& run : *runs)
      stored.insert(run.id.value);
    ASSERT_TRUE(std::includes(stored.begin(), stored.end(), told.begin(), told.end()));
    ASSERT_LE(stored.size(), told.size() + static_cast<std::size_t>(kill) + 1)
        << "at most one run of each child is stored but was not told";
  }
  EXPECT_GE(told.size(), 50U);
  EXPECT_THAT(*Store::open(dir.file())->check(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace schedlab::store
