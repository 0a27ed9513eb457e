// The workload as lab and as a person see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>  // adopt what a run leaves
#include <sys/wait.h>   // how it ended
#include <unistd.h>     // fork

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/text.h"
#include "os/clock.h"
#include "os/procfs.h"
#include "workload/hackbench/hackbench.h"

namespace schedlab::workload {
namespace {

using testing::HasSubstr;

std::vector<std::string> argv_of(std::string_view line) {
  std::vector<std::string> out;
  for (const std::string_view word : words(line))
    out.emplace_back(word);
  return out;
}

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

Outcome call(std::string_view line, ToolStyle style) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = hackbench_workload().tool_main(argv_of(line), style);
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

Result<RunOutput> run(std::string_view line) {
  return hackbench_workload().run(argv_of(line));
}

TEST(HackbenchDropIn, PrintsWhatTheOriginalPrints) {
  const std::regex text(
      "Running in (process|threaded) mode with [0-9]+ groups using [0-9]+ file descriptors each "
      "\\(== [0-9]+ tasks\\)\n"
      "Each sender will pass [0-9]+ messages of [0-9]+ bytes\n"
      "Time: [0-9]+\\.[0-9]{3}\n");
  for (const char* variant : {"", "-p", "-i", "-T", "-T -p", "-T -i", "--process", "-s 1"}) {
    const Outcome outcome =
        call(std::string("hackbench -g 1 -f 2 -l 2 ") + variant, ToolStyle::DropIn);
    EXPECT_EQ(outcome.status, 0) << variant;
    EXPECT_TRUE(std::regex_match(outcome.out, text)) << outcome.out;
    EXPECT_EQ(outcome.err, "") << variant;
  }
}

TEST(HackbenchDropIn, RefusesWithUsageAndStatusOne) {
  for (const char* line : {"-g 0", "-l -1", "-s 5abc", "--bogus", "-p -i", "-g", "--latency"}) {
    const Outcome outcome = call(std::string("hackbench ") + line, ToolStyle::DropIn);
    EXPECT_EQ(outcome.status, 1) << line;
    EXPECT_THAT(outcome.out, HasSubstr("Usage:")) << line;
    EXPECT_EQ(outcome.out.find("Running"), std::string::npos) << line;
    EXPECT_TRUE(std::regex_match(outcome.err, std::regex("hackbench: [^\n]+\n"))) << outcome.err;
  }
  EXPECT_EQ(call("hackbench -h", ToolStyle::DropIn).status, 0);
}

TEST(HackbenchDropIn, SaysThatItIgnoresPositionalArguments) {
  const Outcome outcome = call("hackbench 5 process 100 -g 1 -f 1 -l 1", ToolStyle::DropIn);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("with 1 groups"));
  EXPECT_TRUE(std::regex_match(outcome.err, std::regex("hackbench: ignoring '5'[^\n]+\n")));
}

TEST(HackbenchDropIn, RefusesBeforeItRunsWhatTheMachineCannotCarry) {
  const Outcome outcome = call("hackbench -g 2000 -f 1000 -l 1", ToolStyle::DropIn);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("the run needs"));
}

TEST(HackbenchNative, PrintsTimeLastAndItsOwnRows) {
  const Outcome outcome = call("hackbench -g 2 -f 2 -l 5 --latency", ToolStyle::Native);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* label : {"set-up", "messages", "rate", "groups", "switches", "message latency"})
    EXPECT_THAT(outcome.out, HasSubstr(std::string("\n") + label)) << label;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("\nTime: [0-9]+\\.[0-9]{6}\n$")));
}

TEST(HackbenchNative, UsageErrorsHaveStatusTwo) {
  EXPECT_EQ(call("hackbench -g 0", ToolStyle::Native).status, 2);
  EXPECT_EQ(call("hackbench 5 process 100", ToolStyle::Native).status, 2);
  EXPECT_EQ(call("hackbench --help", ToolStyle::Native).status, 0);
}

