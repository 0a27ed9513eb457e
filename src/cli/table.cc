#include "cli/table.h"

#include <fmt/format.h>

#include "compare/compare.h"
#include "compare/decisions.h"
#include "core/text.h"
#include "report/report.h"

namespace schedlab::cli {

void add_table_flags(CLI::App& app, TableOptions& options) {
  app.add_option("--style",
                 options.style,
                 "Table layout: native, amd, amd-cv, mmtests, mmtests-old, lkp, json, csv")
      ->capture_default_str();
  app.add_option("--delta",
                 options.delta,
                 "Margin of `same`, like 1% (default: 1% time and throughput, 3% median, 5% tail)");
  app.add_flag("--all-metrics", options.all_metrics, "Also rows of metrics that are not primary");
  app.add_option("--correction",
                 options.correction,
                 "For many rows: bh, by (any dependence), two-stage (by workload), holm, none")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--why",
         [&options](const std::string& filter) { options.why = filter; },
         "Explain each row's verdict, or of those whose case or metric contains TEXT")
      ->expected(0, 1)
      ->type_name("TEXT");
}

std::optional<double> parse_fraction(std::string_view text) {
  const bool is_percent = !text.empty() && text.back() == '%';
  const auto number = parse_number(is_percent ? text.substr(0, text.size() - 1) : text);
  const double fraction = number ? *number / (is_percent ? 100 : 1) : 0;
  if (!(fraction > 0 && fraction <= 0.5)) return std::nullopt;
  return fraction;
}

Result<double> parse_delta(std::string_view text) {
  if (const auto delta = parse_fraction(text)) return *delta;
  return usage_error(fmt::format(
      "--delta '{}' is not a margin above 0 and up to 50%; write it like 1%", printable(text)));
}

Status check_table_options(const TableOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(report::parse_style(options.style));
  if (!options.delta.empty()) SCHEDLAB_RETURN_IF_ERROR(parse_delta(options.delta));
  SCHEDLAB_RETURN_IF_ERROR(compare::parse_correction(options.correction));
  if (options.why && options.style == "csv") {
    return usage_error("--why has no place in csv; use --style json or native");
  }
  return {};
}

Result<std::string> render_table(const store::Store& store,
                                 const Experiment& experiment,
                                 const TableOptions& options) {
  SCHEDLAB_RETURN_IF_ERROR(check_table_options(options));
  SCHEDLAB_ASSIGN_OR_RETURN(const report::Style style, report::parse_style(options.style));
  compare::Options how;
  SCHEDLAB_ASSIGN_OR_RETURN(how.correction, compare::parse_correction(options.correction));
  how.base_arm = options.base_arm;
  how.new_arm = options.new_arm;
  how.all_metrics = options.all_metrics;
  if (!options.delta.empty()) {
    SCHEDLAB_ASSIGN_OR_RETURN(how.delta, parse_delta(options.delta));
  }
  SCHEDLAB_ASSIGN_OR_RETURN(
      const std::vector<RunRecord> runs,
      store.runs(experiment.id,
                 options.all_metrics ? store::Detail::Figures : store::Detail::Verdict));
  const auto environment = [&](const std::string& hash) { return store.environment(hash); };
  const auto samples = [&](const RunRecord& run) -> Result<RunOutput> {
    SCHEDLAB_ASSIGN_OR_RETURN(RunRecord whole, store.run(run.id));
    return std::move(whole.output);
  };
  SCHEDLAB_ASSIGN_OR_RETURN(const compare::Comparison comparison,
                            compare::compare(experiment, runs, environment, how, samples));
  std::optional<report::Why> why;
  if (options.why) why = report::Why{*options.why};
  return report::render(comparison, style, why);
}

}  // namespace schedlab::cli
