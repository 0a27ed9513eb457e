#include "cli/cmd_ab_stopping.h"

#include <fmt/format.h>

#include "cli/table.h"
#include "compare/compare.h"
#include "compare/stopping.h"
#include "compare/stopping_looks.h"
#include "core/text.h"

namespace schedlab::cli {

namespace {

constexpr std::int32_t kDefaultBlocks = 12;
constexpr std::int32_t kDefaultMaxBlocks = 200;
/// No anytime interval of 95 % exists below it.
constexpr std::int32_t kFewestMaxBlocks = 6;
constexpr std::int32_t kMostBlocks = 100'000;

Status check_which(const StoppingFlags& flags) {
  const bool until = flags.until.has_value();
  if (until && flags.blocks) {
    return usage_error(
        "--until and --blocks exclude each other: --blocks N runs N; with --until the most is "
        "--max-blocks N");
  }
  if (until && flags.looks) {
    return usage_error(
        "--until and --looks exclude each other: --until looks after every block; give --blocks N "
        "with --looks K");
  }
  if (flags.max_blocks && !until) {
    return usage_error(
        "--max-blocks is the most blocks of --until; without it give --blocks N, which runs N");
  }
  if (flags.spending && !flags.looks) {
    return usage_error("--spending says how planned looks share the error: it needs --looks K");
  }
  if (flags.no_futility && !until && !flags.looks) {
    return usage_error("--no-futility needs --until or --looks: --blocks N never gives up early");
  }
  return {};
}

Status read_until(const std::string& text, StoppingRule& rule) {
  if (text == "clear") {
    rule.when = StopWhen::Clear;
    return {};
  }
  const auto half_width = parse_fraction(text);
  if (!half_width) {
    return usage_error(
        fmt::format("--until '{}' is neither clear nor half the width of an interval, above 0 and "
                    "up to 50%; write it like 1%",
                    printable(text)));
  }
  rule.when = StopWhen::Precision;
  rule.half_width = *half_width;
  return {};
}

Result<std::int32_t> cap_of(const StoppingFlags& flags) {
  const std::int32_t cap = flags.max_blocks.value_or(kDefaultMaxBlocks);
  if (cap < kFewestMaxBlocks || cap > kMostBlocks) {
    return usage_error(
        fmt::format("--max-blocks {} is out of range: {} to {}; below {} there is no "
                    "interval that may be watched",
                    cap,
                    kFewestMaxBlocks,
                    kMostBlocks,
                    kFewestMaxBlocks));
  }
  return cap;
}

Result<Nanos> read_max_time(const std::string& text) {
  auto time = parse_duration(text);
  if (!time) return time.error().within("--max-time");
  if (time->count() == 0) return usage_error("--max-time 0 would end the plan before it starts");
  return *time;
}

/// What a comparison of figures needs of a run.
RunRecord figures_of(const RunRecord& run) {
  RunRecord out;
  out.id = run.id;
  out.experiment = run.experiment;
  out.block = run.block;
  out.position = run.position;
  out.arm = run.arm;
  out.case_name = run.case_name;
  out.boot_id = run.boot_id;
  out.kind = run.kind;
  out.outcome = run.outcome;
  out.start_monotonic = run.start_monotonic;
  out.end_monotonic = run.end_monotonic;
  out.output.workload = run.output.workload;
  out.output.workload_version = run.output.workload_version;
  out.output.mode = run.output.mode;
  out.output.metrics = run.output.metrics;
  return out;
}

Result<std::string> no_environment(const std::string& /*hash*/) {
  return std::string();
}

}  // namespace

void add_stopping_flags(CLI::App& app, StoppingFlags& flags) {
  // CLI11 takes an empty text for an option that was not given.
  const CLI::Validator given(
      [](const std::string& text) {
        return text.empty() ? std::string("a value is missing") : std::string();
      },
      "");
  app.add_option("--blocks",
                 flags.blocks,
                 fmt::format("Blocks; in each every arm runs twice, there and back (default: {})",
                             kDefaultBlocks));
  app.add_option("--until",
                 flags.until,
                 "Run until `clear`: every row better, worse or same; or until every interval is "
                 "+-1% (any percentage)")
      ->check(given);
  app.add_option("--max-blocks",
                 flags.max_blocks,
                 fmt::format("Most blocks of --until (default: {})", kDefaultMaxBlocks));
  app.add_option("--looks", flags.looks, "Look at --blocks N this often, evenly; stop when clear");
  app.add_option("--spending",
                 flags.spending,
                 "How --looks share the error: lan-demets (default), obf, pocock")
      ->check(given);
  app.add_option("--max-time", flags.max_time, "End after the block that passes it, like 2h")
      ->check(given);
  app.add_flag("--no-futility",
               flags.no_futility,
               "With --until or --looks: go on also when no row can be decided any more");
}

Result<PlannedEnd> planned_end(const StoppingFlags& flags, const std::string& delta) {
  SCHEDLAB_RETURN_IF_ERROR(check_which(flags));
  PlannedEnd end;
  end.blocks = flags.blocks.value_or(kDefaultBlocks);
  end.rule.futility = !flags.no_futility;
  if (!delta.empty()) {
    SCHEDLAB_ASSIGN_OR_RETURN(end.rule.delta, parse_delta(delta));
  }
  if (flags.until) {
    SCHEDLAB_RETURN_IF_ERROR(read_until(*flags.until, end.rule));
    SCHEDLAB_ASSIGN_OR_RETURN(end.blocks, cap_of(flags));
  }
  if (flags.looks) {
    end.rule.when = StopWhen::Looks;
    end.rule.looks = *flags.looks;
    if (flags.spending) {
      SCHEDLAB_ASSIGN_OR_RETURN(end.rule.spending, parse_spending(printable(*flags.spending)));
    }
    SCHEDLAB_RETURN_IF_ERROR(compare::look_blocks(end.rule.looks, end.blocks));
  }
  if (flags.max_time) {
    SCHEDLAB_ASSIGN_OR_RETURN(end.rule.max_time, read_max_time(*flags.max_time));
  }
  return end;
}

std::vector<std::string> stopping_arguments(const StoppingFlags& flags, const PlannedEnd& end) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* flag, std::string value) {
    arguments.emplace_back(flag);
    arguments.push_back(std::move(value));
  };
  if (flags.until) {
    add("--until", *flags.until);
    add("--max-blocks", std::to_string(end.blocks));
  } else {
    add("--blocks", std::to_string(end.blocks));
  }
  if (end.rule.when == StopWhen::Looks) {
    add("--looks", std::to_string(end.rule.looks));
    add("--spending", std::string(to_string(end.rule.spending)));
  }
  if (flags.max_time) add("--max-time", *flags.max_time);
  if (flags.no_futility) arguments.emplace_back("--no-futility");
  return arguments;
}

