#include "tests/tree/source_text.h"

#include <gtest/gtest.h>

namespace schedlab::tree {
namespace {

TEST(SourceText, CommentsGoAndLinesStay) {
  EXPECT_EQ(take_apart("a // b\nc /* d\ne */ f\n").code, "a \nc \n  f\n");
}

TEST(SourceText, LiteralsAreTakenOutWithTheirLine) {
  const SourceText text =
      take_apart("x = \"a\\\"b\";\ny = R\"sql(SELECT \"1\"\n2)sql\" + '\"' + \"z\";");
  ASSERT_EQ(text.literals.size(), 3U);
  EXPECT_EQ(text.literals[0].text, "a\\\"b");
  EXPECT_EQ(text.literals[1].text, "SELECT \"1\"\n2");
  EXPECT_EQ(text.literals[1].line, 2U);
  EXPECT_EQ(text.literals[2].text, "z");
  EXPECT_EQ(text.literals[2].line, 3U);
}

TEST(SourceText, DigitSeparatorsOpenNoLiteral) {
  EXPECT_EQ(take_apart("n = 1'000; s = \"t\";").literals.size(), 1U);
}

TEST(SourceText, NothingInACommentIsALiteral) {
  EXPECT_TRUE(take_apart("// \"a\"\n/* \"b\" */").literals.empty());
  EXPECT_EQ(take_apart("s = \"// no comment\";").literals.size(), 1U);
}

TEST(SourceText, UnfinishedTextEnds) {
  for (const char* source : {"\"abc", "'a", "/* a", "R\"x(abc", "R\"", "\"\\", "'\\", "/*"}) {
    (void)take_apart(source);
  }
}

TEST(Includes, AreReadWithFormAndReason) {
  const auto found = includes_of(
      "#include \"core/text.h\"\n"
      "#include <sys/mman.h>  // huge pages\n"
      "\n"
      "#include <sched.h>\n"
      "// The futex numbers.\n"
      "#  include <linux/futex.h>\n"
      "\n"
      "#include <vector>\n"
      "// #include <sched.h>\n"
      "/* #include <poll.h>\n#include <fcntl.h>\n*/\n");
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0].path, "core/text.h");
  EXPECT_FALSE(found[0].system);
  EXPECT_FALSE(found[0].reason);
  EXPECT_TRUE(found[1].system);
  EXPECT_TRUE(found[1].reason);
  EXPECT_TRUE(found[2].reason);
  EXPECT_TRUE(found[3].reason);
  EXPECT_EQ(found[3].line, 6U);
  EXPECT_FALSE(found[4].reason);
}

}  // namespace
}  // namespace schedlab::tree
