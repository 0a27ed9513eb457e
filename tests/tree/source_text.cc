#include "tests/tree/source_text.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace schedlab::tree {

namespace {

class Lexer {
 public:
  explicit Lexer(std::string_view source) : rest_(source) {}

  SourceText run() {
    while (!rest_.empty()) {
      if (starts("//")) {
        skip_line_comment();
      } else if (starts("/*")) {
        skip_block_comment();
      } else if (starts("R\"") && !after_word()) {
        take_raw_string();
      } else if (starts("\"")) {
        take_string();
      } else if (starts("'") && !after_word()) {
        skip_character();
      } else {
        keep();
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool starts(std::string_view what) const {
    return rest_.substr(0, what.size()) == what;
  }

  /// Whether a quote here continues a number (1'000) or an R ends a longer name.
  [[nodiscard]] bool after_word() const {
    if (out_.code.empty()) return false;
    const auto last = static_cast<unsigned char>(out_.code.back());
    return std::isalnum(last) != 0 || last == '_';
  }

  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '\n') ++line_;
    return c;
  }

  void keep() { out_.code.push_back(take()); }

  void skip_line_comment() {
    while (!rest_.empty() && rest_.front() != '\n')
      take();
  }

  void skip_block_comment() {
    take();
    take();
    while (!rest_.empty() && !starts("*/"))
      drop_but_keep_newline();
    for (int i = 0; i < 2 && !rest_.empty(); ++i)
      take();
    out_.code.push_back(' ');
  }

  void drop_but_keep_newline() {
    if (take() == '\n') out_.code.push_back('\n');
  }

  void take_raw_string() {
    Literal literal{line_, {}};
    rest_.remove_prefix(2);
    const std::size_t open = rest_.find('(');
    if (open == std::string_view::npos) return;
    const std::string close = ")" + std::string(rest_.substr(0, open)) + "\"";
    rest_.remove_prefix(open + 1);
    out_.code += "\"";
    while (!rest_.empty() && !starts(close)) {
      literal.text.push_back(rest_.front());
      drop_but_keep_newline();
    }
    rest_.remove_prefix(std::min(close.size(), rest_.size()));
    out_.code += "\"";
    out_.literals.push_back(std::move(literal));
  }

  void take_string() {
    Literal literal{line_, {}};
    take();
    while (!rest_.empty() && rest_.front() != '"' && rest_.front() != '\n') {
      if (rest_.front() == '\\' && rest_.size() > 1) literal.text.push_back(take());
      literal.text.push_back(take());
    }
    if (starts("\"")) take();
    out_.code += "\"\"";
    out_.literals.push_back(std::move(literal));
  }

  void skip_character() {
    take();
    while (!rest_.empty() && rest_.front() != '\'' && rest_.front() != '\n') {
      if (take() == '\\' && !rest_.empty()) take();
    }
    if (starts("'")) take();
    out_.code += "''";
  }

  std::string_view rest_;
  std::size_t line_ = 1;
  SourceText out_;
};

bool is_include(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || line[start] != '#') return false;
  const std::size_t word = line.find_first_not_of(" \t", start + 1);
  return word != std::string_view::npos && line.substr(word, 7) == "include";
}

bool is_comment(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  return start != std::string_view::npos && line.substr(start, 2) == "//";
}

/// Whether a comment stands alone in the block of includes around `line`: sorting may have put the
/// include it speaks of on either side.
bool block_has_comment(const std::vector<std::string_view>& lines, std::size_t line) {
  const auto belongs = [&](std::size_t i) { return is_include(lines[i]) || is_comment(lines[i]); };
  std::size_t first = line;
  while (first > 0 && belongs(first - 1))
    --first;
  for (std::size_t i = first; i < lines.size() && belongs(i); ++i) {
    const bool was_include = lines[i].find("#include") != std::string_view::npos;
    if (is_comment(lines[i]) && !was_include) return true;
  }
  return false;
}

}  // namespace

SourceText take_apart(std::string_view source) {
  SourceText out = Lexer(source).run();
  const std::vector<std::string_view> lines = lines_of(source);
  out.literals.erase(
      std::remove_if(out.literals.begin(),
                     out.literals.end(),
                     [&](const Literal& literal) { return is_include(lines[literal.line - 1]); }),
      out.literals.end());
  return out;
}

std::vector<Include> includes_of(std::string_view source) {
  static const std::regex kForm(R"re(\s*#\s*include\s*([<"])([^>"]+)[>"](.*))re");
  const std::vector<std::string_view> lines = lines_of(source);
  const std::string code = take_apart(source).code;
  const std::vector<std::string_view> code_lines = lines_of(code);
  std::vector<Include> found;
  for (std::size_t i = 0; i < lines.size() && i < code_lines.size(); ++i) {
    std::cmatch match;
    // A commented-out #include is no longer one in the code.
    if (!is_include(code_lines[i])) continue;
    if (!std::regex_match(lines[i].data(), lines[i].data() + lines[i].size(), match, kForm))
      continue;
    const bool beside = match[3].str().find("//") != std::string::npos;
    const bool reason = beside || block_has_comment(lines, i);
    found.push_back({i + 1, match[2].str(), match[1].str() == "<", reason});
  }
  return found;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace schedlab::tree
