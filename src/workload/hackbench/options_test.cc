#include "workload/hackbench/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"

namespace schedlab::workload::hackbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> to_arguments(std::string_view line) {
  std::vector<std::string> out;
  for (const std::string_view word : words(line))
    out.emplace_back(word);
  return out;
}

Result<Options> parse(std::string_view line, ToolStyle style = ToolStyle::DropIn) {
  return parse_options(to_arguments(line), style);
}

std::string error_of(std::string_view line, ToolStyle style = ToolStyle::DropIn) {
  const auto options = parse(line, style);
  if (options) return "accepted: " + std::string(line);
  EXPECT_EQ(options.error().kind, Error::Kind::Usage) << line;
  EXPECT_EQ(options.error().message.find('\n'), std::string::npos) << line;
  return options.error().message;
}

TEST(Options, DefaultsAreThoseOfRtTests) {
  const auto options = parse("");
  ASSERT_TRUE(options);
  EXPECT_EQ(*options, Options{});
  EXPECT_EQ(options->task_count(), 400);
  EXPECT_EQ(options->message_count(), 400'000);
}

struct Accepted {
  std::string_view line;
  Options expected;
};

TEST(Options, EveryFormOfEveryOptionIsRead) {
  const std::vector<Accepted> table = {
      {"-g 4", {.groups = 4}},
      {"-g4", {.groups = 4}},
      {"--groups=4", {.groups = 4}},
      {"--groups 4", {.groups = 4}},
      {"--gr 4", {.groups = 4}},
      {"-f 3", {.fds = 3}},
      {"--fds=3", {.fds = 3}},
      {"--fd=3", {.fds = 3}},
      {"-l 7", {.loops = 7}},
      {"--loops=7", {.loops = 7}},
      {"-s 64", {.datasize = 64}},
      {"--datasize=64", {.datasize = 64}},
      {"--data 64", {.datasize = 64}},
      {"-p", {.ipc = Ipc::Pipe}},
      {"--pipe", {.ipc = Ipc::Pipe}},
      {"--pi", {.ipc = Ipc::Pipe}},
      {"-p -p", {.ipc = Ipc::Pipe}},
      {"-i", {.ipc = Ipc::Inet}},
      {"--inet", {.ipc = Ipc::Inet}},
      {"-T", {.tasks = TaskKind::Thread}},
      {"--threads", {.tasks = TaskKind::Thread}},
      {"-P", {}},
      {"--process", {}},
      {"--processes", {}},
      {"-T -P", {}},
      {"-P -T", {.tasks = TaskKind::Thread}},
      {"-F", {.fifo = true}},
      {"--fifo", {.fifo = true}},
      {"-h", {.help = true}},
      {"--help", {.help = true}},
      {"-pTg4", {.groups = 4, .ipc = Ipc::Pipe, .tasks = TaskKind::Thread}},
      {"-pl 9", {.loops = 9, .ipc = Ipc::Pipe}},
      {"-Ph", {.help = true}},
      {"-h --bogus", {.help = true}},
      {"-g 4 -g 5", {.groups = 5}},
  };
  for (const Accepted& row : table) {
    for (const ToolStyle style : {ToolStyle::DropIn, ToolStyle::Native}) {
      const auto options = parse(row.line, style);
      ASSERT_TRUE(options) << row.line << ": " << options.error().message;
      EXPECT_EQ(*options, row.expected) << row.line;
    }
  }
}

TEST(Options, NativeStyleAddsItsOwn) {
  const auto options = parse("--latency --json out.json -s 4KiB", ToolStyle::Native);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_TRUE(options->latency);
  EXPECT_EQ(options->json_path, "out.json");
  EXPECT_EQ(options->datasize, 4096);
  EXPECT_TRUE(parse("--classic", ToolStyle::Native)->classic);
  EXPECT_THAT(error_of("--latency"), HasSubstr("unrecognized option '--latency'"));
  EXPECT_THAT(error_of("--classic"), HasSubstr("unrecognized option"));
  EXPECT_THAT(error_of("-s 4KiB"), HasSubstr("--datasize|-s requires an integer > 0"));
  // --l is --loops where --latency does not exist.
  EXPECT_EQ(parse("--l 3")->loops, 3);
  EXPECT_THAT(error_of("--l 3", ToolStyle::Native),
              HasSubstr("ambiguous; possibilities: '--loops' '--latency'"));
}

TEST(Options, CountsThatAreNoneAreRefused) {
  for (const std::string_view value : {"0",
                                       "-1",
                                       "abc",
                                       "5abc",
                                       "+",
                                       "1.5",
                                       "0x10",
                                       "99999999999999999999",
                                       "-99999999999999999999"}) {
    for (const std::string_view flag : {"-g", "-f", "-l", "-s"}) {
      for (const ToolStyle style : {ToolStyle::DropIn, ToolStyle::Native}) {
        const std::string line = std::string(flag) + " " + std::string(value);
        EXPECT_THAT(error_of(line, style), HasSubstr("requires an integer > 0")) << line;
      }
    }
  }
  EXPECT_THAT(error_of("-g 4294967297"), HasSubstr("--groups|-g requires"));
  EXPECT_THAT(error_of("-s 1073741825"), HasSubstr("<= 1073741824"));
  EXPECT_THAT(error_of("-l 1000000000001"), HasSubstr("--loops|-l requires"));
}

TEST(Options, ProductsAreCheckedIn64Bits) {
  EXPECT_THAT(error_of("-g 2000000 -f 2"), HasSubstr("8000000 tasks"));
  EXPECT_THAT(error_of("-g 1 -f 2000000 -l 1000000000000"), HasSubstr("2^63"));
  EXPECT_THAT(error_of("-g 1 -f 1000 -l 1000000000000 -s 1000000000"), HasSubstr("2^63"));
  // fds x loops above 2^32 is fine.
  EXPECT_EQ(parse("-l 1000000000")->messages_per_task(), 20'000'000'000);
}

TEST(Options, GetoptsWordsForItsErrors) {
  EXPECT_EQ(error_of("-g"), "option requires an argument -- 'g'");
  EXPECT_EQ(error_of("--groups"), "option '--groups' requires an argument");
  EXPECT_EQ(error_of("--bogus"), "unrecognized option '--bogus'");
  EXPECT_EQ(error_of("--version"), "unrecognized option '--version'");
  EXPECT_EQ(error_of("-z"), "invalid option -- 'z'");
  EXPECT_EQ(error_of("-pz"), "invalid option -- 'z'");
  EXPECT_EQ(error_of("--p"), "option '--p' is ambiguous; possibilities: '--pipe' '--processes'");
  EXPECT_EQ(error_of("--f=2"), "option '--f=2' is ambiguous; possibilities: '--fds' '--fifo'");
  EXPECT_EQ(error_of("--pipe=3"), "option '--pipe' doesn't allow an argument");
  EXPECT_EQ(error_of("-p -i"), "--pipe|-p and --inet|-i cannot be used together");
  EXPECT_EQ(error_of("-i -p"), "--pipe|-p and --inet|-i cannot be used together");
}

TEST(Options, NativeStyleNamesTheNearestOption) {
  EXPECT_THAT(error_of("--loop-s 3", ToolStyle::Native), HasSubstr("did you mean --loops?"));
  EXPECT_THAT(error_of("--zzzzzzzzzzzz", ToolStyle::Native), HasSubstr("see --help"));
}

TEST(Options, PositionalArgumentsOf2008AreKeptOrRefused) {
  const auto options = parse("5 process 100 -g 2");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->groups, 2);
  EXPECT_THAT(options->positional, ElementsAre("5", "process", "100"));
  EXPECT_THAT(parse("-- -g 4")->positional, ElementsAre("-g", "4"));
  EXPECT_THAT(error_of("5 process 100", ToolStyle::Native), HasSubstr("say -g 5 -P -l 100"));
  EXPECT_THAT(error_of("5 thread", ToolStyle::Native), HasSubstr("say -g 5 -T"));
}

TEST(Options, LatencyRefusesWhatItCannotMeasure) {
  EXPECT_THAT(error_of("--latency -s 7", ToolStyle::Native), HasSubstr("needs 8 bytes"));
  EXPECT_TRUE(parse("--latency -s 8", ToolStyle::Native));
  EXPECT_THAT(error_of("--latency -p -s 4097", ToolStyle::Native), HasSubstr("<= 4096"));
  EXPECT_TRUE(parse("--latency -p -s 4096", ToolStyle::Native));
  EXPECT_THAT(error_of("--latency --classic", ToolStyle::Native), HasSubstr("--classic"));
}

TEST(Options, TheOriginalGetsWhatDiffersFromItsDefaults) {
  const auto original = [](std::string_view line) {
    return original_arguments(*parse(line, ToolStyle::Native));
  };
  EXPECT_THAT(*original("--classic"), IsEmpty());
  EXPECT_THAT(*original("--classic -p --thread -F -g 4 -f 3 -l 7 -s 1KiB"),
              ElementsAre("-p", "-T", "-F", "-g", "4", "-f", "3", "-l", "7", "-s", "1024"));
  EXPECT_THAT(*original("-i -P"), ElementsAre("-i"));
  EXPECT_THAT(original("--latency").error().message, HasSubstr("--latency"));
  EXPECT_THAT(original("--json x").error().message, HasSubstr("--json"));
}

TEST(Options, WhatTheOriginalGetsMeansTheSameThere) {
  const auto options = parse("-p -T -F -g 4 -f 3 -l 7 -s 64", ToolStyle::Native);
  EXPECT_EQ(*parse_options(*original_arguments(*options), ToolStyle::DropIn), *options);
}

}  // namespace
}  // namespace schedlab::workload::hackbench
