// The text of every mode of schbench's drop-in, line by line: scripts parse it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/e2e/program.h"

namespace schedlab::e2e {
namespace {

/// A program that is called schbench, as `ln -s schedlab schbench` makes one.
class DropInSchbench {
 public:
  DropInSchbench() : link_(scratch_.file("schbench")) {
    EXPECT_EQ(::symlink(SCHEDLAB_PROGRAM, link_.c_str()), 0);
  }

  [[nodiscard]] testing::Command command(const std::vector<std::string>& arguments) const {
    testing::Command command{
        .argv = {link_}, .working_directory = scratch_.path(), .extra_environment = {}};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    return command;
  }

 private:
  testing::ScratchDirectory scratch_;
  std::string link_;
};

std::string heading(const std::string& name, const std::string& unit, const std::string& seconds) {
  return name + R"( percentiles \()" + unit + R"(\) runtime )" + seconds +
         R"( \(s\) \(\d+ total samples\)\n)";
}

/// Value left-justified in ten columns, a blank, the samples of the row.
std::string row(const std::string& mark, const std::string& percentile) {
  return "\t" + mark + percentile + R"(\.0th: (?=.{10} \()\d+ * \(\d+ samples\)\n)";
}

const std::string kPlain = "  ";
const std::string kStar = R"(\* )";
const std::string kRange =
    "\t"
    R"(  min=\d+, max=\d+\n)";

std::string latency_rows() {
  return row(kPlain, "50") + row(kPlain, "90") + row(kStar, "99") +
         "\t"
         R"(  99\.9th: (?=.{10} \()\d+ * \(\d+ samples\)\n)" +
         kRange;
}

/// Wakeup, request and RPS of one report.
std::string report(const std::string& seconds) {
  return heading("Wakeup Latencies", "usec", seconds) + latency_rows() +
         heading("Request Latencies", "usec", seconds) + latency_rows() +
         heading("RPS", "requests", seconds) + row(kPlain, "20") + row(kStar, "50") +
         row(kPlain, "90") + kRange;
}

const std::string kDelay = R"(sched delay: message \d+ \(usec\) worker \d+ \(usec\)\n)";
const std::string kAverage = R"(average rps: \d+\.\d{2}\n)";
const std::string kCurrent = R"(current rps: \d+\.\d{2}\n)";

/// The end of a run: the rate, then the delays. An interval has them the other way round.
std::string final_report(const std::string& seconds) {
  return report(seconds) + kAverage + kDelay;
}

std::string interval_report(const std::string& seconds) {
  return report(seconds) + kDelay + kCurrent;
}

struct Mode {
  std::string name;
  std::vector<std::string> arguments;
  std::string text;
};

std::vector<Mode> modes() {
  const std::string pinned =
      R"(auto pinning message and worker threads\nPinning to message thread index 0 cpu \d+\n)";
  return {
      {"Default", {"-r", "1"}, R"(setting worker threads to \d+\n)" + final_report("1")},
      {"NoLocking", {"-L", "-t", "1", "-r", "1", "-n", "0"}, final_report("1")},
      {"Calibrate", {"-C", "-t", "1", "-r", "1"}, final_report("1")},
      {"Pipe",
       {"-p", "2000000", "-t", "1", "-r", "1"},
       R"(pipe size too big, using 1048576\n)" + heading("Wakeup Latencies", "usec", "1") +
           row(kPlain, "20") + latency_rows() +
           R"(avg worker transfer: \d+\.\d{2} ops/sec \d+\.\d{2}[KMGT]?B/s\n)"},
      {"Rate", {"-R", "50", "-t", "1", "-r", "1", "-n", "0"}, final_report("1")},
      {"AutoRate",
       {"-A", "20", "-t", "1", "-r", "1", "-n", "0"},
       report("1") + R"(final rps goal was \d+\n)" + kDelay},
      {"Interval",
       {"-i", "1", "-t", "1", "-r", "2", "-n", "0"},
       "(" + interval_report("\\d+") + ")?" + final_report("2")},
      // The original warms up only in runs of 30 s and more.
      {"WarmUp",
       {"-w", "1", "-t", "1", "-r", "30", "-n", "0"},
       R"(warmup done, zeroing stats\n)" + interval_report("\\d+") + "(" + interval_report("\\d+") +
           ")+" + final_report("30")},
      {"Split",
       {"--split", "30", "-t", "1", "-r", "1"},
       R"(split mode: 30% private \(76 KB per thread\), 70% shared \(179 KB total\)\n)"
       R"(matrix sizes: private=56, shared=87\n)" +
           final_report("1")},
      {"AutoPinning", {"-M", "auto", "-t", "1", "-r", "1", "-n", "0"}, pinned + final_report("1")},
      {"Era2016",
       {"--era", "2016", "-m", "1", "-t", "1", "-r", "1", "-s", "1000", "-c", "100"},
       "Latency percentiles \\(usec\\)\n"
       "\t50\\.0000th: \\d+\n\t75\\.0000th: \\d+\n\t90\\.0000th: \\d+\n\t95\\.0000th: \\d+\n"
       "\t\\*99\\.0000th: \\d+\n\t99\\.5000th: \\d+\n\t99\\.9000th: \\d+\n\tmin=\\d+, max=\\d+\n"},
  };
}

class DropInSchbenchText : public ::testing::TestWithParam<Mode> {};

TEST_P(DropInSchbenchText, IsTheOriginalsToTheLine) {
  const DropInSchbench schbench;
  const auto done = testing::run(schbench.command(GetParam().arguments));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "") << "everything goes to stderr";
  EXPECT_TRUE(std::regex_match(done.err, std::regex(GetParam().text))) << done.err;
}

INSTANTIATE_TEST_SUITE_P(Modes,
                         DropInSchbenchText,
                         ::testing::ValuesIn(modes()),
                         [](const auto& mode) { return mode.param.name; });

std::vector<std::string> keys_of(const nlohmann::json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items())
    keys.push_back(key);
  return keys;
}

