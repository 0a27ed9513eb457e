#include "compare/decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include "compare/boot_plan.h"
#include "compare/effect.h"
#include "compare/unpaired.h"
#include "core/check.h"
#include "core/text.h"
#include "stats/multiplicity_families.h"

namespace schedlab::compare {

namespace {

std::vector<Row*> tested(const std::vector<Row*>& family) {
  std::vector<Row*> rows;
  std::copy_if(family.begin(), family.end(), std::back_inserter(rows), [](const Row* row) {
    return row->effect.has_value();
  });
  return rows;
}

std::vector<double> p_values(const std::vector<Row*>& rows) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const Row* row : rows)
    values.push_back(row->effect->p_value);
  return values;
}

// A p-value outside [0, 1] would be a mistake of ours: no record can make one.
void set_adjusted(const std::vector<Row*>& rows, const Result<std::vector<double>>& adjusted) {
  SCHEDLAB_CHECK(adjusted.has_value());
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i]->effect->p_adjusted = (*adjusted)[i];
}

// Rows grouped by workload, in the order of its first row.
std::vector<std::vector<Row*>> by_workload(const std::vector<Row*>& rows) {
  std::vector<std::vector<Row*>> families;
  std::map<std::string, std::size_t> places;
  for (Row* row : rows) {
    const auto [known, is_new] = places.try_emplace(row->workload, families.size());
    if (is_new) families.emplace_back();
    families[known->second].push_back(row);
  }
  return families;
}

void adjust_in_two_stages(const std::vector<Row*>& rows, double alpha) {
  const std::vector<std::vector<Row*>> families = by_workload(rows);
  std::vector<std::vector<double>> values;
  values.reserve(families.size());
  for (const std::vector<Row*>& family : families)
    values.push_back(p_values(family));
  const auto found = stats::two_stage(values, alpha);
  SCHEDLAB_CHECK(found.has_value());
  for (std::size_t f = 0; f < families.size(); ++f) {
    for (std::size_t i = 0; i < families[f].size(); ++i)
      families[f][i]->effect->p_adjusted = (*found)[f].adjusted[i];
  }
}

void adjust(const std::vector<Row*>& rows, Correction correction, double alpha) {
  switch (correction) {
    case Correction::BenjaminiHochberg:
      adjust_p_values(rows);
      return;
    case Correction::BenjaminiYekutieli:
      set_adjusted(rows, stats::benjamini_yekutieli(p_values(rows)));
      return;
    case Correction::TwoStage:
      adjust_in_two_stages(rows, alpha);
      return;
    case Correction::Holm:
      set_adjusted(rows, stats::holm(p_values(rows)));
      return;
    case Correction::None:
      return;  // p_adjusted is p_value from the start
  }
}

// The row's own interval excludes no change, and yet the row is not called better or worse.
void flag_correction(Row& row, std::size_t rows, double alpha) {
  if (!row.effect || row.verdict != Verdict::Inconclusive) return;
  if (row.replication.paired && row.log_ratios.size() < kFewestBlocks) return;
  if (row.effect->p_value >= alpha || row.effect->p_adjusted < alpha) return;
  row.flags.push_back(fmt::format(
      "not significant after correction over {} rows (p {:.2g})", rows, row.effect->p_adjusted));
}

void decide_row(Row& row, const Moment& moment) {
  if (row.replication.paired) {
    decide(row, moment.alpha);
  } else {
    decide_unpaired(row, moment.alpha);
  }
  if (moment.rule.when == StopWhen::Blocks) predict_boots(row, moment.alpha);
}

// Two samples of boots have no test that may be watched.
void leave_open(Row& row) {
  row.effect->p_value = row.effect->p_adjusted = row.effect->p_tost = 1;
  row.flags.emplace_back("boots that do not pair off cannot be judged in a plan that was watched");
}

Status decide_family(const std::vector<Row*>& family, Correction correction, const Moment& moment) {
  std::vector<Row*> pairs;
  for (Row* row : tested(family)) {
    if (row->replication.paired) {
      pairs.push_back(row);
    } else if (moment.rule.when != StopWhen::Blocks) {
      leave_open(*row);
    }
  }
  SCHEDLAB_RETURN_IF_ERROR(rest_on_rule(pairs, moment));
  adjust(tested(family), correction, moment.alpha);
  for (Row* row : family)
    decide_row(*row, moment);
  predict_blocks(pairs, moment);
  return {};
}

}  // namespace

Result<Correction> parse_correction(std::string_view text) {
  if (text == "bh") return Correction::BenjaminiHochberg;
  if (text == "by") return Correction::BenjaminiYekutieli;
  if (text == "two-stage") return Correction::TwoStage;
  if (text == "holm") return Correction::Holm;
  if (text == "none") return Correction::None;
  return usage_error(fmt::format("unknown correction '{}' (known: bh, by, two-stage, holm, none)",
                                 printable(text)));
}

Result<Correction> correction_for(const StoppingRule& rule, Correction asked) {
  if (rule.when == StopWhen::Blocks) return asked;
  if (asked != Correction::BenjaminiHochberg && asked != Correction::Holm) {
    return usage_error(
        "the plan was watched while it ran, and only holm holds then; leave --correction out");
  }
  return correction_of(rule);
}

Status decide_rows(std::vector<Row>& rows, Correction correction, const Moment& moment) {
  std::vector<Row*> primary;
  std::vector<Row*> others;
  for (Row& row : rows)
    (row.metric.primary ? primary : others).push_back(&row);
  SCHEDLAB_RETURN_IF_ERROR(decide_family(primary, correction, moment));
  SCHEDLAB_RETURN_IF_ERROR(decide_family(others, correction, moment));
  const std::size_t family = tested(primary).size();
  for (Row* row : primary)
    flag_correction(*row, family, moment.alpha);
  return {};
}

}  // namespace schedlab::compare
