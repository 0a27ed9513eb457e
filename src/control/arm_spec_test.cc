#include "control/arm_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schedlab::control {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(std::string_view text) {
  const auto spec = parse_arm_spec(text);
  if (spec) return "accepted";
  EXPECT_EQ(spec.error().kind, Error::Kind::Usage);
  return spec.error().message;
}

TEST(ArmSpec, SameHasNoKnob) {
  const auto spec = parse_arm_spec("same");
  ASSERT_TRUE(spec);
  EXPECT_FALSE(spec->attributes.cpus);
  EXPECT_FALSE(spec->program);
  EXPECT_TRUE(spec->extra_arguments.empty());
}

TEST(ArmSpec, ReadsEveryKnob) {
  const auto spec =
      parse_arm_spec("cpus=0-1,3,nice=5,policy=batch,slice=3ms,cmd:./hackbench,args:-n 0 -M 0,1");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->attributes.cpus->to_string(), "0-1,3");
  EXPECT_EQ(spec->attributes.nice, 5);
  EXPECT_EQ(spec->attributes.policy, os::SchedPolicy{.kind = os::SchedPolicy::Kind::Batch});
  EXPECT_EQ(spec->attributes.slice, std::chrono::milliseconds(3));
  EXPECT_EQ(spec->program, "./hackbench");
  EXPECT_THAT(spec->extra_arguments, ElementsAre("-n", "0", "-M", "0,1"));
}

TEST(ArmSpec, FifoTakesItsPriority) {
  const auto spec = parse_arm_spec("policy=fifo:50");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->attributes.policy,
            (os::SchedPolicy{.kind = os::SchedPolicy::Kind::Fifo, .priority = 50}));
}

TEST(ArmSpec, RefusesWhatMakesNoSense) {
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(refusal("  "), HasSubstr("empty"));
  EXPECT_THAT(refusal("nise=3"), HasSubstr("'nice='"));
  EXPECT_THAT(refusal("sysctl:kernel.x=1"), HasSubstr("not in this version"));
  EXPECT_THAT(refusal("nice=1,nice=2"), HasSubstr("twice"));
  EXPECT_THAT(refusal("same,nice=2"), HasSubstr("alone"));
  EXPECT_THAT(refusal("nice=20"), HasSubstr("-20 to 19"));
  EXPECT_THAT(refusal("policy=fifo"), HasSubstr("fifo:"));
  EXPECT_THAT(refusal("policy=fifo:100"), HasSubstr("99"));
  EXPECT_THAT(refusal("policy=rr"), HasSubstr("batch"));
  EXPECT_THAT(refusal("policy=fifo:3,nice=2"), HasSubstr("nice"));
  EXPECT_THAT(refusal("policy=idle,slice=3ms"), HasSubstr("slice"));
  EXPECT_THAT(refusal("slice=3"), HasSubstr("unit"));
  EXPECT_THAT(refusal("slice=0ms"), HasSubstr("slice"));
  EXPECT_THAT(refusal("cpus="), HasSubstr("empty"));
  EXPECT_THAT(refusal("cpus=3-1"), HasSubstr("upwards"));
  EXPECT_THAT(refusal("cmd:"), HasSubstr("program"));
  EXPECT_THAT(refusal("args:"), HasSubstr("flags"));
  EXPECT_THAT(refusal("0,1"), HasSubstr("unknown knob"));
}

TEST(ArmSpec, AHostileSpecIsPrintedInert) {
  EXPECT_THAT(refusal("\x1b[31mred"), ::testing::Not(HasSubstr("\x1b")));
}

TEST(ArmSpec, ProbingFindsTheProgramInThePath) {
  auto spec = parse_arm_spec("cmd:sh");
  ASSERT_TRUE(spec);
  ASSERT_TRUE(probe_arm_spec(*spec, "/nowhere:/bin"));
  EXPECT_EQ(spec->program, "/bin/sh");
  auto absent = parse_arm_spec("cmd:no-such-program");
  const Status probed = probe_arm_spec(*absent, "/bin");
  ASSERT_FALSE(probed);
  EXPECT_THAT(probed.error().message, HasSubstr("no-such-program"));
}

}  // namespace
}  // namespace schedlab::control