TEST(DropInSchbench, WritesTheOriginalsJsonKeys) {
  const DropInSchbench schbench;
  const auto done =
      testing::run(schbench.command({"-t", "1", "-r", "1", "-n", "0", "-j", "-", "-J", "a \"b\""}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << done.out;
  EXPECT_THAT(keys_of(json), ::testing::UnorderedElementsAre("normal", "int"));
  EXPECT_THAT(
      keys_of(json["normal"]),
      ::testing::UnorderedElementsAre("version", "jobname", "hostname", "sched_ext", "cmdline"));
  EXPECT_EQ(json["normal"]["jobname"], "a \"b\"");
  std::vector<std::string> expected{"time", "runtime"};
  for (const std::string prefix : {"wakeup_latency", "request_latency", "rps"}) {
    for (const char* row : {"_pct20.0", "_pct50.0", "_pct90.0", "_pct99.0", "_pct99.9"})
      expected.push_back(prefix + row);
    expected.push_back(prefix + "_min");
    expected.push_back(prefix + "_max");
  }
  EXPECT_THAT(keys_of(json["int"]), ::testing::UnorderedElementsAreArray(expected));
  EXPECT_TRUE(std::regex_match(done.err, std::regex(final_report("1")))) << done.err;
}

std::ptrdiff_t count_entries(const std::string& directory) {
  namespace fs = std::filesystem;
  return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

TEST(DropInSchbench, EndsWithTheStatusOfItsSignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const DropInSchbench schbench;
    testing::Started started(schbench.command({"-t", "1", "-r", "60", "-n", "0"}));
    // The signals are held back before the first thread starts.
    const std::string tasks = "/proc/" + std::to_string(started.pid()) + "/task";
    while (count_entries(tasks) < 3)
      ::usleep(1000);
    started.send_signal(signal);
    const auto done = started.wait();
    EXPECT_EQ(done.exit_code, 128 + signal) << done.err;
    EXPECT_THAT(done.err, ::testing::HasSubstr("average rps: "));
  }
}

}  // namespace
}  // namespace schedlab::e2e