bool BlockWatch::is_needed() const {
  const StoppingRule& rule = experiment_.stopping;
  return rule.when != StopWhen::Blocks || rule.max_time.count() > 0;
}

Result<bool> BlockWatch::goes_on(std::span<const RunRecord> block) {
  keep(block);
  if (is_out_of_time()) return false;
  const std::int32_t done = block.front().block + 1;
  const StoppingRule& rule = experiment_.stopping;
  if (!compare::is_time_to_look(rule, experiment_.blocks_planned, done, last_look_)) return true;
  last_look_ = done;
  SCHEDLAB_ASSIGN_OR_RETURN(
      const compare::Comparison comparison,
      compare::compare(experiment_, runs_, no_environment, {.delta = rule.delta}));
  progress_.block_ended(comparison.ending, rule);
  return comparison.ending.reason == compare::StopReason::NotEnded;
}

void BlockWatch::keep(std::span<const RunRecord> block) {
  for (const RunRecord& run : block)
    runs_.push_back(figures_of(run));
}

// As compare() counts: from the first run's start to the last one's end.
bool BlockWatch::is_out_of_time() const {
  const Nanos limit = experiment_.stopping.max_time;
  if (limit.count() == 0) return false;
  return runs_.back().end_monotonic - runs_.front().start_monotonic >= limit;
}

}  // namespace schedlab::cli
