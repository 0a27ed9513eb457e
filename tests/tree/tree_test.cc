// This tree, held to its own rules. What each check refuses is shown in tree_checks_test.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/tree/tree_checks.h"

namespace schedlab::tree {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool is_source(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".h" || ending == ".cc" || ending == ".cmake" ||
         path.filename() == "CMakeLists.txt";
}

const Tree& this_tree() {
  static const Tree kTree = [] {
    const fs::path root = SCHEDLAB_SOURCE_DIR;
    Tree tree;
    for (const char* folder : {"src", "tests", "bench", "cmake"}) {
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        if (entry.is_regular_file() && is_source(entry.path())) {
          tree[entry.path().lexically_relative(root).generic_string()] = text_of(entry.path());
        }
      }
    }
    return tree;
  }();
  return kTree;
}

TEST(Tree, WasReadAtAll) {
  EXPECT_GT(this_tree().size(), 50U);
  EXPECT_EQ(this_tree().count("src/core/result.h"), 1U);
  EXPECT_EQ(this_tree().count("tests/tree/tree_test.cc"), 1U);
}

TEST(Tree, TheMapGoesDownOnly) {
  EXPECT_THAT(check_map_goes_down(include_map()), IsEmpty());
}

TEST(Tree, ModulesIncludeWhatTheMapAllows) {
  EXPECT_THAT(check_includes(this_tree(), include_map()), IsEmpty());
}

TEST(Tree, ArchitectureStatesTheMapThatIsEnforced) {
  const fs::path page = fs::path(SCHEDLAB_SOURCE_DIR) / "ARCHITECTURE.md";
  if (!fs::exists(page)) GTEST_SKIP() << "there is no ARCHITECTURE.md to hold to it";
  EXPECT_THAT(check_architecture(text_of(page), include_map()), IsEmpty());
}

TEST(Tree, SqlStandsInTheStoreOnly) {
  EXPECT_THAT(check_sql(this_tree()), IsEmpty());
}

TEST(Tree, LinuxHeadersStandInOsOnlyOrSayWhy) {
  EXPECT_THAT(check_system_headers(this_tree()), IsEmpty());
}

TEST(Tree, StatsAndReportDoNoInputOrOutput) {
  EXPECT_THAT(check_purity(this_tree()), IsEmpty());
}

TEST(Tree, FilesStayShortOrSayWhy) {
  EXPECT_THAT(check_length(this_tree()), IsEmpty());
}

TEST(Tree, HeadersOpenWithACommentAndGuardThemselves) {
  EXPECT_THAT(check_headers(this_tree()), IsEmpty());
}

TEST(Tree, HasNoTabs) {
  EXPECT_THAT(check_tabs(this_tree()), IsEmpty());
}

}  // namespace
}  // namespace schedlab::tree
