#include "os/run_attributes.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/affinity.h"
#include "os/pipe.h"

namespace schedlab::os {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using testing::HasSubstr;
using Kind = SchedPolicy::Kind;

TEST(SchedPolicy, WordsReadAndWriteAlike) {
  for (const char* text : {"other", "batch", "idle", "fifo:1", "fifo:99"}) {
    const auto policy = parse_policy(text);
    ASSERT_TRUE(policy) << policy.error().message;
    EXPECT_EQ(to_string(*policy), text);
  }
  EXPECT_EQ(parse_policy("fifo:50")->priority, 50);
}

TEST(SchedPolicy, OtherWordsAreUsageErrors) {
  for (const char* text : {"", "rr", "fifo", "fifo:", "fifo:0", "fifo:100", "fifo:x", "Batch"}) {
    const auto policy = parse_policy(text);
    ASSERT_FALSE(policy) << text;
    EXPECT_EQ(policy.error().kind, Error::Kind::Usage);
  }
}

TEST(RunAttributes, WhatMeansNothingIsAUsageError) {
  const SchedPolicy fifo{.kind = Kind::Fifo, .priority = 5};
  const SchedPolicy idle{.kind = Kind::Idle};
  for (const RunAttributes& attributes : {
           RunAttributes{.cpus = CpuList()},
           RunAttributes{.nice = 20},
           RunAttributes{.nice = -21},
           RunAttributes{.slice = 0ns},
           RunAttributes{.slice = -1ns},
           RunAttributes{.nice = 0, .policy = fifo},
           RunAttributes{.policy = fifo, .slice = 1ms},
           RunAttributes{.nice = 5, .policy = idle},
           RunAttributes{.policy = idle, .slice = 1ms},
           RunAttributes{.policy = SchedPolicy{.kind = Kind::Fifo}},
           RunAttributes{.policy = SchedPolicy{.kind = Kind::Batch, .priority = 1}},
       }) {
    const Status valid = validate(attributes);
    ASSERT_FALSE(valid);
    EXPECT_EQ(valid.error().kind, Error::Kind::Usage) << valid.error().message;
    EXPECT_FALSE(probe(attributes));
  }
  EXPECT_TRUE(validate({}));
  EXPECT_TRUE(RunAttributes{}.empty());
}

TEST(RunAttributes, ProbingLeavesTheCallerAlone) {
  const int nice = ::getpriority(PRIO_PROCESS, 0);
  const CpuList cpus = *allowed_cpus();
  EXPECT_TRUE(probe({}));
  const Status status =
      probe({.cpus = CpuList({cpus[0]}), .nice = 19, .policy = SchedPolicy{.kind = Kind::Batch}});
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), nice);
  EXPECT_EQ(*allowed_cpus(), cpus);
}

TEST(RunAttributes, AnAbsentCpuIsRefused) {
  EXPECT_THAT(probe({.cpus = CpuList({CpuId{8100}})}).error().message,
              HasSubstr("cannot pin to CPU 8100"));
}

TEST(RunAttributes, ASliceThatTheKernelIgnoresOrClampsIsRefused) {
  const Status status = probe({.slice = 10s});
  ASSERT_FALSE(status) << "no kernel takes 10 s";
  EXPECT_THAT(status.error().message, HasSubstr("cannot set slice 10s:"));
  EXPECT_THAT(status.error().message,
              testing::AnyOf(HasSubstr("100us to 100ms"), HasSubstr("Linux 6.12")));
}

/// What probe() says to a process of nobody, whose limits allow nothing.
std::string refusal_to_nobody(const RunAttributes& attributes) {
  auto pipe = Pipe::open();
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_RTPRIO, &none);
    ::setrlimit(RLIMIT_NICE, &none);
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) ::_exit(1);
    const Status status = probe(attributes);
    write_all(pipe->write_end.get(), status ? "allowed" : status.error().message);
    ::_exit(0);
  }
  pipe->write_end.reset();
  ::waitpid(child, nullptr, 0);
  return read_to_end(pipe->read_end.get());
}

TEST(RunAttributes, WithoutPermissionTheErrorSaysWhatWouldHelp) {
  EXPECT_EQ(refusal_to_nobody({.policy = SchedPolicy{.kind = Kind::Fifo, .priority = 1}}),
            "cannot set policy fifo:1: Operation not permitted; run as root, or raise the limit "
            "rtprio (ulimit -r)");
  EXPECT_EQ(refusal_to_nobody({.nice = -1}),
            "cannot set nice -1: Permission denied; run as root, or raise the limit nice "
            "(ulimit -e)");
  EXPECT_EQ(refusal_to_nobody({.nice = 19}), "allowed");
}

}  // namespace
}  // namespace schedlab::os
