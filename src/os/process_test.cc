#include "os/process.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace schedlab::os {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Files = std::map<std::string, std::string>;

constexpr std::string_view kRest = " 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 99\n";

TEST(ProcessStat, NamesWithBlanksAndParenthesesAreNoFields) {
  const FakeProcFs fs(Files{{"/proc/12/stat", "12 (a) b (c) S 7" + std::string(kRest)}});
  const auto stat = read_process_stat(fs, 12);
  ASSERT_TRUE(stat) << stat.error().message;
  EXPECT_EQ(stat->parent, 7);
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->start_ticks, 4711);
}

TEST(ProcessStat, GarbageIsAnErrorThatNamesTheFile) {
  for (const char* text :
       {"", "12 (x", "12 (x) S 7", "12 (x) S y 1 1 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 4"}) {
    const auto stat = read_process_stat(FakeProcFs(Files{{"/proc/12/stat", text}}), 12);
    ASSERT_FALSE(stat) << text;
    EXPECT_THAT(stat.error().message, HasSubstr("/proc/12/stat"));
  }
}

TEST(ProcessStat, ReadsItself) {
  const auto stat = read_process_stat(RealProcFs(), ::getpid());
  ASSERT_TRUE(stat) << stat.error().message;
  EXPECT_EQ(stat->parent, ::getppid());
}

TEST(Children, AreThoseOfEveryThread) {
  const FakeProcFs fs(Files{{"/proc/self/task/5/children", "30 20 "},
                            {"/proc/self/task/6/children", "10 "},
                            {"/proc/self/task/7/children", ""}});
  EXPECT_THAT(children_of_self(fs), ElementsAre(10, 20, 30));
}

TEST(Children, AreFoundByTheirParentWhereTheKernelListsNone) {
  const std::string self = std::to_string(::getpid());
  const FakeProcFs fs(Files{{"/proc/self/task/5/comm", "x"},
                            {"/proc/8/stat", "8 (x) S " + self + std::string(kRest)},
                            {"/proc/9/stat", "9 (x) S 1" + std::string(kRest)},
                            {"/proc/meminfo", ""}});
  EXPECT_THAT(children_of_self(fs), ElementsAre(8));
}

TEST(Children, KillingReapsAllButTheSpared) {
  const RealProcFs fs;
  const std::vector<pid_t> before = children_of_self(fs);
  for (int i = 0; i < 3; ++i) {
    if (::fork() == 0) {
      for (;;)
        ::pause();
    }
  }
  EXPECT_EQ(children_of_self(fs).size(), before.size() + 3);
  EXPECT_EQ(kill_and_reap_children(fs, before, std::chrono::seconds(60)), 3);
  EXPECT_EQ(children_of_self(fs), before);
}

}  // namespace
}  // namespace schedlab::os
