#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace schedlab {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // bytes; 0 when the text does not start with valid UTF-8
};

/// The code point at the front of `text`. Overlong forms, surrogates and what lies above U+10FFFF
/// are not valid (Unicode 15, table 3-7).
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead < 0xC2   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return {};
  std::uint32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, length};
}

struct Span {
  std::uint32_t first;
  std::uint32_t last;
};

bool in_any(std::span<const Span> spans, std::uint32_t value) {
  return std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
    return value >= span.first && value <= span.last;
  });
}

/// Controls, and characters that reorder or hide the text around them ("Trojan Source", 2021).
constexpr Span kUnprintable[] = {{0x00, 0x1F},
                                 {0x7F, 0x9F},
                                 {0xAD, 0xAD},
                                 {0x61C, 0x61C},
                                 {0x180E, 0x180E},
                                 {0x200B, 0x200F},
                                 {0x2028, 0x202E},
                                 {0x2060, 0x206F},
                                 {0xFE00, 0xFE0F},
                                 {0xFEFF, 0xFEFF},
                                 {0xFFF0, 0xFFFB},
                                 {0xE0000, 0xE0FFF}};

/// Combining marks of the common blocks: no column of their own.
constexpr Span kCombining[] = {{0x300, 0x36F},
                               {0x483, 0x489},
                               {0x591, 0x5BD},
                               {0x610, 0x61A},
                               {0x64B, 0x65F},
                               {0x1AB0, 0x1AFF},
                               {0x1DC0, 0x1DFF},
                               {0x20D0, 0x20FF},
                               {0xFE20, 0xFE2F}};

/// East Asian wide and emoji blocks: two columns.
constexpr Span kWide[] = {{0x1100, 0x115F},
                          {0x2E80, 0x303E},
                          {0x3041, 0x33FF},
                          {0x3400, 0x4DBF},
                          {0x4E00, 0x9FFF},
                          {0xA000, 0xA4CF},
                          {0xA960, 0xA97F},
                          {0xAC00, 0xD7A3},
                          {0xF900, 0xFAFF},
                          {0xFE30, 0xFE6F},
                          {0xFF00, 0xFF60},
                          {0xFFE0, 0xFFE6},
                          {0x1F300, 0x1F64F},
                          {0x1F680, 0x1F6FF},
                          {0x1F900, 0x1F9FF},
                          {0x20000, 0x3FFFD}};

bool needs_quotes(std::string_view argument) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%";
  return argument.empty() || argument.find_first_not_of(kPlain) != std::string_view::npos;
}

/// The argument as $'...' (POSIX.1-2024), for bytes that a terminal would act upon.
std::string escaped_quote(std::string_view argument) {
  std::string out = "$'";
  for (const char c : argument) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t start = text.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return pieces;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) out += separator;
    out += parts[i];
  }
  return out;
}

Result<std::int64_t> parse_integer(std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool whole = !text.empty() && error == std::errc() && stop == end;
  if (!whole || value < low || value > high) {
    return usage_error(
        fmt::format("'{}' is not a whole number from {} to {}", printable(text), low, high));
  }
  return value;
}

Result<double> parse_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end || !std::isfinite(value)) {
    return usage_error(fmt::format("'{}' is not a number", printable(text)));
  }
  return value;
}

std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  const std::size_t limit = std::min<std::size_t>(3, word.size() / 2);
  std::optional<std::string> best;
  std::size_t best_distance = limit + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t gap = word.size() > candidate.size() ? word.size() - candidate.size()
                                                           : candidate.size() - word.size();
    if (gap > limit) continue;  // also keeps a huge word cheap
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = std::string(candidate);
      best_distance = distance;
    }
  }
  return best;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const bool shown = point.length != 0 && !in_any(kUnprintable, point.value);
    if (out.size() + (shown ? point.length : 1) > limit) return out + "...";
    out += shown ? text.substr(0, point.length) : "?";
    text.remove_prefix(std::max<std::size_t>(point.length, 1));
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    columns += in_any(kCombining, point.value) ? 0U : in_any(kWide, point.value) ? 2U : 1U;
    text.remove_prefix(std::max<std::size_t>(point.length, 1));
  }
  return columns;
}

std::string shell_quote(std::span<const std::string> arguments) {
  std::string out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (i != 0) out += ' ';
    // A first word with '=' would be an assignment.
    const bool assigns = i == 0 && argument.find('=') != std::string::npos;
    if (!needs_quotes(argument) && !assigns) {
      out += argument;
    } else if (printable(argument, argument.size()) != argument) {
      out += escaped_quote(argument);
    } else {
      out += '\'';
      for (const char c : argument) {
        out += c == '\'' ? "'\\''" : std::string(1, c);
      }
      out += '\'';
    }
  }
  return out;
}

}  // namespace schedlab
