// Small text work: splitting, strict numbers, the nearest known word for a typo, printable width.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab {

/// Splits at every `separator`; empty pieces are kept ("a,,b" gives three).
std::vector<std::string_view> split(std::string_view text, char separator);

/// Splits at runs of blanks; no empty pieces.
std::vector<std::string_view> words(std::string_view text);

std::string_view trim(std::string_view text);

std::string join(std::span<const std::string> parts, std::string_view separator);

/// The whole text as a decimal integer in [low, high]. Errors name the text and the range.
Result<std::int64_t> parse_integer(std::string_view text, std::int64_t low, std::int64_t high);

/// The whole text as a finite decimal number, '.' as the point whatever the locale.
Result<double> parse_number(std::string_view text);

/// The closest candidate within edit distance 3 and half the word's length, if any; the first of
/// several.
std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string_view> candidates);

/// Safe to print on a terminal: control characters, characters that reorder or hide text, and
/// invalid UTF-8 are replaced by '?'. At most `limit` bytes; "..." follows where that cut something
/// off.
std::string printable(std::string_view text, std::size_t limit = 200);

/// Terminal columns of printable text: combining marks take none, East Asian wide characters two.
std::size_t display_width(std::string_view text);

/// How a person would type the argument vector in a POSIX shell: quoted where it must be. Bytes
/// that a terminal would act upon become $'\033', so that the line can be shown as it is.
std::string shell_quote(std::span<const std::string> arguments);

}  // namespace schedlab
