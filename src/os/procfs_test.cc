#include "os/procfs.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace schedlab::os {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

using Files = std::map<std::string, std::string>;

TEST(RealProcFs, ReadsFilesWhoseSizeIsUnknown) {
  const RealProcFs fs;
  const auto status = fs.read("/proc/self/status");
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_THAT(*status, HasSubstr("Pid:\t" + std::to_string(::getpid())));
}

TEST(RealProcFs, ReadsFilesLargerThanOneChunk) {
  const RealProcFs fs;
  const auto self = fs.read("/proc/self/exe");
  ASSERT_TRUE(self) << self.error().message;
  EXPECT_GT(self->size(), 100'000U);
  EXPECT_EQ(self->substr(1, 3), "ELF");
}

TEST(RealProcFs, ListsADirectorySortedWithoutDots) {
  const RealProcFs fs;
  const auto tasks = fs.list("/proc/self/task");
  ASSERT_TRUE(tasks) << tasks.error().message;
  EXPECT_THAT(*tasks, Contains(std::to_string(::getpid())));
  EXPECT_TRUE(std::is_sorted(tasks->begin(), tasks->end()));
  EXPECT_THAT(*tasks, testing::Not(Contains(".")));
}

TEST(RealProcFs, ErrorsNameThePathAndTheReason) {
  const RealProcFs fs;
  EXPECT_EQ(fs.read("/no/such").error().message, "cannot read /no/such: No such file or directory");
  EXPECT_EQ(fs.read("/proc").error().message, "cannot read /proc: Is a directory");
  EXPECT_EQ(fs.list("/no/such").error().message, "cannot read /no/such: No such file or directory");
  EXPECT_EQ(fs.list("/proc/self/status").error().message,
            "cannot read /proc/self/status: Not a directory");
}

TEST(RealProcFs, AnEndlessFileIsRefused) {
  const RealProcFs fs;
  EXPECT_THAT(fs.read("/dev/zero").error().message, HasSubstr("larger than 64 MiB"));
}

TEST(FakeProcFs, ReadsWhatItWasGiven) {
  const FakeProcFs fs(Files{{"/sys/a", "1\n"}});
  EXPECT_EQ(*fs.read("/sys/a"), "1\n");
  EXPECT_EQ(fs.read("/sys/b").error().message, "cannot read /sys/b: No such file or directory");
  EXPECT_EQ(fs.read("/sys").error().message, "cannot read /sys: Is a directory");
}

TEST(FakeProcFs, ListsNamesOnceAndSorted) {
  const FakeProcFs fs(
      Files{{"/d/a/x", ""}, {"/d/a/y", ""}, {"/d/a-b/x", ""}, {"/d/b", ""}, {"/dd/c", ""}});
  EXPECT_THAT(*fs.list("/d"), ElementsAre("a", "a-b", "b"));
  EXPECT_THAT(*fs.list("/d/"), ElementsAre("a", "a-b", "b"));
  EXPECT_EQ(fs.list("/e").error().message, "cannot read /e: No such file or directory");
  EXPECT_EQ(fs.list("/d/b").error().message, "cannot read /d/b: Not a directory");
}

TEST(FakeProcFs, APathThatEndsInASlashIsAnEmptyDirectory) {
  const FakeProcFs fs(Files{{"/d/empty/", ""}});
  EXPECT_TRUE(fs.list("/d/empty")->empty());
}

}  // namespace
}  // namespace schedlab::os
