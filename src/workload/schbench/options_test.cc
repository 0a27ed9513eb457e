#include "workload/schbench/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"

namespace schedlab::workload::schbench {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> arguments(std::string_view line) {
  std::vector<std::string> out;
  for (const std::string_view word : words(line))
    out.emplace_back(word);
  return out;
}

Options native(std::string_view line) {
  auto options = parse_native(arguments(line));
  EXPECT_TRUE(options) << line << ": " << (options ? "" : options.error().message);
  return options ? *options : Options();
}

Options drop_in(std::string_view line) {
  auto options = parse_drop_in("schbench", arguments(line), nullptr);
  EXPECT_TRUE(options) << line << ": " << (options ? "" : options.error().message);
  return options ? *options : Options();
}

struct BothStyles {
  const char* short_form;
  const char* long_form;
  void (*expect)(const Options&);
};

class EveryOption : public testing::TestWithParam<BothStyles> {};

TEST_P(EveryOption, ReadsTheSameInBothStylesAndBothForms) {
  for (const char* line : {GetParam().short_form, GetParam().long_form}) {
    SCOPED_TRACE(line);
    GetParam().expect(drop_in(line));
    GetParam().expect(native(std::string("--classic ") + line));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table,
    EveryOption,
    testing::Values(
        BothStyles{"-m 3",
                   "--message-threads 3",
                   [](const Options& o) { EXPECT_EQ(o.message_threads, 3); }},
        BothStyles{"-t7", "--threads=7", [](const Options& o) { EXPECT_EQ(o.threads, 7); }},
        BothStyles{"-r 3000000000",
                   "--runtime 3000000000",
                   [](const Options& o) { EXPECT_GE(o.runtime, seconds(1LL << 31)); }},
        BothStyles{"-F 512",
                   "--cache_footprint 512",
                   [](const Options& o) { EXPECT_EQ(o.footprint_kib, 512U); }},
        BothStyles{"-n 0", "--operations 0", [](const Options& o) { EXPECT_EQ(o.operations, 0); }},
        BothStyles{"-s 20",
                   "--sleep_usec 20",
                   [](const Options& o) { EXPECT_EQ(o.sleep, microseconds(20)); }},
        BothStyles{"-L", "--no-locking", [](const Options& o) { EXPECT_FALSE(o.locking); }},
        BothStyles{"-C",
                   "--calibrate",
                   [](const Options& o) {
                     EXPECT_TRUE(o.calibrate);
                     EXPECT_FALSE(o.locking);
                   }},
        BothStyles{
            "-p 4096", "--pipe 4096", [](const Options& o) { EXPECT_EQ(o.pipe_bytes, 4096U); }},
        BothStyles{"-R 500", "--rps 500", [](const Options& o) { EXPECT_EQ(o.rps, 500); }},
        BothStyles{"-A 40",
                   "--auto-rps 40",
                   [](const Options& o) {
                     EXPECT_EQ(o.auto_rps, 40);
                     EXPECT_EQ(o.rps, 10);
                   }},
        BothStyles{
            "-w 4", "--warmuptime 4", [](const Options& o) { EXPECT_EQ(o.warmup, seconds(4)); }},
        BothStyles{"-i 2",
                   "--intervaltime 2",
                   [](const Options& o) { EXPECT_EQ(o.interval, seconds(2)); }},
        BothStyles{
            "-z 3", "--zerotime 3", [](const Options& o) { EXPECT_EQ(o.zero_time, seconds(3)); }},
        BothStyles{"-M auto",
                   "--message-cpus auto",
                   [](const Options& o) { EXPECT_EQ(o.message_cpus.kind, CpuChoice::Kind::Auto); }},
        BothStyles{"-W 1-2,4",
                   "--worker-cpus 1-2,4",
                   [](const Options& o) { EXPECT_EQ(o.worker_cpus.cpus.to_string(), "1-2,4"); }},
        BothStyles{"-j -", "--json -", [](const Options& o) { EXPECT_EQ(o.json_path, "-"); }},
        BothStyles{"-J x", "--jobname x", [](const Options& o) { EXPECT_EQ(o.job_name, "x"); }},
        BothStyles{
            "--split 30", "--split=30", [](const Options& o) { EXPECT_EQ(o.split_percent, 30); }}));

TEST(DropInOptions, AreClassicWithTheOriginalsDefaults) {
  const Options options = drop_in("");
  EXPECT_EQ(options.semantics, Semantics::Classic);
  EXPECT_EQ(options.runtime, seconds(30));
  EXPECT_EQ(options.interval, seconds(10));
  EXPECT_EQ(options.threads, 0);
  EXPECT_EQ(options.sleep, microseconds(100));
}

TEST(DropInOptions, TakeGarbageAsZeroAndUniquePrefixesAsFlags) {
  EXPECT_EQ(drop_in("-n x").operations, 0);
  EXPECT_EQ(drop_in("-n 7x").operations, 7);
  EXPECT_EQ(drop_in("-t 0").threads, 0);
  EXPECT_TRUE(drop_in("--cal").calibrate);
  EXPECT_FALSE(drop_in("--no").locking);  // --native must be spelled in full
}

TEST(DropInOptions, TakeAnIntervalOfZeroAsEverySecond) {
  for (const char* line : {"-i 0", "-i x", "--native -i 0"})
    EXPECT_EQ(drop_in(line).interval, seconds(1)) << line;
  EXPECT_EQ(drop_in("-i 3").interval, seconds(3));
}

TEST(DropInOptions, CapThePipeAndSaySo) {
  const Options options = drop_in("-p 2000000");
  EXPECT_EQ(options.pipe_bytes, kMaxPipeBytes);
  EXPECT_TRUE(options.pipe_bytes_capped);
}

struct BadLine {
  const char* line;
  const char* message;
  bool usage;
};

TEST(DropInOptions, RefuseInTheOriginalsWords) {
  for (const BadLine& bad :
       {BadLine{"--zzz", "schbench: unrecognized option '--zzz'", true},
        BadLine{"-Z", "schbench: invalid option -- 'Z'", true},
        BadLine{"-r", "schbench: option requires an argument -- 'r'", true},
        BadLine{"--runtime", "schbench: option '--runtime' requires an argument", true},
        BadLine{"--calibrate=3", "schbench: option '--calibrate' doesn't allow an argument", true},
        BadLine{"--m",
                "schbench: option '--m' is ambiguous; possibilities: '--message-threads' "
                "'--message-cpus'",
                true},
        BadLine{"-r 1 5", "Error Extra arguments '5'", false},
        BadLine{"--split 130", "split must be between 0 and 100", false},
        BadLine{"-M abc", "failed to parse cpuset information", false},
        BadLine{"-M 1-a", "failed to parse cpuset information", false}}) {
    Refusal refusal;
    EXPECT_FALSE(parse_drop_in("schbench", arguments(bad.line), &refusal)) << bad.line;
    EXPECT_THAT(refusal.lines, ElementsAre(bad.message));
    EXPECT_EQ(refusal.usage, bad.usage) << bad.line;
  }
}

TEST(NativeOptions, TakeUnits) {
  EXPECT_EQ(native("-r 250ms").runtime, milliseconds(250));
  EXPECT_EQ(native("-r 3").runtime, seconds(3));
  EXPECT_EQ(native("-s 1ms").sleep, milliseconds(1));
  EXPECT_EQ(native("-F 1MiB").footprint_kib, 1024U);
  EXPECT_EQ(native("-t auto").threads, 0);
  EXPECT_EQ(native("-r 2147483648").runtime, seconds(1LL << 31));
  EXPECT_EQ(native("").interval, seconds(1));
}

TEST(NativeOptions, RefuseWhatMakesNoSense) {
  for (const auto& [line, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"-t 0", "auto"},
           {"-t x", "whole number"},
           {"-t -3", "whole number"},
           {"-m 0", "from 1 to"},
           {"-r 1parsec", "-r"},
           {"-r", "requires an argument"},
           {"--runtme 3", "did you mean --runtime?"},
           {"-z 1", "--classic"},
           {"--classic --native", "exclude"},
           {"--arrivals burst", "-R"},
           {"-R 5 --arrivals never", "uniform, poisson, burst"},
           {"-R 5 -p 5", "exclude"},
           {"-p 2000000", "1048576"},
           {"-A 101", "0 to 100"},
           {"--split 101", "0 to 100"},
           {"-M 3-1", "-M"},
           {"--era 1999", "2016"},
           {"--era 2016 -a", "sweep -t"},
           {"-F 0", "1 KiB"},
           {"-n 99999999999999999999", "whole number"},
           {"5", "not a flag"}}) {
    const auto options = parse_native(arguments(line));
    ASSERT_FALSE(options) << line;
    EXPECT_EQ(options.error().kind, Error::Kind::Usage) << line;
    EXPECT_THAT(options.error().message, HasSubstr(text)) << line;
    EXPECT_EQ(options.error().message.find('\n'), std::string::npos) << line;
  }
}

TEST(NativeOptions, Era2016HasItsOwnLettersAndDefaults) {
  const Options defaults = native("--era 2016");
  EXPECT_EQ(defaults.semantics, Semantics::Era2016);
  EXPECT_EQ(defaults.message_threads, 2);
  EXPECT_EQ(defaults.threads, 16);
  EXPECT_EQ(defaults.sleep, milliseconds(30));
  EXPECT_EQ(defaults.spin, milliseconds(30));
  EXPECT_EQ(native("--era=2016 -c 500 -s 700").spin, microseconds(500));
  EXPECT_EQ(native("--era=2016 -p 64").spin, Nanos{0});
  EXPECT_EQ(drop_in("-m 1 --era 2016").semantics, Semantics::Era2016);
}

TEST(ArgumentsForOriginal, LeaveOutOursAndUseItsUnits) {
  const auto out = arguments_for_original(arguments(
      "--classic -L -m 1 --threads auto -r 2min -s 1ms -F 1MiB --seed 3 -R 5 --split 10"));
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT(
      *out,
      ElementsAre(
          "-L", "-m", "1", "-r", "120", "-s", "1000", "-F", "1024", "-R", "5", "--split", "10"));
}

TEST(ArgumentsForOriginal, RefuseWhatItCannotDo) {
  for (const char* line : {"-R 5 --arrivals poisson", "--era 2016", "-r 250ms", "-s 150ns"}) {
    EXPECT_FALSE(arguments_for_original(arguments(line))) << line;
  }
}

}  // namespace
}  // namespace schedlab::workload::schbench
