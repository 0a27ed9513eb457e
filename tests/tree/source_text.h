// SourceText: C++ source taken apart far enough to check it: code, comments and string literals.
//
// A lexer of a page, not a parser: it knows comments, character and string literals (raw ones too)
// and digit separators. It does not know macros or trigraphs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace schedlab::tree {

struct Literal {
  std::size_t line = 0;  // from 1, where it starts
  std::string text;      // between the quotes, escapes as written
};

struct SourceText {
  std::string code;               // comments gone, literals emptied ("" and ''), lines kept
  std::vector<Literal> literals;  // string literals, header names of #include lines not among them
};

SourceText take_apart(std::string_view source);

struct Include {
  std::size_t line = 0;  // from 1
  std::string path;      // "core/text.h", "sys/mman.h"
  bool system = false;   // <...>
  bool reason = false;   // a comment on the line, or alone within its block of includes
};

/// The #include lines that are code, in order.
std::vector<Include> includes_of(std::string_view source);

/// Lines without their newlines; a newline at the end does not start another one.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace schedlab::tree
