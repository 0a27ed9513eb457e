#include "report/layout.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "core/rng.h"
#include "core/text.h"

namespace schedlab::report {
namespace {

TEST(Wrap, BreaksAtBlanksWithAHangingIndent) {
  const std::string word(30, 'a');
  EXPECT_EQ(wrap("x ", "    ", word + " " + word + " " + word),
            "x " + word + " " + word + "\n    " + word + "\n");
  EXPECT_EQ(wrap("", "", ""), "");
}

TEST(Wrap, BreaksAWordThatIsLongerThanALine) {
  EXPECT_EQ(wrap("", "  ", std::string(100, 'a')),
            std::string(80, 'a') + "\n  " + std::string(20, 'a') + "\n");
}

TEST(Wrap, NeverExceedsThePage) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes)
      text += byte < 60 ? " " : byte < 120 ? "\u4e2d" : byte < 180 ? "a" : "\u00fcu\u0308";
    const std::string wrapped = wrap("12345678 ", "    ", text + text + text);
    for (const std::string_view line : split(wrapped, '\n'))
      RC_ASSERT(display_width(line) <= kPageWidth);
  }));
}

/// What a real shell makes of the line: its arguments.
std::vector<std::string> as_bash_reads(const std::string& command) {
  const auto base = std::filesystem::temp_directory_path() /
                    ("schedlab-layout-" + std::to_string(std::hash<std::string>()(command)));
  const std::string script = base.string() + ".sh";
  const std::string result = base.string() + ".out";
  std::ofstream(script, std::ios::binary) << "printf '%s\\0' " << command;
  const std::string line = "bash " + script + " > " + result;
  // NOLINTNEXTLINE(concurrency-mt-unsafe,cert-env33-c): one thread, and a shell is what is tested
  EXPECT_EQ(std::system(line.c_str()), 0);
  std::ifstream in(result, std::ios::binary);
  const std::string out((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::filesystem::remove(script);
  std::filesystem::remove(result);
  std::vector<std::string> arguments;
  for (const std::string_view piece : split(out, '\0'))
    arguments.emplace_back(piece);
  arguments.pop_back();
  return arguments;
}

TEST(WrapCommand, IsPastedBackAsItWas) {
  if (!std::filesystem::exists("/bin/bash")) GTEST_SKIP() << "no bash to paste into";
  Rng rng(1);
  std::vector<std::vector<std::string>> cases = {
      {"schedlab", "ab", "-A", "same", "--", "hackbench", "-g", "4"},
      {"a b", "", "'", "\\", "$HOME", "`id`", "FOO=bar", "~", "*", "\n", "!x"},
      {"x",
       std::string(300, 'y'),
       std::string(200, '\''),
       std::string(100, '\x1b'),
       "\u4e2d\u6587"}};
  for (int i = 0; i < 20; ++i) {
    std::vector<std::string> arguments(1 + rng.below(12));
    for (std::string& argument : arguments) {
      argument.resize(rng.below(rng.below(4) == 0 ? 250 : 20));
      for (char& c : argument)
        c = static_cast<char>(1 + rng.below(255));
    }
    cases.push_back(arguments);
  }
  for (const std::vector<std::string>& arguments : cases) {
    const std::string command = wrap_command(arguments);
    EXPECT_EQ(as_bash_reads(command), arguments) << command;
    for (const std::string_view line : split(command, '\n'))
      EXPECT_LE(display_width(line), kPageWidth) << line;
  }
}

TEST(PercentChange, HasASignAndNoNegativeZero) {
  EXPECT_EQ(percent_change(1.0234, 1), "+2.3%");
  EXPECT_EQ(percent_change(0.9766, 1), "-2.3%");
  EXPECT_EQ(percent_change(0.99999, 1), "+0.0%");
  EXPECT_EQ(percent_change(1.00012, 2), "+0.01%");
  EXPECT_EQ(percent_change(50, 1), "+4900%");
  EXPECT_EQ(percent_change(1e9, 1), "+1.00e+11%");
  EXPECT_EQ(percent_change(std::numeric_limits<double>::quiet_NaN(), 1), "not known");
}

TEST(IntervalText, ShowsWhatTheIntervalLeavesOpen) {
  const auto text = [](compare::Interval interval) {
    return interval_text(interval, decimals_for(interval));
  };
  EXPECT_EQ(text({1.0153, 1.0316}), "[1.5, 3.2]");
  EXPECT_EQ(text({0.9998, 1.0012}), "[-0.02, 0.12]");
  EXPECT_EQ(text({0.55, 1.02}), "[-45, 2]");
}

compare::Row judged(compare::Verdict verdict) {
  compare::Row row;
  row.metric = {.name = "time", .direction = Direction::LowerIsBetter, .primary = true};
  row.verdict = verdict;
  row.log_ratios = {0.01, 0.02, 0.03};
  return row;
}

TEST(VerdictText, NamesTheMarginAndNeverClaimsNoChange) {
  EXPECT_EQ(verdict_text(judged(compare::Verdict::Better)), "better");
  EXPECT_EQ(verdict_text(judged(compare::Verdict::Worse)), "worse");
  EXPECT_EQ(verdict_text(judged(compare::Verdict::Same)), "same within 1%");
  EXPECT_EQ(verdict_text(judged(compare::Verdict::Inconclusive)), "inconclusive");
  compare::Row secondary = judged(compare::Verdict::Better);
  secondary.metric.primary = false;
  EXPECT_EQ(verdict_text(secondary), "not judged");
}

TEST(FewFlags, TellHowManyAreLeftOut) {
  const std::vector<std::string> flags = {"a", "b", "c", "d", "e", "f"};
  EXPECT_EQ(few_flags(flags, "  ", "    "), "  a\n  b\n  c\n  d\n  and 2 more doubts: --why\n");
  EXPECT_EQ(few_flags(std::span(flags).first(5), "", ""), "a\nb\nc\nd\ne\n") << "no line saved";
  EXPECT_EQ(few_flags({}, "", ""), "");
}

TEST(EffectSentence, NamesWhatIsCounted) {
  compare::Row row = judged(compare::Verdict::Inconclusive);
  row.replication.conditional = "one boot";
  EXPECT_EQ(effect_sentence(row), "inconclusive (3 blocks, one boot)");
  row.replication.conditional.clear();
  row.replication.unit = compare::ReplicateUnit::Boot;
  row.more_blocks = 1;
  EXPECT_EQ(effect_sentence(row), "inconclusive, ~1 more boot (3 boots)");
  row.boot_plan.emplace();
  row.boot_plan->runs_per_boot = 5;
  row.boot_plan->more_boots = 4;
  EXPECT_EQ(effect_sentence(row), "inconclusive, ~4 more boots of 5 runs (3 boots)");
  row.replication.paired = false;
  row.base_levels = {0, 1, 2};
  row.contender_levels = {0, 1};
  EXPECT_EQ(replicates_text(row), "3 + 2 boots");
  row.replication.unit = compare::ReplicateUnit::Build;
  EXPECT_EQ(replicate_noun(row), "build");
}

TEST(EffectSentence, SaysHowManyMoreBlocks) {
  compare::Row row = judged(compare::Verdict::Inconclusive);
  row.more_blocks = 30;
  row.effect.emplace();
  row.effect->ratio = 0.97;
  row.effect->interval95 = {0.909, 1.035};
  EXPECT_EQ(effect_sentence(row), "-3.0% [-9.1, 3.5] inconclusive, ~30 more blocks (3 blocks)");
  row.effect.reset();
  row.log_ratios = {0.01};
  row.more_blocks.reset();
  EXPECT_EQ(effect_sentence(row), "inconclusive (1 block)");
}

}  // namespace
}  // namespace schedlab::report