TEST(HackbenchNative, JsonGoesToStandardOutputAlone) {
  const Outcome outcome = call("hackbench -g 1 -f 2 -l 5 --json -", ToolStyle::Native);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << outcome.out;
  EXPECT_EQ(json.at("messages"), 20);
}

TEST(HackbenchNative, JsonReplacesAFile) {
  const std::string path = testing::TempDir() + "hackbench_tool_test.json";
  std::FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs(std::string(100'000, 'x').c_str(), file);
  std::fclose(file);
  EXPECT_EQ(call("hackbench -g 1 -f 1 -l 1 --json " + path, ToolStyle::Native).status, 0);
  const auto text = os::RealProcFs().read(path);
  ASSERT_TRUE(text);
  EXPECT_FALSE(nlohmann::json::parse(*text, nullptr, false).is_discarded());
  ::unlink(path.c_str());
}

TEST(HackbenchNative, JsonThatCannotBeWrittenIsRefusedBeforeTheRun) {
  const Outcome outcome = call("hackbench --json /nonexistent/x.json", ToolStyle::Native);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "hackbench: cannot write --json /nonexistent/x.json: No such file or directory\n");
  EXPECT_EQ(call("hackbench -g 1 -f 1 -l 1 --json /dev/full", ToolStyle::Native).status, 1);
}

TEST(HackbenchWorkload, RunGivesTheFigures) {
  const auto output = run("-g 1 -f 2 -l 5 --latency -T");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->workload, "hackbench");
  EXPECT_EQ(output->mode, "native");
  ASSERT_EQ(output->histograms.size(), 1U);
  EXPECT_EQ(output->histograms.front().name, "message");
  EXPECT_EQ(output->histograms.front().histogram.count(), 20U);
  EXPECT_EQ(run("-g 1 -f 2 -l 5 --classic")->mode, "classic");
}

TEST(HackbenchWorkload, CheckRunsNothingAndRefusesWhatRunWould) {
  const auto check = [](std::string_view line) {
    return hackbench_workload().check(argv_of(line));
  };
  EXPECT_TRUE(check("-g 1 -f 2"));
  EXPECT_EQ(check("-g 0").error().kind, Error::Kind::Usage);
  EXPECT_EQ(check("--json x").error().kind, Error::Kind::Usage);
  EXPECT_EQ(check("-h").error().kind, Error::Kind::Usage);
  EXPECT_THAT(check("-g 2000 -f 1000").error().message, HasSubstr("the run needs"));
}

// Without a forecast a run that hangs would be ended after an hour.
TEST(HackbenchWorkload, ForecastsMoreThanARunTakesFromItsMessages) {
  const auto forecast = [](std::string_view line) {
    const auto checked = hackbench_workload().check(argv_of(line));
    EXPECT_TRUE(checked) << checked.error().message;
    return checked->duration;
  };
  EXPECT_GE(forecast("-g 1 -f 20 -l 1000"), std::chrono::milliseconds(800));
  EXPECT_LE(forecast("-g 1 -f 20 -l 1000"), std::chrono::seconds(2));
  EXPECT_GT(forecast("-g 1 -f 20 -l 1000 -s 100000"), 10 * forecast("-g 1 -f 20 -l 1000"));
  EXPECT_GE(forecast("-g 2 -f 10 -l 1"), std::chrono::milliseconds(8));
  const Nanos endless = forecast("-g 1 -f 1 -l 1000000000000");
  EXPECT_GT(endless, std::chrono::hours(24));
  EXPECT_GT(endless * 4, endless) << "no overflow where it is multiplied";
}

