#include "core/metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace schedlab {
namespace {

TEST(Metric, WordsReadBack) {
  for (const auto d : {Direction::HigherIsBetter, Direction::LowerIsBetter, Direction::Descriptive})
    EXPECT_EQ(parse_direction(to_string(d)).value(), d);
  for (const auto u : {Unit::Seconds,
                       Unit::Nanoseconds,
                       Unit::PerSecond,
                       Unit::BytesPerSecond,
                       Unit::Count,
                       Unit::Percent})
    EXPECT_EQ(parse_unit(to_string(u)).value(), u);
  for (const auto c : {MetricClass::Throughput,
                       MetricClass::Time,
                       MetricClass::LatencyMedian,
                       MetricClass::LatencyTail,
                       MetricClass::Other})
    EXPECT_EQ(parse_metric_class(to_string(c)).value(), c);
}

TEST(Metric, UnknownWordsListTheKnownOnes) {
  const auto read = parse_unit("furlong");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "unknown unit 'furlong' (known: s, ns, 1/s, B/s, count, %)");
}

TEST(Metric, DefaultMarginFollowsTheClass) {
  EXPECT_EQ(default_delta(MetricClass::Throughput), 0.01);
  EXPECT_EQ(default_delta(MetricClass::Time), 0.01);
  EXPECT_EQ(default_delta(MetricClass::LatencyMedian), 0.03);
  EXPECT_EQ(default_delta(MetricClass::LatencyTail), 0.05);
}

struct Shown {
  double value;
  Unit unit;
  const char* text;
};

TEST(FormatValue, ShowsFourDigitsAndAUnit) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Shown cases[] = {
      {1.234, Unit::Seconds, "1.234 s"},
      {0.000012, Unit::Seconds, "12.00 us"},
      {12'300, Unit::Nanoseconds, "12.30 us"},
      {999, Unit::Nanoseconds, "999.0 ns"},
      {999'970, Unit::Nanoseconds, "1.000 ms"},
      {9'999.6, Unit::Nanoseconds, "10.00 us"},
      {99'996, Unit::Nanoseconds, "100.0 us"},
      {999'999'999, Unit::Nanoseconds, "1.000 s"},
      {0, Unit::Nanoseconds, "0 ns"},
      {-1'500, Unit::Nanoseconds, "-1.500 us"},
      {5'710, Unit::PerSecond, "5710 /s"},
      {57'100, Unit::PerSecond, "57.10 k/s"},
      {33'100'000, Unit::PerSecond, "33.10 M/s"},
      {12'345'678'901, Unit::BytesPerSecond, "12.35 GB/s"},
      {12.345, Unit::Percent, "12.35 %"},
      {42, Unit::Count, "42 x"},
      {1.5, Unit::Count, "1.50 x"},
      {1e7, Unit::Count, "10000000 x"},
      {kNan, Unit::Seconds, "not known"},
      {kInfinity, Unit::Count, "not known"},
  };
  for (const Shown& shown : cases)
    EXPECT_EQ(format_value(shown.value, shown.unit), shown.text) << shown.value;
}

// Swept over every magnitude: a unit always follows, and the number never grows a fifth digit
// before its point while a larger unit is left.
TEST(FormatValue, NeverNeedsMoreThanFourDigitsBelowOneSecond) {
  for (double value = 1; value < 1e9; value *= 1.0003) {
    const std::string text = format_value(value, Unit::Nanoseconds);
    ASSERT_NE(text.find(' '), std::string::npos);
    ASSERT_LE(text.find(' '), 5U) << value << " " << text;
    ASSERT_TRUE(text.substr(0, 4) != "1000") << value << " " << text;
  }
}

}  // namespace
}  // namespace schedlab
