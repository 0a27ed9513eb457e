#include "core/experiment.h"

#include <gtest/gtest.h>

namespace schedlab {
namespace {

TEST(StoppingRule, NamesComeBackAsTheyWere) {
  for (const StopWhen when :
       {StopWhen::Blocks, StopWhen::Precision, StopWhen::Clear, StopWhen::Looks}) {
    EXPECT_EQ(*parse_stop_when(to_string(when)), when);
  }
  for (const Spending spending : {Spending::LanDeMets, Spending::OBrienFleming, Spending::Pocock}) {
    EXPECT_EQ(*parse_spending(to_string(spending)), spending);
  }
  EXPECT_FALSE(parse_stop_when("later"));
  EXPECT_FALSE(parse_spending(""));
}

TEST(StoppingRule, IsAFixedNumberOfBlocksUnlessSaid) {
  EXPECT_EQ(Experiment().stopping.when, StopWhen::Blocks);
}

TEST(StoppingRule, IsToldInWords) {
  EXPECT_EQ(plan_text({}, 12), "12 blocks planned");
  EXPECT_EQ(plan_text({.when = StopWhen::Clear, .max_time = std::chrono::hours(2)}, 200),
            "until clear, at most 200 blocks or 2h");
  EXPECT_EQ(plan_text({.when = StopWhen::Precision, .half_width = 0.015}, 60),
            "until every interval is +-1.5%, at most 60 blocks");
  EXPECT_EQ(plan_text({.when = StopWhen::Looks, .looks = 4}, 12), "12 blocks planned with 4 looks");
}

}  // namespace
}  // namespace schedlab
