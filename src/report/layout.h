// Plain-text layout: columns by display width, wrapping with a hanging indent, and what the styles
// share in wording an effect.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/comparison.h"

namespace schedlab::report {

/// What fits a terminal and a mail.
inline constexpr std::size_t kPageWidth = 80;

/// Text from outside, made safe to print; long enough for any sensible name.
std::string safe(std::string_view text);

std::string pad_left(std::string text, std::size_t width);   // blanks in front
std::string pad_right(std::string text, std::size_t width);  // blanks behind

/// `text` (already safe) broken at blanks into lines of at most kPageWidth columns, a word longer
/// than a line anywhere; each line ends in a newline. `first` and `rest` stand in front of them.
std::string wrap(std::string_view first, std::string_view rest, std::string_view text);

/// The first few flags, each safe and wrapped, then "and 3 more doubts: --why": a table is read row
/// by row, and --why tells them all.
std::string few_flags(std::span<const std::string> flags,
                      std::string_view first,
                      std::string_view rest);

/// The command as a person would paste it: lines of at most kPageWidth columns that a POSIX shell
/// joins again; an argument longer than a line is broken inside, into pieces that the shell joins.
std::string wrap_command(std::span<const std::string> arguments);

/// "+2.3%", "-0.04%": turned so that + is better.
std::string percent_change(double ratio, int decimals);

/// Decimals that suit what `interval` leaves open: 2 when it is narrower than half a percent, 0
/// from twenty percent on, else 1.
int decimals_for(const compare::Interval& interval);

/// "[1.5, 3.2]": both ends of the interval in percent.
std::string interval_text(const compare::Interval& interval, int decimals);

/// "1%", "0.5%".
std::string plain_percent(double fraction);

/// Whether a row has a verdict: it is primary and has a direction.
bool is_judged(const compare::Row& row);

/// "better", "worse", "same", "inconclusive" or "not judged": the verdict of every style.
std::string_view verdict_word(const compare::Row& row);

/// For people: "better", "worse", "same within 1%", "inconclusive"; "not judged" for a row that is
/// not primary or has no direction.
std::string verdict_text(const compare::Row& row);

/// What the arms ran: "classic, version 1", or with each arm's name where they differ; empty when
/// both ran our native program in one version.
std::string programs_text(const compare::Row& row,
                          std::string_view base,
                          std::string_view contender);

/// "block", "boot" or "build": what a row counts.
std::string_view replicate_noun(const compare::Row& row);

/// "12 blocks", "6 boots", "3 + 2 boots" where the arms' boots are not paired.
std::string replicates_text(const compare::Row& row);

/// "~30 more blocks", "~4 more boots of 3 runs"; empty where that is not known.
std::string further_text(const compare::Row& row);

/// "+2.3% [1.5, 3.2] better (12 blocks, one boot)"; with "about k more blocks" when that is known.
/// With two modes the figures are those of the ranks, and it says so.
std::string effect_sentence(const compare::Row& row);

/// "12 blocks", "1 block".
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace schedlab::report
