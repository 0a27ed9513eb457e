// Many rows: each correction against the answers of its source, by way of compare().
#include "compare/decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compare/fake_experiment.h"
#include "stats/multiplicity_families.h"

namespace schedlab::compare {
namespace {

using testing::HasSubstr;

// Benjamini and Hochberg's fifteen p-values (1995).
const std::vector<double> kFifteen = {0.0001,
                                      0.0004,
                                      0.0019,
                                      0.0095,
                                      0.0201,
                                      0.0278,
                                      0.0298,
                                      0.0344,
                                      0.0459,
                                      0.3240,
                                      0.4262,
                                      0.5719,
                                      0.6528,
                                      0.7590,
                                      1};

std::vector<Row> rows_of(const std::vector<double>& p_values) {
  std::vector<Row> rows;
  for (const double p : p_values) {
    Row& row = rows.emplace_back();
    row.metric = time_metric(0);
    row.workload = rows.size() % 2 == 0 ? "even" : "odd";
    row.log_ratios = {0.02, 0.03, 0.025, 0.035};
    row.effect.emplace();
    row.effect->ratio = 1.03;
    row.effect->p_value = p;
    row.effect->p_adjusted = p;
  }
  return rows;
}

std::vector<double> adjusted(Correction correction) {
  std::vector<Row> rows = rows_of(kFifteen);
  EXPECT_TRUE(decide_rows(rows, correction, Moment{}));
  std::vector<double> values;
  for (const Row& row : rows)
    values.push_back(row.effect->p_adjusted);
  return values;
}

int findings(Correction correction) {
  std::vector<Row> rows = rows_of(kFifteen);
  EXPECT_TRUE(decide_rows(rows, correction, Moment{}));
  int better = 0;
  for (const Row& row : rows)
    better += row.verdict == Verdict::Better ? 1 : 0;
  return better;
}

TEST(Decisions, FollowTheCorrection) {
  EXPECT_EQ(findings(Correction::None), 9);
  EXPECT_EQ(findings(Correction::BenjaminiHochberg), 4);
  EXPECT_EQ(findings(Correction::BenjaminiYekutieli), 3);
  EXPECT_EQ(findings(Correction::Holm), 3);
  EXPECT_NEAR(adjusted(Correction::BenjaminiHochberg)[3], 0.035625, 1e-12);
  EXPECT_EQ(adjusted(Correction::None), kFifteen);
}

TEST(Decisions, OfTwoStagesGroupRowsByWorkload) {
  std::vector<std::vector<double>> families(2);
  for (std::size_t i = 0; i < kFifteen.size(); ++i)
    families[i % 2].push_back(kFifteen[i]);
  const auto expected = stats::two_stage(families, 0.05);
  ASSERT_TRUE(expected);
  const std::vector<double> found = adjusted(Correction::TwoStage);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], (*expected)[i % 2].adjusted[i / 2]) << i;
}

TEST(Decisions, KeepTheOrderOfThePValues) {
  for (const Correction correction : {Correction::BenjaminiHochberg,
                                      Correction::BenjaminiYekutieli,
                                      Correction::Holm,
                                      Correction::None}) {
    const std::vector<double> found = adjusted(correction);
    for (std::size_t i = 1; i < found.size(); ++i)
      EXPECT_LE(found[i - 1], found[i]);
  }
}

TEST(Decisions, AreNamedAsOnTheCommandLine) {
  EXPECT_EQ(*parse_correction("bh"), Correction::BenjaminiHochberg);
  EXPECT_EQ(*parse_correction("by"), Correction::BenjaminiYekutieli);
  EXPECT_EQ(*parse_correction("two-stage"), Correction::TwoStage);
  EXPECT_EQ(*parse_correction("holm"), Correction::Holm);
  EXPECT_EQ(*parse_correction("none"), Correction::None);
  EXPECT_THAT(parse_correction("bonferroni").error().message,
              HasSubstr("bh, by, two-stage, holm, none"));
  EXPECT_FALSE(parse_correction(""));
}

TEST(Decisions, OfAWatchedPlanAreCorrectedByHolmOnly) {
  StoppingRule watched;
  watched.when = StopWhen::Clear;
  EXPECT_EQ(*correction_for(watched, Correction::BenjaminiHochberg), Correction::Holm);
  EXPECT_EQ(*correction_for(watched, Correction::Holm), Correction::Holm);
  EXPECT_THAT(correction_for(watched, Correction::None).error().message,
              HasSubstr("only holm holds"));
  EXPECT_EQ(*correction_for({}, Correction::TwoStage), Correction::TwoStage);
}

TEST(Decisions, OfNoRowsAreNone) {
  std::vector<Row> rows;
  for (const Correction correction : {Correction::BenjaminiHochberg,
                                      Correction::BenjaminiYekutieli,
                                      Correction::TwoStage,
                                      Correction::Holm,
                                      Correction::None})
    ASSERT_TRUE(decide_rows(rows, correction, Moment{}));
  EXPECT_TRUE(rows.empty());
}

}  // namespace
}  // namespace schedlab::compare
