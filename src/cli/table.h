// From a stored experiment to the printed table: what `ab` and `compare` share.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "core/experiment.h"
#include "core/result.h"
#include "store/store.h"

namespace schedlab::cli {

struct TableOptions {
  std::string base_arm = "base";
  std::string new_arm = "new";
  std::string style = "native";
  std::string delta;  // "1%", "0.5%"; empty = each metric's own
  bool all_metrics = false;
  std::string correction = "bh";
  std::optional<std::string> why;  // filter; empty = every row
};

/// --style, --delta, --all-metrics, --correction, --why.
void add_table_flags(CLI::App& app, TableOptions& options);

/// "1%" or "0.01" -> 0.01; none for what is not a number or outside (0, 50 %].
std::optional<double> parse_fraction(std::string_view text);

/// The same of --delta. Errors: not a number, outside (0, 50 %].
Result<double> parse_delta(std::string_view text);

/// Whether the options can be read and go together; call before a night's runs.
Status check_table_options(const TableOptions& options);

/// Errors: what compare() and the store say.
Result<std::string> render_table(const store::Store& store,
                                 const Experiment& experiment,
                                 const TableOptions& options);

}  // namespace schedlab::cli
