// The shape of the source tree as checks over (path -> text), so that each can be shown to fail on
// a tree made up for it. A check returns one line per offence, "path:line: what is wrong"; none is
// good.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace schedlab::tree {

/// Path from the source root, '/' between folders -> the file's text.
using Tree = std::map<std::string, std::string>;

/// Module -> modules it may include, besides itself. A module is a folder of src/; of src/workload
/// each folder is one of its own, its headers are "workload" and its other files
/// "workload/registry".
using IncludeMap = std::map<std::string, std::set<std::string>>;

using Offences = std::vector<std::string>;

/// DESIGN's map for the modules there are. Changing it changes the architecture.
const IncludeMap& include_map();

/// "src/os/futex.h" -> "os"; "src/workload/schbench/x.cc" -> "workload/schbench"; "" when it is in
/// no module.
std::string module_of(const std::string& path);

/// No module reaches itself through others.
Offences check_map_goes_down(const IncludeMap& map);

/// Each #include "..." of src/ names a file of src/ by its full path, in a module that its own may
/// include. report takes compare's result types (comparison.h, history_types.h)
/// only.
Offences check_includes(const Tree& tree, const IncludeMap& map);

/// ARCHITECTURE.md states the same map, in lines "src/core/ ... -> ...".
Offences check_architecture(const std::string& text, const IncludeMap& map);

/// SQL stands in string literals of src/store only.
Offences check_sql(const Tree& tree);

/// Linux's own headers stand in src/os only; a workload, cli or a test may, with a reason beside
/// the include or within its block of includes.
Offences check_system_headers(const Tree& tree);

/// stats and report do no I/O (their tests may).
Offences check_purity(const Tree& tree);

/// At most 500 lines, or "Longer than 500 lines:" with a reason within the first 20.
Offences check_length(const Tree& tree);

/// A header opens with a comment and has #pragma once and no `using namespace`.
Offences check_headers(const Tree& tree);

/// No tab anywhere.
Offences check_tabs(const Tree& tree);

}  // namespace schedlab::tree
