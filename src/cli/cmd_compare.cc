// schedlab compare: the table of an experiment that is already stored.

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/table.h"
#include "core/text.h"
#include "store/store.h"

namespace schedlab::cli {

namespace {

struct Flags {
  std::vector<std::string> arms;
  std::string database = kDefaultDatabase;
  std::int64_t experiment = 0;
  TableOptions table;
};

Status compare_and_print(const Flags& flags, const Io& io) {
  if (flags.arms.size() == 1)
    return usage_error("name two arms, BASE and NEW, or none for base and new");
  SCHEDLAB_ASSIGN_OR_RETURN(const store::Store store, store::Store::open_read_only(flags.database));
  auto experiment = flags.experiment == 0 ? store.latest_experiment()
                                          : store.experiment(ExperimentId{flags.experiment});
  if (!experiment) return std::move(experiment).error();
  TableOptions options = flags.table;
  if (flags.arms.size() == 2) {
    options.base_arm = flags.arms[0];
    options.new_arm = flags.arms[1];
  }
  SCHEDLAB_ASSIGN_OR_RETURN(const std::string text, render_table(store, *experiment, options));
  return print(io.out, text);
}

}  // namespace

int compare_main(Arguments arguments, const Io& io) {
  Flags flags;
  CLI::App app{"Compares two arms of a stored experiment and prints the table", "schedlab compare"};
  app.add_option("arms", flags.arms, "BASE and NEW arm (default: base new)")->expected(0, 2);
  app.add_option("--db", flags.database, "Database file")->capture_default_str();
  app.add_option("--experiment", flags.experiment, "Experiment number (default: the newest)")
      ->check(CLI::PositiveNumber);
  add_table_flags(app, flags.table);
  const Parsed parsed = parse(app, arguments, "schedlab compare --style amd-cv", io.out, io.err);
  if (!parsed.go_on) return parsed.exit_status;
  const Status done = compare_and_print(flags, io);
  return done ? kExitDone : complain(io.err, done.error());
}

}  // namespace schedlab::cli
