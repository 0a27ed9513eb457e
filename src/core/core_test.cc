#include <gtest/gtest.h>

#include "core/cpu_list.h"
#include "core/duration.h"
#include "core/run_record.h"
#include "core/text.h"

namespace schedlab {
namespace {

TEST(RunOutput, SurvivesItsFrame) {
  RunOutput out;
  out.workload = "schbench";
  out.metrics.push_back({.name = "wakeup_p99", .value = 12.5, .unit = Unit::Nanoseconds});
  out.histograms.push_back({.name = "wakeup", .unit = Unit::Nanoseconds, .histogram = {}});
  out.histograms[0].histogram.record(77);
  out.counters.push_back({"switches", 5});
  const auto back = decode_run_output(encode(out));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, out);
}

}  // namespace
}  // namespace schedlab
