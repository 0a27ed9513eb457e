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

/// Length of the valid UTF-8 sequence at the front of `text`, 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

bool needs_quotes(std::string_view argument) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%";
  return argument.empty() || argument.find_first_not_of(kPlain) != std::string_view::npos;
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
  const std::size_t limit = std::min<std::size_t>(3, word.size() / 2 + 1);
  std::optional<std::string> best;
  std::size_t best_distance = limit + 1;
  for (const std::string_view candidate : candidates) {
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
    const std::size_t length = utf8_length(text);
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t step = std::max<std::size_t>(length, 1);
    if (out.size() + step > limit) return out + "...";
    if (length == 0 || lead < 0x20 || lead == 0x7F ||
        (lead == 0xC2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xA0)) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(step);
  }
  return out;
}

std::string shell_quote(std::span<const std::string> arguments) {
  std::string out;
  for (const std::string& argument : arguments) {
    if (!out.empty()) out += ' ';
    if (!needs_quotes(argument)) {
      out += argument;
      continue;
    }
    out += '\'';
    for (const char c : argument) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    out += '\'';
  }
  return out;
}

}  // namespace schedlab
