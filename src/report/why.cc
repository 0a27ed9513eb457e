#include "report/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text.h"
#include "report/frame.h"
#include "report/layout.h"

namespace schedlab::report {

namespace {

using compare::Comparison;
using compare::Row;
using compare::Verdict;

std::string p_text(double p) {
  if (!std::isfinite(p)) return "p not known";
  return p < 1e-6 ? "p below 1e-06" : fmt::format("p {:.2g}", p);
}

std::string interval_of(const compare::Interval& interval) {
  return interval_text(interval, decimals_for(interval));
}

std::string change_of(double ratio, const std::optional<compare::Interval>& interval) {
  return percent_change(ratio, interval ? decimals_for(*interval) : 1);
}

/// Primary rows of the table that have an effect: the family corrected over.
std::size_t family_size(const Comparison& comparison) {
  return static_cast<std::size_t>(
      std::count_if(comparison.rows.begin(), comparison.rows.end(), [](const Row& row) {
        return row.metric.primary && row.effect;
      }));
}

std::string corrected(const Comparison& comparison, const Row& row) {
  if (!row.metric.primary) return p_text(row.effect->p_adjusted) + " among the other metrics";
  if (comparison.correction == compare::Correction::None) {
    return p_text(row.effect->p_adjusted) + " (not corrected for many rows)";
  }
  return fmt::format("{} after {} over {}",
                     p_text(row.effect->p_adjusted),
                     correction_name(comparison.correction),
                     counted(static_cast<std::int64_t>(family_size(comparison)), "row"));
}

std::string why_inconclusive(const Comparison& comparison, const Row& row) {
  const compare::Effect& effect = *row.effect;
  constexpr std::size_t kFewestBlocks = 3;
  if (row.replication.paired && row.log_ratios.size() < kFewestBlocks) {
    return fmt::format("{} are too few for any verdict", replicates_text(row));
  }
  if (effect.p_tost < comparison.alpha || effect.p_adjusted < comparison.alpha) {
    return "the means alone would give a verdict, but an arm has two modes and the ranks do not "
           "confirm it";
  }
  const std::string undecided =
      fmt::format("and that the change is smaller than {} is not shown either (TOST {})",
                  plain_percent(row.delta),
                  p_text(effect.p_tost));
  if (effect.p_value < comparison.alpha) {
    return fmt::format("{} alone would show a difference, but not {}; {}",
                       p_text(effect.p_value),
                       corrected(comparison, row),
                       undecided);
  }
  return fmt::format("no difference is shown ({}), {}", p_text(effect.p_value), undecided);
}

std::string verdict_sentence(const Comparison& comparison, const Row& row) {
  std::string verdict = verdict_text(row);
  if (!row.effect) return verdict + ": there is no effect to judge, see below";
  if (!is_judged(row)) return verdict + ": only primary metrics are; the figures describe it";
  const compare::Effect& effect = *row.effect;
  switch (row.verdict) {
    case Verdict::Better:
    case Verdict::Worse:
      return fmt::format(
          "{}: {} lies below {:.3g}, so the change is not chance; that it is smaller "
          "than {} is not shown (TOST {})",
          verdict,
          corrected(comparison, row),
          comparison.alpha,
          plain_percent(row.delta),
          p_text(effect.p_tost));
    case Verdict::Same:
      return fmt::format("{}: the 90% interval {} lies within that margin (TOST {}){}",
                         verdict,
                         interval_of(effect.interval90),
                         p_text(effect.p_tost),
                         row.real_but_small
                             ? "; a change there is all the same: " + corrected(comparison, row)
                             : std::string());
    case Verdict::Inconclusive:
      return verdict + ": " + why_inconclusive(comparison, row);
  }
  return verdict;
}

std::string value_of_one(const Row& row) {
  const std::string_view noun = replicate_noun(row);
  if (!row.replication.paired) {
    return fmt::format(
        "a {} gives one value, the mean of its runs' logarithms, and the arms' {}s "
        "are compared as two samples, since they do not pair off",
        noun,
        noun);
  }
  if (row.replication.unit == compare::ReplicateUnit::Block) {
    return "a block gives one value: the mean of new's logarithms less that of base's, turned so "
           "that + "
           "is better";
  }
  return fmt::format(
      "a {} gives one value, the mean of its runs' logarithms; {}s are paired by the "
      "blocks that they share",
      noun,
      noun);
}

std::string runs_sentence(const Comparison& comparison, const Row& row) {
  return fmt::format("{} of {} against {} of {} in {}; {}",
                     counted(static_cast<std::int64_t>(row.base.values.size()), "run"),
                     safe(comparison.base.name),
                     counted(static_cast<std::int64_t>(row.contender.values.size()), "run"),
                     safe(comparison.contender.name),
                     replicates_text(row),
                     value_of_one(row));
}

std::string boots_sentence(const Comparison& comparison, const Row& row) {
  const compare::Replication& how = row.replication;
  if (how.base_boots == 0 && how.contender_boots == 0) return {};
  std::string out = fmt::format("{} ran in {}",
                                safe(comparison.base.name),
                                counted(static_cast<std::int64_t>(how.base_boots), "boot"));
  if (how.base_builds > 1) out += fmt::format(" of {} builds", how.base_builds);
  out += fmt::format(", {} in {}",
                     safe(comparison.contender.name),
                     counted(static_cast<std::int64_t>(how.contender_boots), "boot"));
  if (how.contender_builds > 1) out += fmt::format(" of {} builds", how.contender_builds);
  if (how.conditional.empty()) return out;
  return out + fmt::format("; conditional on {}: what another would change is in no interval",
                           safe(how.conditional));
}

std::string arm_figures(const Row& row, const compare::ArmSummary& arm, const std::string& name) {
  if (arm.values.empty()) return name + " has no value";
  std::string out = fmt::format("{} mean {}, median {}",
                                name,
                                format_value(arm.mean, row.metric.unit),
                                format_value(arm.median, row.metric.unit));
  if (arm.values.size() < 2) return out;
  return out + fmt::format(", {} to {}, CV {}",
                           format_value(arm.min, row.metric.unit),
                           format_value(arm.max, row.metric.unit),
                           plain_percent(arm.cv));
}

/// The method by its short name; the footer has the whole.
std::string_view method_of(const Comparison& comparison, const Row& row) {
  switch (comparison.experiment.stopping.when) {
    case StopWhen::Blocks:
      break;
    case StopWhen::Looks:
      return "paired t against the boundary of its look";
    case StopWhen::Clear:
    case StopWhen::Precision:
      return "e-values, valid after any block";
  }
  return row.replication.paired ? "paired t" : "Welch's t";
}

std::string effect_sentence_of(const Comparison& comparison, const Row& row) {
  const compare::Effect& effect = *row.effect;
  if (!std::isfinite(effect.interval95.high)) {
    return fmt::format("{}, too few replicates for a {}",
                       percent_change(effect.ratio, 1),
                       interval_name(comparison));
  }
  std::string out =
      fmt::format("{}, {} {}, 90% interval {}; by ranks (Hodges-Lehmann) {}",
                  change_of(effect.ratio, effect.interval95),
                  interval_name(comparison),
                  interval_of(effect.interval95),
                  interval_of(effect.interval90),
                  change_of(effect.hodges_lehmann, effect.hl_interval95));
  out +=
      effect.hl_interval95 ? " " + interval_of(*effect.hl_interval95) : ", too few for an interval";
  return out;
}

std::string test_sentence(const Comparison& comparison, const Row& row) {
  const compare::Effect& effect = *row.effect;
  return fmt::format("{}: {}; {} for the verdict. Margin of same {} ({}): TOST {}",
                     method_of(comparison, row),
                     p_text(effect.p_value),
                     corrected(comparison, row),
                     plain_percent(row.delta),
                     to_string(row.metric.metric_class),
                     p_text(effect.p_tost));
}

std::string resolution_sentence(const Row& row) {
  const double step = row.metric.resolution;
  const double middle = std::min(row.base.median, row.contender.median);
  if (!(step > 0) || !(middle > 0)) return "the instrument's step is not known";
  const double difference = std::abs(row.contender.mean - row.base.mean);
  return fmt::format(
      "the instrument's step is {}, {} of the median{}; the means differ by {} ({:.3g} "
      "steps)",
      format_value(step, row.metric.unit),
      plain_percent(step / middle),
      row.resolution_limited ? ", more than the margin: resolution-limited" : "",
      format_value(difference, row.metric.unit),
      difference / step);
}

std::string merged_sentence(const Comparison& comparison, const Row& row) {
  const compare::MergedQuantile& merged = *row.merged;
  const Unit unit = row.metric.unit;
  std::string out = fmt::format(
      "quantile {:.6g} of all samples together: {} {}, {} {}, {} {} (BCa: {}s drawn, then their "
      "runs; not paired); a histogram step there is {}",
      merged.q,
      safe(comparison.base.name),
      format_value(merged.base, unit),
      safe(comparison.contender.name),
      format_value(merged.contender, unit),
      change_of(merged.ratio, merged.interval95),
      interval_of(merged.interval95),
      replicate_noun(row),
      format_value(merged.bin_width, unit));
  if (merged.resolution_limited) {
    out += fmt::format("; resolution-limited: the absolute difference is {}{}",
                       merged.difference < 0 ? "-" : "",
                       format_value(std::abs(merged.difference), unit));
  }
  return out;
}

std::string plan_sentence(const compare::BootPlan& plan) {
  const auto percent = [](double variance) {
    return plain_percent(std::sqrt(std::max(0.0, variance)));
  };
  return fmt::format(
      "runs of a boot scatter by {} (sd), boots by {} more; with a boot at {:.0f} s{} and a run at "
      "{:.3g} s, {} a boot cost least for the same precision (now {}; Kalibera and Jones 2013)",
      percent(plan.run_variance),
      percent(plan.boot_variance),
      plan.boot_seconds,
      plan.boot_cost_assumed ? " (assumed)" : "",
      plan.run_seconds,
      counted(plan.runs_per_boot, "run"),
      plan.runs_now);
}

std::string deciding_sentence(const Row& row) {
  if (row.verdict != Verdict::Inconclusive || !is_judged(row)) return {};
  std::string out;
  const std::string further = further_text(row);
  if (!further.empty()) {
    out = further + (row.replication.unit == compare::ReplicateUnit::Block ? "" : " of each arm") +
          ", if effect and spread stay as they are: at that number a decision is as likely as not";
  } else if (row.effect) {
    out = "no number up to 10,000 that this effect and spread foretell";
  } else {
    out = "without an effect nothing can be foretold; what is missing stands above";
  }
  if (row.two_modes) out += "; first find what chooses the mode";
  if (row.resolution_limited) out += "; a finer instrument would help, more of the same will not";
  return out;
}

const Row* control_of(const Comparison& comparison, const Row& row) {
  const auto found = std::find_if(
      comparison.control_rows.begin(), comparison.control_rows.end(), [&](const Row& control) {
        return control.case_name == row.case_name && control.metric.name == row.metric.name;
      });
  return found == comparison.control_rows.end() ? nullptr : &*found;
}

std::string control_sentence(const Comparison& comparison, const Row& row) {
  const Row* control = control_of(comparison, row);
  if (control == nullptr) {
    return "no A/A' control was run: how far base moves against itself is not known";
  }
  if (!control->effect) return "the A/A' control has no effect to compare with";
  return fmt::format("base against itself (A/A') moved by {} {}: {}",
                     change_of(control->effect->ratio, control->effect->interval95),
                     interval_of(control->effect->interval95),
                     verdict_text(*control));
}

/// Flags that no check has as its own.
std::vector<std::string> other_flags(const Row& row) {
  std::vector<std::string> others;
  for (const std::string& flag : row.flags) {
    const bool told = std::any_of(row.checks.begin(), row.checks.end(), [&](const auto& check) {
      return check.flag == flag;
    });
    if (!told) others.push_back(flag);
  }
  return others;
}

/// "effect_drift" -> "effect drift".
std::string topic_of(const compare::Check& check) {
  std::string topic = safe(check.name);
  std::replace(topic.begin(), topic.end(), '_', ' ');
  return topic;
}

std::string explained(const Comparison& comparison, const Row& row) {
  std::string out = wrap(
      "",
      "  ",
      fmt::format("{}, {}: {}", safe(row.case_name), safe(row.metric.name), effect_sentence(row)));
  constexpr std::size_t kTopicWidth = 15;  // of the longest topic with its mark
  const std::string indent(2 + kTopicWidth, ' ');
  for (const WhySentence& sentence : why_row(comparison, row))
    out += wrap("  " + pad_right(sentence.topic + (sentence.warns ? " !" : ""), kTopicWidth),
                indent,
                sentence.text);
  return out;
}

}  // namespace

std::vector<WhySentence> why_row(const Comparison& comparison, const Row& row) {
  std::vector<WhySentence> out;
  const auto say = [&](std::string topic, std::string text, bool warns = false) {
    if (!text.empty()) out.push_back({std::move(topic), std::move(text), warns});
  };
  say("verdict", verdict_sentence(comparison, row));
  say("runs", runs_sentence(comparison, row));
  say("boots", boots_sentence(comparison, row));
  say("figures",
      arm_figures(row, row.base, safe(comparison.base.name)) + "; " +
          arm_figures(row, row.contender, safe(comparison.contender.name)));
  if (row.effect) {
    say("effect", effect_sentence_of(comparison, row));
    say("test", test_sentence(comparison, row));
  }
  say("instrument", resolution_sentence(row));
  if (row.merged) say("samples", merged_sentence(comparison, row));
  for (const compare::Check& check : row.checks)
    say(topic_of(check), safe(check.sentence), check.warns);
  for (const std::string& flag : other_flags(row))
    say("also", safe(flag));
  if (row.boot_plan) say("plan", plan_sentence(*row.boot_plan));
  say("control", control_sentence(comparison, row));
  say("decide", deciding_sentence(row));
  return out;
}

bool why_applies(const Row& row, std::string_view filter) {
  return row.case_name.find(filter) != std::string::npos ||
         row.metric.name.find(filter) != std::string::npos;
}

std::string why_text(const Comparison& comparison, std::string_view filter) {
  std::string out;
  for (const Row& row : comparison.rows) {
    if (!why_applies(row, filter)) continue;
    out += (out.empty() ? "why, row by row:\n" : "\n") + explained(comparison, row);
  }
  if (!out.empty()) return out;
  return wrap("", "  ", fmt::format("why: no row's case or metric contains '{}'", safe(filter)));
}

}  // namespace schedlab::report
