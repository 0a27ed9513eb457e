#include "compare/decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "compare/effect.h"

namespace schedlab::compare {

namespace {

std::int64_t tested_rows(const std::vector<Row*>& family) {
  return std::count_if(
      family.begin(), family.end(), [](const Row* row) { return row->effect.has_value(); });
}

// The row's own interval excludes no change, and yet the row is not called better or worse.
void flag_correction(Row& row, std::int64_t tested, double alpha) {
  if (!row.effect || row.verdict != Verdict::Inconclusive) return;
  if (row.log_ratios.size() < kFewestBlocks) return;
  if (row.effect->p_value >= alpha || row.effect->p_adjusted < alpha) return;
  row.flags.push_back(fmt::format(
      "not significant after correction over {} rows (p {:.2g})", tested, row.effect->p_adjusted));
}

}  // namespace

Status decide_rows(std::vector<Row>& rows, const Moment& moment) {
  std::vector<Row*> primary;
  std::vector<Row*> others;
  for (Row& row : rows)
    (row.metric.primary ? primary : others).push_back(&row);
  for (const std::vector<Row*>* family : {&primary, &others}) {
    SCHEDLAB_RETURN_IF_ERROR(rest_on_rule(*family, moment));
    adjust_p_values(*family, correction_of(moment.rule));
    for (Row* row : *family)
      decide(*row, moment.alpha);
    predict_blocks(*family, moment);
  }
  for (Row* row : primary)
    flag_correction(*row, tested_rows(primary), moment.alpha);
  return {};
}

}  // namespace schedlab::compare