/// The tasks a run in process `pid` has made so far, as /proc lists them.
std::vector<pid_t> tasks_of(pid_t pid, bool threads) {
  const os::RealProcFs files;
  const std::string base = "/proc/" + std::to_string(pid) + "/task";
  std::vector<pid_t> out;
  if (threads) {
    const auto names = files.list(base).value_or(std::vector<std::string>{});
    for (const std::string& name : names)
      out.push_back(static_cast<pid_t>(std::stol(name)));
    return out;
  }
  const std::string children =
      files.read(base + "/" + std::to_string(pid) + "/children").value_or("");
  for (const std::string_view word : words(children))
    out.push_back(static_cast<pid_t>(std::stol(std::string(word))));
  return out;
}

enum class Victim { Main, OneTask };

/// Starts an endless run, sends `signal` to the victim once all tasks exist, and waits until all
/// descendants are gone. The main process's wait status; how orphans ended is in `orphans`.
int signal_a_run(std::string_view line, Victim victim, int signal, std::vector<int>& orphans) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t main = ::fork();
  if (main == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(98);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(98);
    ::_exit(hackbench_workload().tool_main(argv_of(line), ToolStyle::DropIn));
  }
  const bool threads = line.find("-T") != std::string_view::npos;
  std::vector<pid_t> tasks;
  int main_status = -1;
  while (tasks.size() < 4 && ::waitpid(main, &main_status, WNOHANG) == 0) {
    os::sleep_until(os::monotonic_now() + std::chrono::milliseconds(1));
    tasks = tasks_of(main, threads);
  }
  if (tasks.size() >= 4) ::kill(victim == Victim::Main ? main : tasks.front(), signal);
  while (true) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, 0);
    if (pid < 0 && errno == ECHILD) break;
    if (pid == main) {
      main_status = status;
    } else if (pid > 0) {
      orphans.push_back(status);
    }
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  return main_status;
}

constexpr const char* kEndless = "hackbench -g 1 -f 2 -l 1000000000";

TEST(HackbenchSignals, AnInterruptedRunIsNoResultAndLeavesNothing) {
  for (const char* variant : {"", " -p", " -T", " -T -p", " -T -i"}) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      std::vector<int> orphans;
      const int status =
          signal_a_run(std::string(kEndless) + variant, Victim::Main, signal, orphans);
      ASSERT_TRUE(WIFEXITED(status)) << variant << " " << status;
      EXPECT_EQ(WEXITSTATUS(status), 128 + signal) << variant;
      EXPECT_TRUE(orphans.empty()) << variant;
    }
  }
}

TEST(HackbenchSignals, ASignalThatTheCallerIgnoresIsIgnoredByMainAndTasks) {
  const auto former = std::signal(SIGHUP, SIG_IGN);
  for (const char* variant : {"", " -T"}) {
    for (const Victim victim : {Victim::Main, Victim::OneTask}) {
      std::vector<int> orphans;
      const std::string line = std::string("hackbench -g 1 -f 2 -l 20000") + variant;
      const int status = signal_a_run(line, victim, SIGHUP, orphans);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << variant << " " << status;
    }
  }
  static_cast<void>(std::signal(SIGHUP, former));
}

TEST(HackbenchSignals, KillingTheMainProcessKillsItsTasks) {
  std::vector<int> orphans;
  const int status = signal_a_run(kEndless, Victim::Main, SIGKILL, orphans);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(orphans.size(), 4U);
  for (const int end : orphans) {
    // The second: it found its parent gone before it could ask for the signal.
    EXPECT_TRUE((WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL) ||
                (WIFEXITED(end) && WEXITSTATUS(end) == 1))
        << end;
  }
}

TEST(HackbenchSignals, LosingATaskFailsTheRunAndEndsTheOthers) {
  for (const char* variant : {"", " -p", " -i"}) {
    std::vector<int> orphans;
    const int status =
        signal_a_run(std::string(kEndless) + variant, Victim::OneTask, SIGKILL, orphans);
    ASSERT_TRUE(WIFEXITED(status)) << variant << " " << status;
    EXPECT_EQ(WEXITSTATUS(status), 1) << variant;
    EXPECT_TRUE(orphans.empty()) << variant;
  }
}

}  // namespace
}  // namespace schedlab::workload
