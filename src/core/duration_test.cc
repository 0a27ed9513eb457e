#include "core/duration.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace schedlab {
namespace {

using namespace std::chrono_literals;

TEST(ParseDuration, ReadsEveryUnit) {
  const std::vector<std::pair<std::string, Nanos>> cases = {{"30s", 30s},
                                                            {"250us", 250us},
                                                            {"1.5ms", 1500us},
                                                            {"100ns", 100ns},
                                                            {"2min", 2min},
                                                            {"2m", 2min},
                                                            {"1h", 1h},
                                                            {"0s", 0ns},
                                                            {" 3 s ", 3s},
                                                            {"1sec", 1s},
                                                            {"0.1us", 100ns}};
  for (const auto& [text, expected] : cases) {
    const auto read = parse_duration(text);
    ASSERT_TRUE(read) << text << ": " << read.error().message;
    EXPECT_EQ(*read, expected) << text;
  }
}

TEST(ParseDuration, RefusesWhatIsNotOneAndSaysHowToWriteIt) {
  for (const std::string text : {"",
                                 " ",
                                 "30",
                                 "-1s",
                                 "s",
                                 "1.2.3s",
                                 "1 week",
                                 "1s2",
                                 "nan s",
                                 "inf",
                                 "1e3s",
                                 "0x10s",
                                 "+1s",
                                 "300y",
                                 "9223372037s",
                                 "99999999999999999999999999s",
                                 "1\0s",
                                 "1\xFFs"}) {
    const auto read = parse_duration(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, Error::Kind::Usage);
    EXPECT_NE(read.error().message.find("30s, 250us"), std::string::npos);
  }
}

TEST(ParseDuration, DefaultUnitServesBareNumbersOnly) {
  EXPECT_EQ(parse_duration("30", "s").value(), 30s);
  EXPECT_EQ(parse_duration("30ms", "s").value(), 30ms);
  EXPECT_FALSE(parse_duration("30", "parsec"));
}

TEST(ParseDuration, WholeNumbersAreExactTo64Bits) {
  EXPECT_EQ(parse_duration("9007199254740993ns")->count(), 9'007'199'254'740'993);
  EXPECT_EQ(parse_duration("9223372036854775807ns")->count(), 9'223'372'036'854'775'807);
  EXPECT_FALSE(parse_duration("9223372036854775808ns"));
}

TEST(ParseDuration, ReadsBackAnyCountOfNanoseconds) {
  EXPECT_TRUE(rc::check([](std::int64_t count) {
    const auto value = count == std::numeric_limits<std::int64_t>::min() ? 0 : std::abs(count);
    RC_ASSERT(parse_duration(std::to_string(value) + "ns").value() == Nanos(value));
  }));
}

TEST(FormatDuration, IsShortAndNeverScientific) {
  const std::vector<std::pair<Nanos, std::string>> cases = {{0ns, "0ns"},
                                                            {999ns, "999ns"},
                                                            {1500us, "1.5ms"},
                                                            {250us, "250us"},
                                                            {30s, "30s"},
                                                            {90s, "90s"},
                                                            {1h, "1h"},
                                                            {2h, "2h"},
                                                            {12'345s, "3.429h"},
                                                            {1'234'568h, "1234568h"},
                                                            {-5ms, "-5ms"},
                                                            {999'999ns, "1ms"},
                                                            {999'999'999ns, "1s"},
                                                            {1234ns, "1.234us"},
                                                            {3661s, "3661s"}};
  for (const auto& [value, expected] : cases)
    EXPECT_EQ(format_duration(value), expected);
  for (const Nanos value : {Nanos::max(), Nanos::min()}) {
    EXPECT_EQ(format_duration(value).find('e'), std::string::npos) << format_duration(value);
  }
}

TEST(FormatDuration, ReadsBackWithinItsDigits) {
  EXPECT_TRUE(rc::check([](std::uint32_t low, std::uint8_t shift) {
    const auto value = static_cast<std::int64_t>(std::uint64_t{low} << (shift % 31));
    const auto back = parse_duration(format_duration(Nanos(value)));
    RC_ASSERT(back.has_value());
    const auto wide = static_cast<double>(value);
    RC_ASSERT(std::abs(static_cast<double>(back->count()) - wide) <= 6e-4 * wide);
  }));
}

TEST(ParseSize, ReadsPowersOf1024And1000) {
  const std::vector<std::pair<std::string, std::uint64_t>> cases = {
      {"4096", 4096},
      {"64KiB", 65536},
      {"64K", 65536},
      {"1MiB", 1048576},
      {"2GiB", 2147483648},
      {"1kB", 1000},
      {"3MB", 3'000'000},
      {"1GB", 1'000'000'000},
      {"1.5KiB", 1536},
      {"0", 0},
      {"7 B", 7},
      {"18446744073709551615", UINT64_MAX}};
  for (const auto& [text, expected] : cases) {
    const auto read = parse_size(text);
    ASSERT_TRUE(read) << text << ": " << read.error().message;
    EXPECT_EQ(*read, expected) << text;
  }
}

TEST(ParseSize, RefusesWhatIsNotOne) {
  for (const std::string text : {"",
                                 "-1",
                                 "KiB",
                                 "1TiB",
                                 "1.2.3K",
                                 "0.3B",
                                 "99999999999GiB",
                                 "ten",
                                 "18446744073709551616000",
                                 "64kib"}) {
    const auto read = parse_size(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("64KiB"), std::string::npos);
  }
}

}  // namespace
}  // namespace schedlab
