#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "tests/e2e/program.h"

namespace schedlab::e2e {
namespace {

using ::testing::IsEmpty;

// Loop counts that nothing else on the machine has in its command line.
constexpr const char* kMarkedLoops = "9876543";

/// Waits, bounded, for what a killed runner's supervisor still has to do.
template <typename Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return condition();
}

std::int64_t finished_runs(const std::string& progress) {
  std::int64_t runs = 0;
  for (std::size_t at = progress.find("run "); at != std::string::npos;
       at = progress.find("\nrun ", at + 1))
    ++runs;
  return runs;
}

std::int64_t stored_runs(const std::string& db) {
  const auto exported = run_schedlab({"db", "export", "--db", db, "--format", "jsonl"});
  std::int64_t runs = 0;
  std::size_t at = 0;
  while (at < exported.out.size()) {
    const std::size_t end = exported.out.find('\n', at);
    const auto line = nlohmann::json::parse(exported.out.substr(at, end - at));
    if (line.contains("outcome")) ++runs;
    at = end + 1;
  }
  return runs;
}

std::string slurp(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Our cgroup's directory in the v2 hierarchy, where the program makes those of its runs; empty
/// where there is none. The path in /proc/self/cgroup counts from the root of our cgroup namespace,
/// a mount may show a part of the hierarchy only: its fourth field says from where.
std::string own_cgroup() {
  std::string path;
  std::istringstream memberships(slurp("/proc/self/cgroup"));
  for (std::string line; std::getline(memberships, line);) {
    if (line.rfind("0::", 0) == 0) path = line.substr(3);
  }
  std::istringstream mounts(slurp("/proc/self/mountinfo"));
  for (std::string line; !path.empty() && std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string ignored;
    std::string root;
    std::string mount;
    fields >> ignored >> ignored >> ignored >> root >> mount;
    if (root == "/") return mount + path;
    if (path.rfind(root, 0) == 0) return mount + path.substr(root.size());
  }
  return {};
}

std::vector<std::string> leftover_cgroups() {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(own_cgroup(), ignored)) {
    if (!entry.is_directory(ignored)) continue;
    const std::string name = entry.path().filename().string();
    if (name.rfind("schedlab-", 0) == 0) found.push_back(entry.path().string());
  }
  return found;
}

/// Whether a run has a cgroup of its own here: the kernel lets us make one, and processes may stand
/// beside it because no controller is passed on.
bool can_have_cgroups() {
  const std::string own = own_cgroup();
  return !own.empty() && ::access(own.c_str(), W_OK | X_OK) == 0 &&
         slurp(own + "/cgroup.subtree_control").find_first_not_of(" \n") == std::string::npos;
}

TEST(Crash, CtrlCKillsTheRunInFlightAndShowsWhatIsFinished) {
  const testing::ScratchDirectory scratch;
  const std::string db = scratch.file("a.db");
  testing::Started started(schedlab({"ab",
                                     "-A",
                                     "same",
                                     "-B",
                                     "same",
                                     "--blocks",
                                     "50",
                                     "--db",
                                     db,
                                     "--",
                                     "hackbench",
                                     "-p",
                                     "-P",
                                     "-g",
                                     "1",
                                     "-l",
                                     kMarkedLoops}));
  ASSERT_TRUE(eventually([] { return testing::processes_with(kMarkedLoops).size() > 20; }));
  if (can_have_cgroups()) {
    EXPECT_FALSE(leftover_cgroups().empty()) << "looked in the wrong place";
  }
  started.send_signal(SIGINT);
  const auto done = started.wait();
  EXPECT_EQ(done.exit_code, 130) << done.err;
  EXPECT_THAT(done.err, ::testing::HasSubstr("interrupted"));
  EXPECT_THAT(testing::processes_with(kMarkedLoops), IsEmpty());
  EXPECT_THAT(leftover_cgroups(), IsEmpty());
}

TEST(Crash, KillingTheRunnerLeavesNoProcessAndNoCgroup) {
  const testing::ScratchDirectory scratch;
  testing::Started started(schedlab({"ab",
                                     "-A",
                                     "same",
                                     "-B",
                                     "same",
                                     "--blocks",
                                     "50",
                                     "--db",
                                     scratch.file("a.db"),
                                     "--",
                                     "hackbench",
                                     "-p",
                                     "-P",
                                     "-g",
                                     "1",
                                     "-l",
                                     kMarkedLoops}));
  ASSERT_TRUE(eventually([] { return testing::processes_with(kMarkedLoops).size() > 20; }));
  started.send_signal(SIGKILL);
  EXPECT_EQ(started.wait().signal, SIGKILL);
  EXPECT_TRUE(eventually([] { return testing::processes_with(kMarkedLoops).empty(); }));
  EXPECT_TRUE(eventually([] { return leftover_cgroups().empty(); }));
}

TEST(Crash, KillingTheRunnerAtAHundredRandomInstantsLosesNoFinishedRun) {
  const testing::ScratchDirectory scratch;
  constexpr unsigned kSeed = 20261130;
  std::mt19937 random(kSeed);
  RecordProperty("seed", std::to_string(kSeed));
  const std::string db = scratch.file("a.db");
  std::int64_t finished = 0;
  for (int i = 0; i < 100; ++i) {
    testing::Started started(schedlab(with_case(
        {"ab", "-A", "same", "-B", "same", "--blocks", "1000", "--db", db}, tiny_case())));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 400'000));
    started.send_signal(SIGKILL);
    const auto killed = started.wait();
    ASSERT_EQ(killed.signal, SIGKILL) << killed.err;
    finished += finished_runs(killed.err);
    if (std::filesystem::exists(db)) {
      const auto checked = run_schedlab({"db", "check", "--db", db});
      ASSERT_EQ(checked.exit_code, 0) << "after kill " << i << ": " << checked.out << checked.err;
    }
  }
  EXPECT_GT(finished, 0) << "no run ever finished: the test tested nothing";
  EXPECT_GE(stored_runs(db), finished);
  EXPECT_LE(stored_runs(db), finished + 100) << "at most the run being told when the kill came";
  EXPECT_TRUE(eventually([] { return leftover_cgroups().empty(); }));
}

}  // namespace
}  // namespace schedlab::e2e
