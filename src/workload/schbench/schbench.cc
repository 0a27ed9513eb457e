#include "workload/schbench/schbench.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/text.h"
#include "workload/schbench/engine.h"
#include "workload/schbench/external.h"
#include "workload/schbench/metrics.h"
#include "workload/schbench/tool.h"

namespace schedlab::workload {

namespace {

using namespace schbench;  // NOLINT(google-build-using-namespace): this file is its only door

Result<Options> parse_ending(Arguments arguments) {
  SCHEDLAB_ASSIGN_OR_RETURN(Options options, parse_native(arguments));
  if (options.help) return usage_error("--help is for 'schedlab schbench --help', not for a run");
  if (options.runtime == Nanos{0}) {
    return usage_error("-r 0 never ends; give a run in a comparison a time");
  }
  return options;
}

class Schbench final : public Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return kName; }

  [[nodiscard]] std::string_view version() const override { return kVersion; }

  [[nodiscard]] Result<Forecast> check(Arguments arguments) const override {
    SCHEDLAB_ASSIGN_OR_RETURN(const Options options, parse_ending(arguments));
    SCHEDLAB_ASSIGN_OR_RETURN(const Plan plan, make_plan_here(options));
    const bool warmup_extends = options.semantics != Semantics::Classic;
    return Forecast{options.runtime + (warmup_extends ? options.warmup : Nanos{0})};
  }

  [[nodiscard]] Result<RunOutput> run(Arguments arguments) const override {
    SCHEDLAB_ASSIGN_OR_RETURN(const Options options, parse_ending(arguments));
    SCHEDLAB_ASSIGN_OR_RETURN(const Plan plan, make_plan_here(options));
    Observer silent;
    SCHEDLAB_ASSIGN_OR_RETURN(const Measurement measured, measure(plan, silent));
    if (measured.stopped_by_signal()) {
      return Error{"interrupted before its time was over", Error::Kind::Interrupted};
    }
    return output_of(plan, measured);
  }

  [[nodiscard]] Result<std::vector<std::string>> external_arguments(
      Arguments arguments) const override {
    return arguments_for_original(arguments);
  }

  [[nodiscard]] Status check_beside_external(Arguments arguments) const override {
    SCHEDLAB_ASSIGN_OR_RETURN(const Options options, parse_ending(arguments));
    if (options.semantics != Semantics::Native) return {};
    return usage_error(
        "native schbench measures in another way than the original (time stamps, zeros, "
        "footprint); add --classic to the case, or args:--classic to this arm");
  }

  [[nodiscard]] Result<RunOutput> read_external(Arguments arguments,
                                                std::string_view standard_output,
                                                std::string_view standard_error) const override {
    SCHEDLAB_ASSIGN_OR_RETURN(const Options options, parse_native(arguments));
    // The original prints on stderr; a wrapper may have merged the two.
    const bool merged = standard_error.find("percentiles (usec)") == std::string_view::npos;
    SCHEDLAB_ASSIGN_OR_RETURN(
        const ClassicReport report,
        parse_classic_text(options, merged ? standard_output : standard_error));
    RunOutput output;
    output.workload = kName;
    output.workload_version = "external";  // theirs is not in their text, and is not ours
    output.mode = "external:schbench";
    output.metrics = classic_metrics(options, report);
    return output;
  }

  [[nodiscard]] int tool_main(std::span<const std::string> argv, ToolStyle style) const override {
    return style == ToolStyle::DropIn ? drop_in_main(argv) : native_main(argv);
  }
};

}  // namespace

const Workload& schbench_workload() {
  static const Schbench kInstance;
  return kInstance;
}

}  // namespace schedlab::workload
