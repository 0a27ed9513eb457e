#include "report/layout.h"

#include <fmt/format.h>

#include <cmath>

#include "core/text.h"

namespace schedlab::report {

namespace {

/// Bytes of the code point at the front of valid UTF-8.
std::size_t step_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(length, text.size());
}

/// The longest front of `text` that takes at most `columns`, at least one character.
std::string_view front_within(std::string_view text, std::size_t columns) {
  std::size_t bytes = step_of(text);
  while (bytes < text.size()) {
    const std::size_t next = bytes + step_of(text.substr(bytes));
    if (display_width(text.substr(0, next)) > columns) break;
    bytes = next;
  }
  return text.substr(0, bytes);
}

std::string quoted(const std::string& argument) {
  // As a later word: "cpus=0-3" needs no quotes there.
  const std::vector<std::string> pair = {":", argument};
  return shell_quote(pair).substr(2);
}

/// An argument too long for a line, in pieces that a backslash and newline join. The pieces start
/// at the left edge, since a blank would end the word.
std::string broken_argument(std::string_view argument) {
  constexpr std::size_t kRoom = kPageWidth - 2;
  std::string out;
  while (!argument.empty()) {
    std::size_t size = std::min(argument.size(), kRoom);
    while (size > 1 && display_width(quoted(std::string(argument.substr(0, size)))) > kRoom)
      --size;
    out += quoted(std::string(argument.substr(0, size)));
    argument.remove_prefix(size);
    if (!argument.empty()) out += "\\\n";
  }
  return out;
}

std::string number_text(double percent, int decimals) {
  const double size = std::abs(percent);
  if (!std::isfinite(percent)) return "not known";
  if (size >= 1e5) return fmt::format("{:.2e}", percent);
  std::string text = fmt::format("{:.{}f}", percent, size >= 1000 ? 0 : decimals);
  // A zero has no sign.
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return text;
}

}  // namespace

std::string safe(std::string_view text) {
  constexpr std::size_t kLongest = 1'000;
  return printable(text, kLongest);
}

std::string pad_left(std::string text, std::size_t width) {
  const std::size_t taken = display_width(text);
  if (taken < width) text.insert(0, width - taken, ' ');
  return text;
}

std::string pad_right(std::string text, std::size_t width) {
  const std::size_t taken = display_width(text);
  if (taken < width) text.append(width - taken, ' ');
  return text;
}

std::string wrap(std::string_view first, std::string_view rest, std::string_view text) {
  std::string out;
  std::string line(first);
  bool has_word = false;
  const auto next_line = [&] {
    out += line + "\n";
    line = rest;
    has_word = false;
  };
  for (std::string_view word : words(text)) {
    while (!word.empty()) {
      const std::size_t gap = has_word ? 1 : 0;
      const std::size_t taken = display_width(line) + gap;
      if (taken + display_width(word) <= kPageWidth) {
        line.append(gap, ' ').append(word);
        has_word = true;
        break;
      }
      if (has_word) {
        next_line();
        continue;
      }
      const std::string_view piece =
          front_within(word, kPageWidth > taken ? kPageWidth - taken : 1);
      line += piece;
      word.remove_prefix(piece.size());
      next_line();
    }
  }
  if (has_word) out += line + "\n";
  return out;
}

std::string few_flags(std::span<const std::string> flags,
                      std::string_view first,
                      std::string_view rest) {
  constexpr std::size_t kShown = 4;
  const std::size_t shown = flags.size() <= kShown + 1 ? flags.size() : kShown;
  std::string out;
  for (const std::string& flag : flags.first(shown))
    out += wrap(first, rest, safe(flag));
  if (shown < flags.size()) {
    out += wrap(first, rest, fmt::format("and {} more doubts: --why", flags.size() - shown));
  }
  return out;
}

std::string wrap_command(std::span<const std::string> arguments) {
  constexpr std::size_t kRoom = kPageWidth - 2;  // for " \" at the end
  std::string out;
  std::string line = " ";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string word = i == 0 ? shell_quote(arguments.first(1)) : quoted(arguments[i]);
    if (display_width(line) + 1 + display_width(word) <= kRoom) {
      line += " " + word;
      continue;
    }
    if (line.find_first_not_of(' ') != std::string::npos) out += line + " \\\n";
    line = "   ";
    if (display_width(line) + 1 + display_width(word) <= kRoom) {
      line += " " + word;
      continue;
    }
    out += broken_argument(arguments[i]) + (i + 1 < arguments.size() ? " \\\n" : "\n");
  }
  if (line.find_first_not_of(' ') != std::string::npos) out += line + "\n";
  return out;
}

