// Each check, shown to fail on a tree made up for it, and to leave the good neighbour alone.

#include "tests/tree/tree_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schedlab::tree {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ModuleOf, IsTheFolderUnderSrc) {
  EXPECT_EQ(module_of("src/os/futex.h"), "os");
  EXPECT_EQ(module_of("src/sim/engine/queue.h"), "sim");
  EXPECT_EQ(module_of("src/workload/schbench/worker.cc"), "workload/schbench");
  EXPECT_EQ(module_of("src/workload/workload.h"), "workload");
  EXPECT_EQ(module_of("src/workload/registry.cc"), "workload/registry");
  EXPECT_EQ(module_of("tests/tree/tree_test.cc"), "");
}

TEST(CheckMap, RefusesACircleAndAnUnknownModule) {
  EXPECT_THAT(check_map_goes_down({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}}),
              ElementsAre("a reaches itself", "b reaches itself", "c reaches itself"));
  EXPECT_THAT(check_map_goes_down({{"a", {"b"}}}),
              ElementsAre("a may include b, which is no module"));
  EXPECT_THAT(check_map_goes_down({{"a", {"b"}}, {"b", {}}}), IsEmpty());
}

TEST(CheckIncludes, RefusesGoingUp) {
  const Tree tree = {{"src/core/a.h", "#include \"os/b.h\"\n"},
                     {"src/os/b.h", "#include \"core/a.h\"\n#include <vector>\n"}};
  EXPECT_THAT(check_includes(tree, include_map()),
              ElementsAre("src/core/a.h:1: core may not include os"));
}

TEST(CheckIncludes, RefusesOneWorkloadKnowingAnother) {
  const Tree tree = {{"src/workload/schbench/a.h", "\n#include \"workload/hackbench/b.h\"\n"},
                     {"src/workload/hackbench/b.h", "#include \"workload/workload.h\"\n"},
                     {"src/workload/workload.h", ""},
                     {"src/workload/registry.cc", "#include \"workload/schbench/a.h\"\n"}};
  EXPECT_THAT(
      check_includes(tree, include_map()),
      ElementsAre(
          "src/workload/schbench/a.h:2: workload/schbench may not include workload/hackbench"));
}

TEST(CheckIncludes, HoldsTestsToTheSameMap) {
  const Tree tree = {
      {"src/os/a_test.cc", "#include \"store/s.h\"\n#include \"tests/support/x.h\"\n"},
      {"src/store/s.h", ""}};
  EXPECT_THAT(check_includes(tree, include_map()),
              ElementsAre("src/os/a_test.cc:1: os may not include store"));
}

TEST(CheckIncludes, ReportTakesTypesAndNotQueries) {
  const Tree tree = {
      {"src/report/a.cc", "#include \"compare/comparison.h\"\n#include \"compare/compare.h\"\n"},
      {"src/compare/compare.h", ""},
      {"src/compare/comparison.h", ""}};
  EXPECT_THAT(check_includes(tree, include_map()),
              ElementsAre("src/report/a.cc:2: report takes compare's result types only"));
}

TEST(CheckIncludes, RefusesNewFoldersAndPathsThatAreNotWhole) {
  const Tree tree = {
      {"src/core/a.cc", "#include \"a.h\"\n"}, {"src/core/a.h", ""}, {"src/misc/b.h", ""}};
  EXPECT_THAT(check_includes(tree, include_map()),
              ElementsAre("src/core/a.cc:1: \"a.h\" is no file of src/",
                          "src/misc/b.h: 'misc' is not in the map of modules"));
}

TEST(CheckArchitecture, RefusesAMapThatDiffers) {
  const IncludeMap map = {
      {"core", {}}, {"os", {"core"}}, {"store", {"core"}}, {"cli", {"core", "os", "store"}}};
  const std::string good =
      "src/core/   words -> nothing of ours\nsrc/os/  Linux -> core\nsrc/store/ SQLite -> core\n"
      "src/cli/ main() -> everything\n";
  EXPECT_THAT(check_architecture(good, map), IsEmpty());
  EXPECT_THAT(check_architecture("src/core/ words -> nothing\nsrc/os/ Linux -> store, core\n"
                                 "src/cli/ main() -> everything\n",
                                 map),
              ElementsAre("src/os/ is stated otherwise than it is enforced",
                          "no line for src/store/ with an arrow"));
}

