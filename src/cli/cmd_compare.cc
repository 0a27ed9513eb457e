// schedlab compare: the table of an experiment that is already stored, or the history of a metric.

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/table.h"
#include "compare/history.h"
#include "core/text.h"
#include "report/history.h"
#include "report/report.h"
#include "store/store.h"

namespace schedlab::cli {

namespace {

constexpr std::string_view kAllExperiments = "all";

struct Flags {
  std::vector<std::string> arms;
  std::string database = kDefaultDatabase;
  std::int64_t experiment = 0;
  TableOptions table;
  compare::HistoryOptions history;
  std::string experiments;
};

Result<Experiment> one_experiment(const store::Store& store, std::int64_t id) {
  return id == 0 ? store.latest_experiment() : store.experiment(ExperimentId{id});
}

Status print_table(const Flags& flags, const store::Store& store, const Io& io) {
  if (flags.arms.size() == 1)
    return usage_error("name two arms, BASE and NEW, or none for base and new");
  SCHEDLAB_ASSIGN_OR_RETURN(const Experiment experiment, one_experiment(store, flags.experiment));
  TableOptions options = flags.table;
  if (flags.arms.size() == 2) {
    options.base_arm = flags.arms[0];
    options.new_arm = flags.arms[1];
  }
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string text, render_table(store, experiment, options));
  return print(io.out, text);
}

/// "7" or "3-9".
Result<std::pair<std::int64_t, std::int64_t>> parse_range(std::string_view text) {
  constexpr std::int64_t kMost = INT64_MAX;
  const std::size_t dash = text.find('-');
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t first,
                            parse_integer(trim(text.substr(0, dash)), 1, kMost));
  if (dash == std::string_view::npos) return std::pair(first, first);
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t last,
                            parse_integer(trim(text.substr(dash + 1)), first, kMost));
  return std::pair(first, last);
}

/// Those of `all` that the text names, each once. A single number that is not there is an error, a
/// range takes what it finds.
Result<std::vector<Experiment>> select_experiments(const std::vector<Experiment>& all,
                                                   const std::string& text) {
  if (text == kAllExperiments) return all;
  std::vector<bool> chosen(all.size());
  for (const std::string_view piece : split(text, ',')) {
    const auto range = parse_range(piece);
    if (!range) {
      return usage_error(fmt::format("--experiments {}: {}; write it like 3,5-9 or all",
                                     printable(text),
                                     range.error().message));
    }
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool within = range->first <= all[i].id.value && all[i].id.value <= range->second;
      chosen[i] = chosen[i] || within;
      found = found || within;
    }
    if (!found) {
      return failed(
          fmt::format("there is no experiment {}; 'schedlab db list' shows those that are "
                      "there",
                      printable(piece)));
    }
  }
  std::vector<Experiment> experiments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (chosen[i]) experiments.push_back(all[i]);
  }
  return experiments;
}

Result<std::vector<Experiment>> experiments_of_history(const Flags& flags,
                                                       const store::Store& store) {
  if (!flags.experiments.empty()) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<Experiment> all, store.experiments());
    return select_experiments(all, flags.experiments);
  }
  SCHEDLAB_ASSIGN_OR_RETURN(Experiment experiment, one_experiment(store, flags.experiment));
  return std::vector<Experiment>{std::move(experiment)};
}

Status print_history(const Flags& flags, const store::Store& store, const Io& io) {
  SCHEDLAB_ASSIGN_OR_RETURN(const report::Style style, report::parse_style(flags.table.style));
  SCHEDLAB_RETURN_IF_ERROR(report::check_history_style(style));
  SCHEDLAB_ASSIGN_OR_RETURN(std::vector<Experiment> experiments,
                            experiments_of_history(flags, store));
  std::vector<compare::HistorySource> sources;
  for (Experiment& experiment : experiments) {
    SCHEDLAB_ASSIGN_OR_RETURN(std::vector<RunRecord> runs,
                              store.runs(experiment.id, store::Detail::Figures));
    sources.push_back({std::move(experiment), std::move(runs)});
  }
  SCHEDLAB_ASSIGN_OR_RETURN(const compare::History history,
                            compare::find_history(sources, flags.history));
  return print(io.out, report::render_history(history, style));
}

Status check_flags(const Flags& flags) {
  if (flags.history.metric.empty()) {
    if (!flags.history.arms.empty()) return usage_error("--arms is for --history METRIC");
    if (!flags.experiments.empty()) {
      return usage_error("--experiments is for --history METRIC; a table is of one --experiment");
    }
    return {};
  }
  if (!flags.arms.empty()) {
    return usage_error("with --history the arms are named in order by --arms a,b,c");
  }
  if (flags.experiment != 0 && !flags.experiments.empty()) {
    return usage_error("give --experiment or --experiments, not both");
  }
  return {};
}

Status compare_and_print(const Flags& flags, const Io& io) {
  SCHEDLAB_RETURN_IF_ERROR(check_flags(flags));
  SCHEDLAB_ASSIGN_OR_RETURN(const store::Store store, store::Store::open_read_only(flags.database));
  return flags.history.metric.empty() ? print_table(flags, store, io)
                                      : print_history(flags, store, io);
}

void add_history_flags(CLI::App& app, Flags& flags) {
  app.add_option(
      "--history",
      flags.history.metric,
      "Where this metric's level moved over many arms in order; styles native, json, csv");
  app.add_option(
         "--arms", flags.history.arms, "Arms of the history, in order (default: the plan's)")
      ->delimiter(',');
  app.add_option("--experiments",
                 flags.experiments,
                 "Experiments of the history, put in order of time, like 3,5-9 or all");
  app.add_option("--history-seed", flags.history.seed, "Seed of the history's permutations")
      ->capture_default_str();
}

}  // namespace

int compare_main(Arguments arguments, const Io& io) {
  Flags flags;
  CLI::App app{"Compares two arms of a stored experiment and prints the table", "schedlab compare"};
  app.add_option("base_and_new", flags.arms, "BASE and NEW arm (default: base new)")
      ->expected(0, 2);
  app.add_option("--db", flags.database, "Database file")->capture_default_str();
  app.add_option("--experiment", flags.experiment, "Experiment number (default: the newest)")
      ->check(CLI::PositiveNumber);
  add_table_flags(app, flags.table);
  add_history_flags(app, flags);
  const Parsed parsed = parse(app, arguments, "schedlab compare --style amd-cv", io.out, io.err);
  if (!parsed.go_on) return parsed.exit_status;
  const Status done = compare_and_print(flags, io);
  return done ? kExitDone : complain(io.err, done.error());
}

}  // namespace schedlab::cli
