#include "core/result.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/check.h"
#include "core/strong.h"

namespace schedlab {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return usage_error("odd");
  return value / 2;
}

Result<std::string> quarter_text(int value) {
  SCHEDLAB_ASSIGN_OR_RETURN(const int once, half(value));
  SCHEDLAB_ASSIGN_OR_RETURN(const int twice, half(once));
  return std::to_string(twice);
}

Status check_even(int value, int* evaluations) {
  SCHEDLAB_RETURN_IF_ERROR((++*evaluations, half(value)));
  return {};
}

Result<std::unique_ptr<int>> boxed(bool fine) {
  if (!fine) return failed("no box");
  return std::make_unique<int>(3);
}

Result<int> unboxed(bool fine) {
  SCHEDLAB_ASSIGN_OR_RETURN(const std::unique_ptr<int> box, boxed(fine));
  return *box;
}

TEST(Result, AssignOrReturnGivesTheValueOrTheFirstError) {
  EXPECT_EQ(quarter_text(8).value(), "2");
  EXPECT_EQ(quarter_text(6).error().message, "odd");
  EXPECT_EQ(quarter_text(6).error().kind, Error::Kind::Usage);
}

TEST(Result, ReturnIfErrorEvaluatesOnce) {
  int evaluations = 0;
  EXPECT_TRUE(check_even(2, &evaluations));
  EXPECT_FALSE(check_even(3, &evaluations));
  EXPECT_EQ(evaluations, 2);
}

TEST(Result, CarriesWhatCannotBeCopied) {
  EXPECT_EQ(unboxed(true).value(), 3);
  EXPECT_EQ(unboxed(false).error().message, "no box");
}

TEST(Error, GainsContextAndKeepsItsKind) {
  const Error error = usage_error("not a number").within("reading -t").within("schbench");
  EXPECT_EQ(error.message, "schbench: reading -t: not a number");
  EXPECT_EQ(error.kind, Error::Kind::Usage);
}

TEST(CheckDeathTest, PrintsWhatDoesNotHoldAndAborts) {
  const int two = 2;
  SCHEDLAB_CHECK(two == 2);
  EXPECT_DEATH(SCHEDLAB_CHECK(two == 3), "result_test.cc:[0-9]+: two == 3 does not hold");
}

TEST(Strong, IdsCompareWithTheirOwnKindOnly) {
  EXPECT_LT(CpuId{1}, CpuId{2});
  EXPECT_EQ(RunId{}.value, 0);
  static_assert(!std::is_convertible_v<CpuId, RunId>);
  static_assert(!std::is_convertible_v<int, CpuId>);
}

}  // namespace
}  // namespace schedlab
