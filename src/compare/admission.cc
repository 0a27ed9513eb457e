#include "compare/admission.h"

#include <fmt/format.h>

#include <string_view>

namespace schedlab::compare {

namespace {

bool is_external(std::string_view mode) {
  return mode.substr(0, 9) == "external:" || mode == "external";
}

// What a run was made with.
struct Maker {
  std::string workload;
  std::string version;
  std::string mode;

  friend bool operator==(const Maker&, const Maker&) = default;

  [[nodiscard]] std::string text() const {
    return fmt::format("{} version {} ({})",
                       workload.empty() ? "?" : workload,
                       version.empty() ? "?" : version,
                       mode.empty() ? "?" : mode);
  }
};

Maker maker_of(const RunRecord& run) {
  return {run.output.workload, run.output.workload_version, run.output.mode};
}

Error cannot_mix(std::string_view case_name, std::string_view what) {
  return failed(
      fmt::format("cannot compare {}: {}; run both arms again with one version", case_name, what));
}

// Of an arm with at least one usable run.
Result<Maker> single_maker(const PairedCase& paired, const Runs& arm) {
  const Maker maker = maker_of(*arm.front());
  for (const RunRecord* run : arm) {
    const Maker other = maker_of(*run);
    if (other == maker) continue;
    return cannot_mix(
        paired.name,
        fmt::format("arm {} holds runs of {} and of {}", run->arm, maker.text(), other.text()));
  }
  return maker;
}

// Our native schbench stamps at other moments, keeps the wakeups that the original drops as zero
// and touches another footprint, so a difference between the two says nothing about a program or a
// machine. Its classic and era-2016 modes do what the original does. hackbench measures alike.
Status check_measures_alike(std::string_view case_name,
                            const Maker& base,
                            const Maker& contender,
                            std::string_view both) {
  if (base.workload != "schbench") return {};
  const bool ours_is_native = base.mode == "native" || contender.mode == "native";
  if (!ours_is_native) return {};
  return failed(fmt::format(
      "cannot compare {}: {}: native schbench measures in another way than the original "
      "(time stamps, zeros, footprint); add --classic to the case",
      case_name,
      both));
}

}  // namespace

Status check_kinds(std::span<const RunRecord* const> runs) {
  for (const RunRecord* run : runs) {
    if (run->kind == runs.front()->kind) continue;
    return failed(
        fmt::format("cannot compare {} runs (arm {}) with {} runs (arm {}): compare each "
                    "kind with its own",
                    to_string(runs.front()->kind),
                    runs.front()->arm,
                    to_string(run->kind),
                    run->arm));
  }
  return {};
}

Result<std::string> check_case(const PairedCase& paired) {
  const Runs base_runs = usable(paired.base);
  const Runs new_runs = usable(paired.contender);
  SCHEDLAB_ASSIGN_OR_RETURN(const Maker base, single_maker(paired, base_runs));
  SCHEDLAB_ASSIGN_OR_RETURN(const Maker contender, single_maker(paired, new_runs));
  if (base == contender) return std::string();
  const std::string both = fmt::format("arm {} ran {}, arm {} ran {}",
                                       base_runs.front()->arm,
                                       base.text(),
                                       new_runs.front()->arm,
                                       contender.text());
  const bool foreign = is_external(base.mode) || is_external(contender.mode);
  if (base.workload != contender.workload || !foreign) return cannot_mix(paired.name, both);
  SCHEDLAB_RETURN_IF_ERROR(check_measures_alike(paired.name, base, contender, both));
  return both + ": this compares programs, not only settings";
}

}  // namespace schedlab::compare