std::string percent_change(double ratio, int decimals) {
  const double percent = (ratio - 1) * 100;
  const std::string text = number_text(percent, decimals);
  return (text.front() == '-' || !std::isfinite(percent) ? "" : "+") + text +
         (std::isfinite(percent) ? "%" : "");
}

int decimals_for(const compare::Interval& interval) {
  const double width = interval.high - interval.low;
  return width < 0.005 ? 2 : width < 0.2 ? 1 : 0;
}

std::string interval_text(const compare::Interval& interval, int decimals) {
  return fmt::format("[{}, {}]",
                     number_text((interval.low - 1) * 100, decimals),
                     number_text((interval.high - 1) * 100, decimals));
}

std::string plain_percent(double fraction) {
  return fmt::format("{:.3g}%", fraction * 100);
}

bool is_judged(const compare::Row& row) {
  return row.metric.primary && row.metric.direction != Direction::Descriptive;
}

std::string_view verdict_word(const compare::Row& row) {
  if (!is_judged(row)) return "not judged";
  switch (row.verdict) {
    case compare::Verdict::Better:
      return "better";
    case compare::Verdict::Worse:
      return "worse";
    case compare::Verdict::Same:
      return "same";
    case compare::Verdict::Inconclusive:
      return "inconclusive";
  }
  return {};
}

std::string verdict_text(const compare::Row& row) {
  const std::string word(verdict_word(row));
  return word == "same" ? word + " within " + plain_percent(row.delta) : word;
}

std::string programs_text(const compare::Row& row,
                          std::string_view base,
                          std::string_view contender) {
  const auto text = [](const compare::ArmSummary& arm) {
    const std::string mode = arm.mode.empty() ? "unknown program" : safe(arm.mode);
    return arm.workload_version.empty() ? mode : mode + " version " + safe(arm.workload_version);
  };
  const bool known = !row.base.mode.empty() || !row.contender.mode.empty();
  const std::string of_base = text(row.base);
  const std::string of_contender = text(row.contender);
  if (of_base == of_contender) return known && row.base.mode != "native" ? of_base : "";
  return fmt::format("{} {}, {} {}", base, of_base, contender, of_contender);
}

std::string_view replicate_noun(const compare::Row& row) {
  switch (row.replication.unit) {
    case compare::ReplicateUnit::Block:
      return "block";
    case compare::ReplicateUnit::Boot:
      return "boot";
    case compare::ReplicateUnit::Build:
      return "build";
  }
  return {};
}

std::string replicates_text(const compare::Row& row) {
  if (row.replication.paired) {
    return counted(static_cast<std::int64_t>(row.log_ratios.size()), replicate_noun(row));
  }
  return fmt::format(
      "{} + {} {}s", row.base_levels.size(), row.contender_levels.size(), replicate_noun(row));
}

std::string further_text(const compare::Row& row) {
  const bool undecided = is_judged(row) && row.verdict == compare::Verdict::Inconclusive;
  if (!undecided) return {};
  if (row.boot_plan && row.boot_plan->more_boots) {
    return fmt::format("~{} of {}",
                       counted(*row.boot_plan->more_boots, "more boot"),
                       counted(row.boot_plan->runs_per_boot, "run"));
  }
  if (!row.more_blocks) return {};
  return "~" + counted(*row.more_blocks, fmt::format("more {}", replicate_noun(row)));
}

std::string effect_sentence(const compare::Row& row) {
  std::string out;
  if (const auto headline = compare::headline_of(row)) {
    const int decimals = headline->interval95 ? decimals_for(*headline->interval95) : 1;
    out = percent_change(headline->ratio, decimals) + " " +
          (headline->interval95 ? interval_text(*headline->interval95, decimals) : "[unknown]") +
          (row.two_modes ? " (Hodges-Lehmann) " : " ");
  }
  out += verdict_text(row);
  const std::string further = further_text(row);
  if (!further.empty()) out += ", " + further;
  const std::string& conditional = row.replication.conditional;
  return out + " (" + replicates_text(row) + (conditional.empty() ? "" : ", " + safe(conditional)) +
         ")";
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace schedlab::report
