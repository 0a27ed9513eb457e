#include "tests/tree/tree_checks.h"

#include <algorithm>
#include <functional>
#include <regex>
#include <string_view>

#include "tests/tree/source_text.h"

namespace schedlab::tree {

namespace {

bool begins(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool ends(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_test(std::string_view path) {
  return ends(path, "_test.cc") || begins(path, "tests/");
}

bool is_cpp(std::string_view path) {
  return ends(path, ".h") || ends(path, ".cc");
}

std::string at(const std::string& path, std::size_t line, const std::string& what) {
  return path + ":" + std::to_string(line) + ": " + what;
}

/// Whether `from` reaches `goal` by one step or more.
bool reaches(const IncludeMap& map,
             const std::string& from,
             const std::string& goal,
             std::set<std::string>& seen) {
  const auto found = map.find(from);
  if (found == map.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const std::string& next) {
    if (next == goal) return true;
    return seen.insert(next).second && reaches(map, next, goal, seen);
  });
}

bool is_linux_header(const std::string& path) {
  static const std::regex kForm(
      "(sys|linux|asm|net|netinet|arpa|bits)/.*|"
      "(sched|unistd|fcntl|poll|dirent|pthread|signal|spawn|syscall|termios|semaphore|mqueue|ftw|"
      "pwd|"
      "grp|netdb|ifaddrs|dlfcn|link|ucontext|execinfo|utime|glob|fnmatch|wait|numa|cpuid|sysexits)"
      "\\.h");
  return std::regex_match(path, kForm);
}

bool is_io_header(const std::string& path) {
  static const std::set<std::string> kNames = {"fstream",
                                               "iostream",
                                               "cstdio",
                                               "stdio.h",
                                               "filesystem",
                                               "ostream",
                                               "istream",
                                               "fmt/os.h",
                                               "syncstream"};
  return kNames.count(path) != 0 || is_linux_header(path);
}

bool looks_like_sql(const std::string& literal) {
  static const std::regex kForm(
      "\\b(select\\s[^;]*\\sfrom|insert\\s+(or\\s+\\w+\\s+)?into|create\\s+(unique\\s+)?"
      "(table|index|view|trigger)|update\\s+\\w+\\s+set|delete\\s+from|drop\\s+table|alter\\s+"
      "table)"
      "\\b|^\\s*pragma\\s+\\w+",
      std::regex::icase);
  static const std::regex kStart("^\\s*(SELECT|INSERT|UPDATE|DELETE)\\s");
  return std::regex_search(literal, kForm) || std::regex_search(literal, kStart);
}

/// Applies `check` to each C++ file under one of `roots`.
void each_source(const Tree& tree,
                 const std::vector<std::string_view>& roots,
                 const std::function<void(const std::string&, const std::string&)>& check) {
  for (const auto& [path, text] : tree) {
    const bool inside =
        std::any_of(roots.begin(), roots.end(), [&, p = path](std::string_view root) {
          return begins(p, root);
        });
    if (inside && is_cpp(path)) check(path, text);
  }
}

}  // namespace

const IncludeMap& include_map() {
  static const IncludeMap kMap = {
      {"core", {}},
      {"stats", {"core"}},
      {"os", {"core"}},
      {"topology", {"os", "core"}},
      {"workload", {"core"}},
      {"workload/schbench", {"workload", "topology", "os", "stats", "core"}},
      {"workload/hackbench", {"workload", "topology", "os", "stats", "core"}},
      {"workload/registry", {"workload/schbench", "workload/hackbench", "workload", "core"}},
      {"store", {"core"}},
      {"control", {"topology", "os", "core"}},
      {"lab", {"workload", "control", "store", "stats", "topology", "os", "core"}},
      {"compare", {"store", "stats", "core"}},
      {"report", {"compare", "stats", "core"}},
      {"cli",
       {"report",
        "compare",
        "lab",
        "control",
        "store",
        "workload/registry",
        "workload/schbench",
        "workload/hackbench",
        "workload",
        "topology",
        "os",
        "stats",
        "core"}},
  };
  return kMap;
}

std::string module_of(const std::string& path) {
  static const std::regex kForm("src/([^/]+)/(?:([^/]+)/)?.*");
  std::smatch match;
  if (!std::regex_match(path, match, kForm)) return {};
  if (match[1] != "workload") return match[1];
  if (match[2].matched) return "workload/" + match[2].str();
  return ends(path, ".h") ? "workload" : "workload/registry";
}

Offences check_map_goes_down(const IncludeMap& map) {
  Offences offences;
  for (const auto& [module, allowed] : map) {
    std::set<std::string> seen;
    if (reaches(map, module, module, seen)) offences.push_back(module + " reaches itself");
    for (const std::string& other : allowed) {
      if (map.count(other) == 0)
        offences.push_back(module + " may include " + other + ", which is no module");
    }
  }
  return offences;
}

Offences check_includes(const Tree& tree, const IncludeMap& map) {
  static const std::set<std::string> kResultTypes = {"compare/comparison.h",
                                                     "compare/history_types.h"};
  Offences offences;
  each_source(tree, {"src/"}, [&](const std::string& path, const std::string& text) {
    const std::string module = module_of(path);
    const auto found = map.find(module);
    if (found == map.end()) {
      offences.push_back(path + ": '" + module + "' is not in the map of modules");
      return;
    }
    for (const Include& include : includes_of(text)) {
      if (include.system) continue;
      if (is_test(path) && begins(include.path, "tests/")) continue;
      const std::string target = "src/" + include.path;
      if (tree.count(target) == 0) {
        offences.push_back(at(path, include.line, "\"" + include.path + "\" is no file of src/"));
        continue;
      }
      const std::string other = module_of(target);
      const bool types_only = module == "report" && other == "compare";
      if (other != module && found->second.count(other) == 0) {
        offences.push_back(at(path, include.line, module + " may not include " + other));
      } else if (types_only && kResultTypes.count(include.path) == 0) {
        offences.push_back(at(path, include.line, "report takes compare's result types only"));
      }
    }
  });
  return offences;
}

Offences check_architecture(const std::string& text, const IncludeMap& map) {
  static const std::regex kLine("\\s*src/([a-z/]+?)/?\\s.*->(.*)");
  static const std::regex kWord("[a-z]+(/[a-z]+)?");
  IncludeMap stated;
  for (const std::string_view view : lines_of(text)) {
    const std::string line(view);
    std::smatch match;
    if (!std::regex_match(line, match, kLine)) continue;
    std::set<std::string>& allowed = stated[match[1]];
    const std::string list = match[2];
    for (auto word = std::sregex_iterator(list.begin(), list.end(), kWord);
         word != std::sregex_iterator();
         ++word) {
      if (map.count(word->str()) != 0) allowed.insert(word->str());
      if (word->str() != "everything") continue;
      for (const auto& [module, unused] : map)
        if (module != match[1]) allowed.insert(module);
    }
  }
  Offences offences;
  for (const auto& [module, allowed] : map) {
    // The folders of workload share its line.
    if (begins(module, "workload")) continue;
    const auto found = stated.find(module);
    if (found == stated.end()) {
      offences.push_back("no line for src/" + module + "/ with an arrow");
    } else if (found->second != allowed) {
      offences.push_back("src/" + module + "/ is stated otherwise than it is enforced");
    }
  }
  return offences;
}

Offences check_sql(const Tree& tree) {
  Offences offences;
  each_source(tree, {"src/"}, [&](const std::string& path, const std::string& text) {
    if (begins(path, "src/store/")) return;
    for (const Literal& literal : take_apart(text).literals) {
      if (looks_like_sql(literal.text))
        offences.push_back(at(path, literal.line, "SQL outside src/store"));
    }
  });
  return offences;
}

Offences check_system_headers(const Tree& tree) {
  Offences offences;
  each_source(tree, {"src/"}, [&](const std::string& path, const std::string& text) {
    if (begins(path, "src/os/")) return;
    // store judges files (permission, kind) for its one-line errors, and may not include os.
    const bool may_give_a_reason = begins(path, "src/workload/") || begins(path, "src/cli/") ||
                                   begins(path, "src/store/") || is_test(path);
    for (const Include& include : includes_of(text)) {
      if (!include.system || !is_linux_header(include.path)) continue;
      if (may_give_a_reason && include.reason) continue;
      offences.push_back(at(path,
                            include.line,
                            "<" + include.path + "> belongs to src/os" +
                                (may_give_a_reason ? "; or say why beside the include" : "")));
    }
  });
  return offences;
}

Offences check_purity(const Tree& tree) {
  Offences offences;
  each_source(
      tree, {"src/stats/", "src/report/"}, [&](const std::string& path, const std::string& text) {
        if (is_test(path)) return;
        for (const Include& include : includes_of(text)) {
          if (is_io_header(include.path)) {
            offences.push_back(
                at(path, include.line, "<" + include.path + "> is I/O; values in, values out"));
          }
        }
      });
  return offences;
}

Offences check_length(const Tree& tree) {
  constexpr std::size_t kMost = 500;
  constexpr std::size_t kHead = 20;
  static const std::regex kReason("Longer than 500 lines:\\s*\\S.*");
  Offences offences;
  each_source(
      tree, {"src/", "tests/", "bench/"}, [&](const std::string& path, const std::string& text) {
        const std::vector<std::string_view> lines = lines_of(text);
        if (lines.size() <= kMost) return;
        for (std::size_t i = 0; i < kHead; ++i) {
          if (std::regex_search(std::string(lines[i]), kReason)) return;
        }
        offences.push_back(path + ": " + std::to_string(lines.size()) + " lines without a reason");
      });
  return offences;
}

Offences check_headers(const Tree& tree) {
  static const std::regex kPragma("(^|\\n)#pragma once(\\n|$)");
  static const std::regex kUsing("\\busing\\s+namespace\\b");
  Offences offences;
  each_source(
      tree, {"src/", "tests/", "bench/"}, [&](const std::string& path, const std::string& text) {
        if (!ends(path, ".h")) return;
        const std::string code = take_apart(text).code;
        if (!begins(text, "//"))
          offences.push_back(path + ": opens without a comment on what it is for");
        if (!std::regex_search(code, kPragma)) offences.push_back(path + ": has no #pragma once");
        if (std::regex_search(code, kUsing))
          offences.push_back(path + ": `using namespace` in a header");
      });
  return offences;
}

Offences check_tabs(const Tree& tree) {
  Offences offences;
  for (const auto& [path, text] : tree) {
    const std::vector<std::string_view> lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find('\t') != std::string_view::npos)
        offences.push_back(at(path, i + 1, "a tab"));
    }
  }
  return offences;
}

}  // namespace schedlab::tree
