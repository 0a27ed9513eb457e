#include "os/supervisor_protocol.h"

#include <gmock/gmock.h>

#include "os/pipe.h"

namespace schedlab::os {
namespace {

using Kind = SuperviseEvent::Kind;

SuperviseRequest full_request() {
  return {.runner = 42,
          .cgroup = "/sys/fs/cgroup/schedlab-42-7-0",
          .attributes = {.cpus = *CpuList::parse("0-3,8191"),
                         .nice = -5,
                         .policy = SchedPolicy{.kind = SchedPolicy::Kind::Batch},
                         .slice = Nanos(100'000)},
          .program = "./a program",
          .arguments = {"name", "--nice=3", "--", "", "x\ny"}};
}

TEST(SuperviseRequest, SurvivesItsArgumentVector) {
  const auto read = parse_argv(to_argv(full_request()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, full_request());
  SuperviseRequest bare{.runner = 1, .program = "p", .arguments = {"p"}};
  EXPECT_EQ(*parse_argv(to_argv(bare)), bare);
}

TEST(SuperviseRequest, GarbageIsRefused) {
  const std::vector<std::vector<std::string>> bad{
      {},
      {"schedlab"},
      {"schedlab", "__supervise"},
      {"schedlab", "__supervise", "--runner=1", "--program=p", "--"},
      {"schedlab", "__supervise", "--runner=1", "--program=p", "p"},
      {"schedlab", "__supervise", "--runner=0", "--program=p", "--", "p"},
      {"schedlab", "__supervise", "--program=p", "--", "p"},
      {"schedlab", "__supervise", "--runner=1", "--", "p"},
      {"schedlab", "__supervise", "--runner=1", "--program=p", "--nice=50", "--", "p"},
      {"schedlab", "__supervise", "--runner=1", "--program=p", "--cpus=", "--", "p"},
      {"schedlab", "__supervise", "--runner=1", "--program=p", "--colour=red", "--", "p"}};
  for (const auto& argv : bad)
    EXPECT_FALSE(parse_argv(argv)) << testing::PrintToString(argv);
}

TEST(SuperviseEvent, SurvivesItsLine) {
  for (const SuperviseEvent& event :
       {SuperviseEvent{.kind = Kind::Started, .number = 7, .monotonic = Nanos(1), .wall = Nanos(2)},
        SuperviseEvent{.kind = Kind::Exited, .number = 255, .monotonic = Nanos(3)},
        SuperviseEvent{.kind = Kind::Signaled, .number = 9},
        SuperviseEvent{.kind = Kind::Error, .text = "ucannot  run x: y"},
        SuperviseEvent{.kind = Kind::Note, .text = ""}}) {
    std::string line = to_line(event);
    ASSERT_EQ(line.back(), '\n');
    line.pop_back();
    const auto read = parse_event(line);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, event);
  }
}

TEST(SuperviseEvent, TextIsKeptToOneLine) {
  EXPECT_EQ(to_line({.kind = Kind::Note, .text = "a\nb"}), "note a b\n");
}

TEST(SuperviseEvent, HalfALineIsRefused) {
  for (const char* line : {"",
                           "start",
                           "started",
                           "started 5",
                           "started 5 6",
                           "exited 1 2 x",
                           "exited -1 2 3",
                           "exited 1 2 3 4"}) {
    EXPECT_FALSE(parse_event(line)) << line;
  }
}

TEST(Error, SurvivesThePipe) {
  for (const auto kind : {Error::Kind::Failed, Error::Kind::Usage, Error::Kind::Interrupted}) {
    const Error read = decode_error(encode_error({"a message", kind}));
    EXPECT_EQ(read.message, "a message");
    EXPECT_EQ(read.kind, kind);
  }
  EXPECT_EQ(decode_error("").kind, Error::Kind::Failed);
}

}  // namespace
}  // namespace schedlab::os
