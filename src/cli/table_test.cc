#include "cli/table.h"

#include <gtest/gtest.h>

namespace schedlab::cli {
namespace {

TEST(Delta, TakesPercentAndFraction) {
  EXPECT_DOUBLE_EQ(*parse_delta("1%"), 0.01);
  EXPECT_DOUBLE_EQ(*parse_delta("0.5%"), 0.005);
  EXPECT_DOUBLE_EQ(*parse_delta("0.03"), 0.03);
}

TEST(Delta, RefusesWhatIsNoMargin) {
  for (const char* text : {"", "%", "0", "0%", "-1%", "51%", "1", "abc", "1%%", "nan"}) {
    EXPECT_FALSE(parse_delta(text)) << text;
  }
}

TEST(TableOptions, AreCheckedBeforeANightsRuns) {
  TableOptions options;
  EXPECT_TRUE(check_table_options(options));
  options.style = "pretty";
  EXPECT_FALSE(check_table_options(options));
  options.style = "csv";
  options.delta = "lots";
  EXPECT_FALSE(check_table_options(options));
  options.delta = "1%";
  EXPECT_TRUE(check_table_options(options));
  options.correction = "holms";
  EXPECT_FALSE(check_table_options(options));
  options.correction = "two-stage";
  EXPECT_TRUE(check_table_options(options));
  options.why = "";
  EXPECT_FALSE(check_table_options(options)) << "csv has no place for it";
}

}  // namespace
}  // namespace schedlab::cli
