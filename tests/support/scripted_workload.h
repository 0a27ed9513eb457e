// ScriptedWorkload: a workload without work, for tests of what surrounds workloads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workload/workload.h"

namespace schedlab::testing {

class ScriptedWorkload final : public workload::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "scripted"; }

  [[nodiscard]] std::string_view version() const override { return "1"; }

  /// Refuses the argument "bad"; every run takes a second.
  [[nodiscard]] Result<workload::Forecast> check(workload::Arguments arguments) const override {
    for (const std::string& argument : arguments) {
      if (argument == "bad") return usage_error("scripted: 'bad' is refused");
    }
    return workload::Forecast{std::chrono::seconds(1)};
  }

  [[nodiscard]] Result<RunOutput> run(workload::Arguments /*arguments*/) const override {
    return output(1.0);
  }

  /// Drops "--ours".
  [[nodiscard]] Result<std::vector<std::string>> external_arguments(
      workload::Arguments arguments) const override {
    std::vector<std::string> out;
    for (const std::string& argument : arguments) {
      if (argument != "--ours") out.push_back(argument);
    }
    return out;
  }

  /// Refuses the argument "unlike".
  [[nodiscard]] Status check_beside_external(workload::Arguments arguments) const override {
    for (const std::string& argument : arguments) {
      if (argument == "unlike") return usage_error("scripted: 'unlike' measures something else");
    }
    return {};
  }

  [[nodiscard]] Result<RunOutput> read_external(
      workload::Arguments /*arguments*/,
      std::string_view /*standard_output*/,
      std::string_view /*standard_error*/) const override {
    return output(2.0);
  }

  [[nodiscard]] int tool_main(std::span<const std::string> /*argv*/,
                              workload::ToolStyle /*style*/) const override {
    return 0;
  }

  [[nodiscard]] static RunOutput output(double seconds) {
    RunOutput out;
    out.workload = "scripted";
    out.workload_version = "1";
    out.mode = "native";
    out.metrics.push_back({.name = "time",
                           .value = seconds,
                           .unit = Unit::Seconds,
                           .direction = Direction::LowerIsBetter,
                           .metric_class = MetricClass::Time,
                           .resolution = 1e-9,
                           .primary = true});
    return out;
  }
};

}  // namespace schedlab::testing
