// One line per row for spreadsheets, R and pandas (RFC 4180: CRLF, quotes where they must be). The
// heads name the unit; "_unit" stands for the one in the column `unit`. An unknown figure is empty.

#include "report/csv_text.h"
#include "report/layout.h"
#include "report/styles.h"

namespace schedlab::report {

namespace {

using Fields = CsvFields;

const char* const kHeads =
    "kind,workload,case,metric,unit,direction,class,primary,base_arm,new_arm,"
    "base_mode,base_version,new_mode,new_version,blocks_count,"
    "base_runs_count,base_mean_unit,base_median_unit,base_sd_unit,base_cv_percent,base_min_unit,"
    "base_max_unit,new_runs_count,new_mean_unit,new_median_unit,new_sd_unit,new_cv_percent,"
    "new_min_unit,new_max_unit,change_percent,change_low95_percent,change_high95_percent,"
    "change_low90_percent,change_high90_percent,hodges_lehmann_percent,hl_low95_percent,"
    "hl_high95_percent,p_value,p_adjusted,p_tost,delta_percent,verdict,more_blocks_count,"
    "real_but_small,resolution_limited,two_modes,flags,replicate,paired,base_boots_count,"
    "new_boots_count,base_builds_count,new_builds_count,conditional";

void add_summary(Fields& fields, const compare::ArmSummary& arm) {
  fields.push_back(std::to_string(arm.values.size()));
  for (const double value : {arm.mean, arm.median, arm.sd, arm.cv * 100, arm.min, arm.max}) {
    fields.push_back(arm.values.empty() ? "" : csv_number(value));
  }
}

void add_effect(Fields& fields, const std::optional<compare::Effect>& effect) {
  constexpr std::size_t kCount = 11;
  if (!effect) {
    fields.insert(fields.end(), kCount, "");
    return;
  }
  for (const double ratio : {effect->ratio,
                             effect->interval95.low,
                             effect->interval95.high,
                             effect->interval90.low,
                             effect->interval90.high,
                             effect->hodges_lehmann}) {
    fields.push_back(csv_change(ratio));
  }
  fields.push_back(effect->hl_interval95 ? csv_change(effect->hl_interval95->low) : "");
  fields.push_back(effect->hl_interval95 ? csv_change(effect->hl_interval95->high) : "");
  for (const double p : {effect->p_value, effect->p_adjusted, effect->p_tost})
    fields.push_back(csv_number(p));
}

std::string flags_text(const compare::Row& row) {
  std::string out;
  for (const std::string& flag : row.flags)
    out += (out.empty() ? "" : "; ") + safe(flag);
  return out;
}

void add_replication(Fields& fields, const compare::Row& row) {
  const compare::Replication& replication = row.replication;
  fields.emplace_back(replicate_noun(row));
  fields.emplace_back(replication.paired ? "yes" : "no");
  for (const std::size_t count : {replication.base_boots,
                                  replication.contender_boots,
                                  replication.base_builds,
                                  replication.contender_builds})
    fields.push_back(std::to_string(count));
  fields.push_back(safe(replication.conditional));
}

std::string row_line(const compare::Row& row,
                     std::string_view kind,
                     const compare::Comparison& comparison,
                     const std::string& contender) {
  Fields fields = {std::string(kind),
                   safe(row.workload),
                   safe(row.case_name),
                   safe(row.metric.name),
                   std::string(to_string(row.metric.unit)),
                   std::string(to_string(row.metric.direction)),
                   std::string(to_string(row.metric.metric_class)),
                   row.metric.primary ? "yes" : "no",
                   safe(comparison.base.name),
                   contender,
                   safe(row.base.mode),
                   safe(row.base.workload_version),
                   safe(row.contender.mode),
                   safe(row.contender.workload_version),
                   std::to_string(replicates_of(row))};
  add_summary(fields, row.base);
  add_summary(fields, row.contender);
  add_effect(fields, row.effect);
  fields.push_back(csv_number(row.delta * 100));
  fields.emplace_back(verdict_word(row));
  fields.push_back(row.more_blocks ? std::to_string(*row.more_blocks) : "");
  fields.emplace_back(row.real_but_small ? "yes" : "no");
  fields.emplace_back(row.resolution_limited ? "yes" : "no");
  fields.emplace_back(row.two_modes ? "yes" : "no");
  fields.push_back(flags_text(row));
  add_replication(fields, row);
  return csv_line(fields);
}

}  // namespace

std::string render_csv(const compare::Comparison& comparison) {
  std::string out = std::string(kHeads) + "\r\n";
  for (const compare::Row& row : comparison.rows) {
    out += row_line(row, "comparison", comparison, safe(comparison.contender.name));
  }
  for (const compare::Row& row : comparison.control_rows)
    out += row_line(row, "control", comparison, "control");
  return out;
}

}  // namespace schedlab::report
