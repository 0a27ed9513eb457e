#include "workload/schbench/json_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace schedlab::workload::schbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class JsonFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "json_file_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }

  void TearDown() override { fs::remove_all(directory_); }

  [[nodiscard]] std::string file(const char* name) const { return directory_ / name; }

  [[nodiscard]] static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(directory_), fs::directory_iterator());
  }

  fs::path directory_;
};

TEST_F(JsonFileTest, ReplacesAsAWhole) {
  std::ofstream(file("a")) << "what an earlier run left, and longer";
  fs::permissions(file("a"), fs::perms(0640));
  {
    auto json = JsonFile::open(file("a"));
    ASSERT_TRUE(json) << json.error().message;
    EXPECT_THAT(text_of(file("a")), HasSubstr("earlier"));
    ASSERT_TRUE(json->write("{}\n"));
  }
  EXPECT_EQ(text_of(file("a")), "{}\n");
  EXPECT_EQ(fs::status(file("a")).permissions(), fs::perms(0640));
  EXPECT_EQ(files(), 1) << "no temporary file stays";
}

TEST_F(JsonFileTest, KeepsTheOldFileWhenTheRunFails) {
  std::ofstream(file("a")) << "old";
  {
    const auto json = JsonFile::open(file("a"));
    ASSERT_TRUE(json);
  }
  EXPECT_EQ(text_of(file("a")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(JsonFileTest, LeavesNothingOfARunThatFails) {
  {
    const auto json = JsonFile::open(file("new"));
    ASSERT_TRUE(json);
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(JsonFileTest, FollowsLinks) {
  std::ofstream(file("real")) << "old";
  fs::create_symlink("real", file("link"));
  auto json = JsonFile::open(file("link"));
  ASSERT_TRUE(json);
  ASSERT_TRUE(json->write("new"));
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(text_of(file("real")), "new");
}

TEST_F(JsonFileTest, WritesToDevicesAndSaysWhenTheyAreFull) {
  auto null = JsonFile::open("/dev/null");
  ASSERT_TRUE(null);
  EXPECT_TRUE(null->write("x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  auto full = JsonFile::open("/dev/full");
  ASSERT_TRUE(full);
  EXPECT_THAT(full->write("x").error().message, HasSubstr("No space left on device"));
}

TEST_F(JsonFileTest, SaysWhyAPathCannotBeOpened) {
  EXPECT_THAT(JsonFile::open(file("none/a")).error().message,
              HasSubstr("No such file or directory"));
  EXPECT_THAT(JsonFile::open(directory_).error().message, HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace schedlab::workload::schbench
