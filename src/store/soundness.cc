#include "store/soundness.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "store/reader.h"
#include "store/schema.h"

namespace schedlab::store {

namespace {

using SQLite::Database;
using SQLite::Statement;

/// Each selects sentences about what breaks one invariant.
constexpr std::array<const char*, 9> kInvariants = {
    "SELECT 'run ' || id || ' is ok but has no metric' FROM run r WHERE outcome = 'ok' "
    "AND NOT EXISTS (SELECT 1 FROM metric WHERE run_id = r.id)",

    "SELECT 'run ' || m.run_id || ' is ok but its metric ''' || d.name || ''' is not a number' "
    "FROM metric m JOIN run r ON r.id = m.run_id JOIN metric_definition d "
    "ON d.id = m.definition_id WHERE r.outcome = 'ok' AND m.value IS NULL",

    "SELECT 'run ' || id || ' names environment ''' || environment_before || ''', which is not "
    "there' FROM run WHERE environment_before <> '' "
    "AND environment_before NOT IN (SELECT hash FROM environment)",

    "SELECT 'run ' || id || ' names environment ''' || environment_after || ''', which is not "
    "there' FROM run WHERE environment_after <> '' "
    "AND environment_after NOT IN (SELECT hash FROM environment)",

    "SELECT 'runs ' || group_concat(id, ', ') || ' of experiment ' || experiment_id || "
    "' are all ok and all in block ' || block || ' position ' || position || ' of case ''' || "
    "case_name || '''' FROM run WHERE outcome = 'ok' "
    "GROUP BY experiment_id, case_name, boot_id, block, position HAVING count(*) > 1",

    "SELECT 'run ' || id || ' has block ' || block || ' position ' || position || ', below 0' "
    "FROM run WHERE block < 0 OR position < 0",

    "SELECT 'run ' || id || ' ends before it starts' FROM run "
    "WHERE end_monotonic_ns < start_monotonic_ns",

    "SELECT 'run ' || r.id || ' is ' || r.kind || ' in an experiment that is ' || e.kind "
    "FROM run r JOIN experiment e ON e.id = r.experiment_id WHERE r.kind <> e.kind",

    "SELECT 'experiment ' || id || ' has no arm' FROM experiment e "
    "WHERE NOT EXISTS (SELECT 1 FROM arm WHERE experiment_id = e.id)",
};

/// Tables of parts, whose positions go 0, 1, 2, ... within their owner: a gap is a lost row.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kParts = {{
    {"run", "metric"},
    {"run", "counter"},
    {"run", "run_argument"},
    {"run", "run_note"},
    {"run", "histogram"},
    {"run", "series"},
    {"experiment", "experiment_argument"},
    {"experiment", "experiment_case"},
    {"experiment", "arm"},
}};

/// The findings so far, and what a part of the check does when the database will not be read.
class Findings {
 public:
  void add(Finding finding) {
    if (list_.size() < kMaxFindings) {
      list_.push_back(std::move(finding));
    } else if (list_.size() == kMaxFindings) {
      list_.push_back(
          fmt::format("there are more than {} findings; the rest is not listed", kMaxFindings));
    }
  }

  /// Runs `part`; an exception becomes a finding.
  template <typename Part>
  void attempt(std::string_view what, const Part& part) {
    try {
      part();
    } catch (const SQLite::Exception& exception) {
      add(fmt::format("cannot check {}: {}", what, printable(exception.what())));
    }
  }

  std::vector<Finding> take() { return std::move(list_); }

 private:
  std::vector<Finding> list_;
};

void inspect_pages(Database& database, Findings& findings) {
  Statement query(database, "PRAGMA integrity_check(100)");
  while (query.executeStep()) {
    const std::string said = query.getColumn(0).getString();
    if (said != "ok") findings.add("SQLite: " + printable(said));
  }
}

void inspect_references(Database& database, Findings& findings) {
  Statement query(database, "PRAGMA foreign_key_check");
  while (query.executeStep()) {
    const std::string table = query.getColumn(0).getString();
    const std::string parent = query.getColumn(2).getString();
    const std::string row =
        query.getColumn(1).isNull() ? "a row" : "row " + query.getColumn(1).getString();
    findings.add(fmt::format(
        "{} of {} names a {} that is not there", row, printable(table), printable(parent)));
  }
}

std::map<std::string, std::string> schema_of(Database& database) {
  Statement query(database,
                  "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND "
                  "name NOT LIKE 'sqlite_stat%'");
  std::map<std::string, std::string> schema;
  while (query.executeStep())
    schema[query.getColumn(0).getString()] = query.getColumn(1).getString();
  return schema;
}

void inspect_schema(Database& database, Findings& findings) {
  Database fresh(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  for (const char* step : migrations())
    fresh.exec(step);
  const auto expected = schema_of(fresh);
  const auto found = schema_of(database);
  for (const auto& [name, sql] : expected) {
    const auto match = found.find(name);
    if (match == found.end()) {
      findings.add(fmt::format("{} is missing", name));
    } else if (match->second != sql) {
      findings.add(
          fmt::format("{} is not defined as schema version {} has it", name, schema_version()));
    }
  }
  for (const auto& [name, sql] : found) {
    if (!expected.contains(name)) findings.add(fmt::format("{} is not ours", printable(name)));
  }
}

void inspect_invariant(Database& database, const std::string& sql, Findings& findings) {
  Statement query(database, sql);
  while (query.executeStep())
    findings.add(query.getColumn(0).getString());
}

std::string gap_query(std::string_view owner, std::string_view table) {
  return fmt::format(
      "SELECT '{0} ' || {0}_id || ' lacks rows of {1}' FROM {1} GROUP BY {0}_id "
      "HAVING min(position) <> 0 OR max(position) <> count(*) - 1",
      owner,
      table);
}

/// Reads all that there is, as any reader would.
void inspect_contents(Database& database, Findings& findings) {
  const auto note = [&](const Status& status) {
    if (!status) findings.add(status.error().message);
  };
  if (const auto experiments = read_experiments(database, std::nullopt); !experiments) {
    findings.add(experiments.error().message);
  }
  const auto keep_going = [&](const Error& error) -> Status {
    findings.add(error.message);
    return {};
  };
  note(for_each_environment(
      database, std::nullopt, [&](const std::string& hash, const Result<std::string>& text) {
        return text ? Status() : keep_going(text.error().within("environment '" + hash + "'"));
      }));
  note(for_each_run(
      database, {}, Detail::Everything, [](RunRecord&&) { return Status(); }, keep_going));
}

}  // namespace

std::vector<Finding> find_faults(Database& database) {
  const Snapshot snapshot(database);
  Findings findings;
  findings.attempt("pages", [&] { inspect_pages(database, findings); });
  findings.attempt("references", [&] { inspect_references(database, findings); });
  findings.attempt("the schema", [&] { inspect_schema(database, findings); });
  for (const char* sql : kInvariants)
    findings.attempt("invariants", [&] { inspect_invariant(database, sql, findings); });
  for (const auto& [owner, table] : kParts) {
    const std::string sql = gap_query(owner, table);
    findings.attempt(sql, [&] { inspect_invariant(database, sql, findings); });
  }
  findings.attempt("contents", [&] { inspect_contents(database, findings); });
  return findings.take();
}

}  // namespace schedlab::store
