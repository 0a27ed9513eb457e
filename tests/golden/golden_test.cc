// The report in each style, byte for byte.

#include "tests/golden/golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "compare/fake_experiment.h"
#include "core/text.h"
#include "report/report.h"
#include "tests/golden/fixtures.h"

namespace schedlab::golden {
namespace {

using report::render;
using report::Style;

struct NamedStyle {
  Style style;
  const char* name;
};

class Golden : public testing::TestWithParam<NamedStyle> {};

TEST_P(Golden, EveryKindOfRow) {
  expect_golden(std::string("full.") + GetParam().name,
                render(full_comparison(), GetParam().style));
}

TEST_P(Golden, RunsByWayOfCompare) {
  const auto comparison = compared_runs();
  ASSERT_TRUE(comparison) << comparison.error().message;
  expect_golden(std::string("compared.") + GetParam().name, render(*comparison, GetParam().style));
}

TEST_P(Golden, HostileText) {
  expect_golden(std::string("hostile.") + GetParam().name,
                render(hostile_comparison(), GetParam().style));
}

TEST_P(Golden, NoRowAtAll) {
  expect_golden(std::string("empty.") + GetParam().name,
                render(empty_comparison(), GetParam().style));
}

TEST_P(Golden, WorkedExample) {
  compare::Comparison comparison = empty_comparison();
  comparison.rows = {worked_example()};
  expect_golden(std::string("worked-example.") + GetParam().name,
                render(comparison, GetParam().style));
}

INSTANTIATE_TEST_SUITE_P(Style,
                         Golden,
                         testing::Values(NamedStyle{Style::Native, "native"},
                                         NamedStyle{Style::Amd, "amd"},
                                         NamedStyle{Style::AmdCv, "amd-cv"},
                                         NamedStyle{Style::Mmtests, "mmtests"},
                                         NamedStyle{Style::MmtestsOld, "mmtests-old"},
                                         NamedStyle{Style::Lkp, "lkp"},
                                         NamedStyle{Style::Json, "json"},
                                         NamedStyle{Style::Csv, "csv"}),
                         [](const auto& instance) {
                           std::string name = instance.param.name;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(Why, EveryRowExplained) {
  const auto comparison = compared_runs();
  ASSERT_TRUE(comparison) << comparison.error().message;
  expect_golden("compared.why", render(*comparison, Style::Native, report::Why{}));
}

TEST(Why, BootsInPlaceOfBlocks) {
  const auto comparison = compared_boots();
  ASSERT_TRUE(comparison) << comparison.error().message;
  expect_golden("boots.why", render(*comparison, Style::Native, report::Why{}));
}

TEST(Native, NoLineIsWiderThan80Columns) {
  for (const compare::Comparison& comparison :
       {full_comparison(), hostile_comparison(), empty_comparison()}) {
    const std::string text = render(comparison, Style::Native);
    for (const std::string_view line : split(text, '\n'))
      EXPECT_LE(display_width(line), 80U) << line;
  }
}

// One block each of a metric that is nowhere a number, now and then one, infinite, zero, negative
// or always the same.
Result<compare::Comparison> bad_figures() {
  const double nan = std::nan("");
  const std::vector<std::vector<double>> base = {{nan, nan, nan, nan},
                                                 {1, nan, 2, 3},
                                                 {1, HUGE_VAL, -HUGE_VAL, 2},
                                                 {0, 0, 0, 0},
                                                 {-1, 2, -3, 4},
                                                 {7, 7, 7, 7},
                                                 {1e-60, 1e60, 1e-60, 1e60}};
  compare::FakeExperiment fake;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const std::string name = "bad -g " + std::to_string(i);
    for (std::int32_t block = 0; block < 4; ++block) {
      const double value = base[i][static_cast<std::size_t>(block)];
      fake.add_run("base", block, 0, {compare::time_metric(value)}, name);
      fake.add_run("new", block, 1, {compare::time_metric(i == 5 ? 7 : 1)}, name);
      fake.add_run("control", block, 2, {compare::time_metric(value)}, name);
    }
  }
  return fake.compare();
}

TEST(AllStyles, PrintNoFigureThatIsNotANumber) {
  const auto comparison = bad_figures();
  ASSERT_TRUE(comparison) << comparison.error().message;
  ASSERT_EQ(comparison->rows.size(), 7U);
  const std::regex none("\\b(nan|inf)\\b", std::regex::icase);
  for (const Style style : {Style::Native,
                            Style::Amd,
                            Style::AmdCv,
                            Style::Mmtests,
                            Style::MmtestsOld,
                            Style::Json,
                            Style::Csv}) {
    const std::string text = render(*comparison, style, report::Why{});
    const std::sregex_iterator first(text.begin(), text.end(), none);
    EXPECT_EQ(std::distance(first, std::sregex_iterator()), 0)
        << "style " << static_cast<int>(style) << ":\n"
        << text;
  }
}

TEST(AllStyles, CarryNoTerminalSequence) {
  for (const Style style : {Style::Native,
                            Style::Amd,
                            Style::AmdCv,
                            Style::Mmtests,
                            Style::MmtestsOld,
                            Style::Lkp,
                            Style::Json,
                            Style::Csv}) {
    std::string text = render(hostile_comparison(), style);
    for (const std::string_view line : split(text, '\n')) {
      const std::string_view bare = line.substr(0, line.find_last_not_of('\r') + 1);
      EXPECT_EQ(printable(bare, text.size()), bare);
    }
  }
}

}  // namespace
}  // namespace schedlab::golden
