#include "core/text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <limits>

namespace schedlab {
namespace {

using Views = std::vector<std::string_view>;

TEST(Split, KeepsEmptyPieces) {
  EXPECT_EQ(split("a,,b", ','), (Views{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (Views{""}));
  EXPECT_EQ(split(",", ','), (Views{"", ""}));
}

TEST(Words, HaveNoEmptyPieces) {
  EXPECT_EQ(words("  a\t b\n"), (Views{"a", "b"}));
  EXPECT_EQ(words(" \n"), Views{});
}

TEST(Trim, TakesBlanksOffBothEnds) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
}

TEST(Join, IsTheInverseOfSplit) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    std::vector<std::string> pieces;
    for (const std::string_view piece : split(text, ','))
      pieces.emplace_back(piece);
    RC_ASSERT(join(pieces, ",") == text);
  }));
}

TEST(ParseInteger, TakesTheWholeTextWithinTheRange) {
  EXPECT_EQ(parse_integer("-7", -10, 10).value(), -7);
  EXPECT_EQ(
      parse_integer("9223372036854775807", 0, std::numeric_limits<std::int64_t>::max()).value(),
      std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"", " 1", "1 ", "1x", "0x1", "1.0", "+1", "11", "9223372036854775808"}) {
    EXPECT_FALSE(parse_integer(text, -10, 10)) << text;
  }
  EXPECT_EQ(parse_integer("x", 1, 5).error().message, "'x' is not a whole number from 1 to 5");
}

TEST(ParseNumber, TakesFiniteDecimals) {
  EXPECT_EQ(parse_number("1.5").value(), 1.5);
  EXPECT_EQ(parse_number("-2e3").value(), -2000);
  for (const char* text : {"", "nan", "inf", "1,5", "1.5 ", "1e999", "0x1p3"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(NearestWord, FindsTheTypoButNotAnythingShort) {
  constexpr std::array<std::string_view, 4> kWords = {"--groups", "--loops", "--pipe", "-g"};
  EXPECT_EQ(nearest_word("--gruops", kWords), "--groups");
  EXPECT_EQ(nearest_word("--pip", kWords), "--pipe");
  EXPECT_EQ(nearest_word("-G", kWords), "-g");
  EXPECT_EQ(nearest_word("ab", kWords), std::nullopt);
  EXPECT_EQ(nearest_word("x", kWords), std::nullopt);
  EXPECT_EQ(nearest_word("", kWords), std::nullopt);
  EXPECT_EQ(nearest_word("--something-else", kWords), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(10'000'000, 'a'), kWords), std::nullopt);
}

TEST(Printable, KeepsTextAsItIs) {
  EXPECT_EQ(printable("schbench -t 16 m\u00fcnchen \u4e2d\u6587"),
            "schbench -t 16 m\u00fcnchen \u4e2d\u6587");
}

TEST(Printable, TakesTheTeethOutOfTerminalSequences) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m"), "?[31mred?[0m");
  EXPECT_EQ(printable("a\nb\rc\td\x7f"), "a?b?c?d?");
  EXPECT_EQ(printable("\u009b31m"), "?31m") << "C1 control, as UTF-8";
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Printable, ShowsWhereTextWouldBeReorderedOrHidden) {
  EXPECT_EQ(printable("a\u202egnp.exe"), "a?gnp.exe") << "right-to-left override";
  EXPECT_EQ(printable("a\u2066b\u2069c"), "a?b?c") << "isolates";
  EXPECT_EQ(printable("a\u200bb\ufeffc"), "a?b?c") << "zero width";
  EXPECT_EQ(printable("a\u2028b"), "a?b") << "line separator";
}

TEST(Printable, ReplacesEveryByteThatIsNotUtf8) {
  EXPECT_EQ(printable("a\xff\xfe"), "a??");
  EXPECT_EQ(printable("\xc0\xaf"), "??") << "overlong, two bytes";
  EXPECT_EQ(printable("\xe0\x80\xaf"), "???") << "overlong, three bytes";
  EXPECT_EQ(printable("\xf0\x80\x80\xaf"), "????") << "overlong, four bytes";
  EXPECT_EQ(printable("\xed\xa0\x80"), "???") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????") << "above U+10FFFF";
  EXPECT_EQ(printable("\xe4\xb8"), "??") << "truncated";
}

TEST(Printable, CutsAtTheLimitWithoutCuttingACharacter) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("ab\u4e2d", 4), "ab...");
}

// Bytes 0..255 at random: the answer holds no control, and is a fixed point.
TEST(Printable, IsItsOwnPrintableForm) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& bytes) {
    const std::string text(bytes.begin(), bytes.end());
    const std::string shown = printable(text, 10'000);
    RC_ASSERT(printable(shown, 10'000) == shown);
    for (const char c : shown)
      RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  }));
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("m\u00fcnchen"), 7U);
  EXPECT_EQ(display_width("u\u0308"), 1U) << "combining mark";
  EXPECT_EQ(display_width("\u4e2d\u6587"), 4U) << "wide";
  EXPECT_EQ(display_width("\U0001f600"), 2U) << "emoji";
}

TEST(ShellQuote, QuotesOnlyWhatMustBe) {
  const std::vector<std::string> plain = {"schedlab", "ab", "-A", "cpus=0-3", "--", "schbench"};
  EXPECT_EQ(shell_quote(plain), "schedlab ab -A cpus=0-3 -- schbench");
  EXPECT_EQ(shell_quote(std::vector<std::string>{"a b", "", "it's", "$HOME", "*", "~"}),
            "'a b' '' 'it'\\''s' '$HOME' '*' '~'");
  EXPECT_EQ(shell_quote(std::vector<std::string>{"A=b", "A=b"}), "'A=b' A=b");
  EXPECT_EQ(shell_quote(std::vector<std::string>{}), "");
}

TEST(ShellQuote, NeverCarriesATerminalSequence) {
  EXPECT_EQ(shell_quote(std::vector<std::string>{"x\x1b[2J'\\\n"}), "$'x\\033[2J\\'\\\\\\012'");
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& bytes) {
    const std::string quoted =
        shell_quote(std::vector<std::string>{std::string(bytes.begin(), bytes.end())});
    RC_ASSERT(printable(quoted, 10'000) == quoted);
  }));
}

}  // namespace
}  // namespace schedlab