TEST(CheckSql, RefusesItOutsideTheStore) {
  const Tree tree = {
      {"src/lab/a.cc",
       "auto a = \"SELECT name FROM run\";\nauto b = R\"(\n  INSERT INTO run VALUES (1))\";\n"
       "auto c = \"create table x (y)\";\nauto d = \"UPDATE run SET x = 1\";\n"},
      {"src/store/b.cc", "auto a = \"SELECT name FROM run\";\n"},
      {"src/cli/c.cc",
       "// SELECT name FROM run\nauto a = \"select the CPUs with --cpus\";\nauto b = \"insert a "
       "block\";\n"}};
  EXPECT_THAT(check_sql(tree),
              ElementsAre("src/lab/a.cc:1: SQL outside src/store",
                          "src/lab/a.cc:2: SQL outside src/store",
                          "src/lab/a.cc:4: SQL outside src/store",
                          "src/lab/a.cc:5: SQL outside src/store"));
}

TEST(CheckSystemHeaders, RefusesThemOutsideOsWithoutAReason) {
  const Tree tree = {
      {"src/os/a.cc", "#include <sched.h>\n"},
      {"src/workload/schbench/b.cc",
       "#include <sys/mman.h>  // huge pages for the matrices\n#include <linux/futex.h>\n"},
      {"src/cli/c.cc", "// isatty() for the progress line\n#include <unistd.h>\n"},
      {"src/lab/d.cc", "#include <unistd.h>  // a reason does not help here\n"},
      {"src/core/e.cc", "#include <vector>\n"}};
  EXPECT_THAT(
      check_system_headers(tree),
      ElementsAre("src/lab/d.cc:1: <unistd.h> belongs to src/os",
                  "src/workload/schbench/b.cc:2: <linux/futex.h> belongs to src/os; or say why "
                  "beside the include"));
}

TEST(CheckPurity, RefusesInputAndOutputInStatsAndReport) {
  const Tree tree = {{"src/stats/a.cc", "#include <cmath>\n#include <fstream>\n"},
                     {"src/report/b.cc", "#include <cstdio>\n"},
                     {"src/report/b_test.cc", "#include <fstream>\n"},
                     {"src/lab/c.cc", "#include <fstream>\n"}};
  EXPECT_THAT(check_purity(tree),
              ElementsAre("src/report/b.cc:1: <cstdio> is I/O; values in, values out",
                          "src/stats/a.cc:2: <fstream> is I/O; values in, values out"));
}

std::string lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "int x;\n";
  return text;
}

TEST(CheckLength, RefusesLongFilesWithoutAReason) {
  const Tree tree = {
      {"src/core/a.cc", lines(500)},
      {"src/core/b.cc", lines(501)},
      {"src/core/c.cc", "// Longer than 500 lines: one table of the kernel's.\n" + lines(600)},
      {"src/core/d.cc", "// Longer than 500 lines:\n" + lines(600)},
      {"src/core/e.cc", lines(20) + "// Longer than 500 lines: too late.\n" + lines(600)},
      {"tests/f.cc", lines(501)}};
  EXPECT_THAT(check_length(tree),
              ElementsAre("src/core/b.cc: 501 lines without a reason",
                          "src/core/d.cc: 601 lines without a reason",
                          "src/core/e.cc: 621 lines without a reason",
                          "tests/f.cc: 501 lines without a reason"));
}

TEST(CheckHeaders, RefusesOnesWithoutCommentGuardOrWithUsing) {
  const Tree tree = {
      {"src/core/a.h", "// What it is.\n#pragma once\n// no using namespace std here\n"},
      {"src/core/b.h", "#pragma once\n"},
      {"src/core/c.h", "// What it is.\n// #pragma once\n"},
      {"src/core/d.h", "// What it is.\n#pragma once\nusing namespace std;\n"},
      {"src/core/e.cc", "using namespace std::chrono_literals;\n"}};
  EXPECT_THAT(check_headers(tree),
              ElementsAre("src/core/b.h: opens without a comment on what it is for",
                          "src/core/c.h: has no #pragma once",
                          "src/core/d.h: `using namespace` in a header"));
}

TEST(CheckTabs, RefusesThem) {
  EXPECT_THAT(
      check_tabs({{"src/core/a.cc", "int a;\n\tint b;\n"}, {"src/core/b.cc", "int a = '\\t';\n"}}),
      ElementsAre("src/core/a.cc:2: a tab"));
}

}  // namespace
}  // namespace schedlab::tree
