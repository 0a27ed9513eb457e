#include "os/run_cgroup.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/process.h"

namespace schedlab::os {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

using Files = std::map<std::string, std::string>;

constexpr std::string_view kHybrid =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n";

FakeProcFs machine(std::string_view mountinfo, std::string_view cgroup) {
  return FakeProcFs(Files{{"/proc/self/mountinfo", std::string(mountinfo)},
                          {"/proc/self/cgroup", std::string(cgroup)}});
}

TEST(RunCgroup, OwnDirectoryIsFoundOnAHybridMachine) {
  EXPECT_EQ(*own_cgroup_directory(machine(kHybrid, "1:cpu:/x\n0::/\n")), "/sys/fs/cgroup/unified");
  EXPECT_EQ(*own_cgroup_directory(machine(kHybrid, "0::/user.slice/a b\n")),
            "/sys/fs/cgroup/unified/user.slice/a b");
}

TEST(RunCgroup, AMountOfAPartShowsOnlyThatPart) {
  constexpr std::string_view kPart = "41 31 0:38 /pod/a /mnt/c\\040g rw - cgroup2 none rw\n";
  EXPECT_EQ(*own_cgroup_directory(machine(kPart, "0::/pod/a/job\n")), "/mnt/c g/job");
  EXPECT_EQ(*own_cgroup_directory(machine(kPart, "0::/pod/a\n")), "/mnt/c g");
  EXPECT_THAT(own_cgroup_directory(machine(kPart, "0::/pod/ab\n")).error().message,
              HasSubstr("does not show our cgroup /pod/ab"));
}

TEST(RunCgroup, WithoutCgroup2ThereIsNone) {
  EXPECT_THAT(own_cgroup_directory(machine("", "0::/\n")).error().message,
              HasSubstr("not mounted"));
  EXPECT_THAT(own_cgroup_directory(machine(kHybrid, "1:cpu:/\n")).error().message,
              HasSubstr("not mounted"));
  EXPECT_THAT(own_cgroup_directory(FakeProcFs(Files{})).error().message,
              HasSubstr("/proc/self/mountinfo"));
  EXPECT_THAT(create_run_cgroup(machine("garbage - cgroup2 \n", "0::/\n")).error().message,
              HasSubstr("not mounted"));
  EXPECT_THAT(remove_stale_cgroups(FakeProcFs(Files{})), IsEmpty());
}

TEST(RunCgroup, NoneIsMadeWhereItWouldBeATaskGroup) {
  const FakeProcFs fs(Files{{"/proc/self/mountinfo", std::string(kHybrid)},
                            {"/proc/self/cgroup", "0::/\n"},
                            {"/sys/fs/cgroup/unified/cgroup.subtree_control", "cpu memory\n"}});
  EXPECT_THAT(create_run_cgroup(fs).error().message, HasSubstr("one more task group"));
}

TEST(RunCgroup, IsMadeOnceEachAndRemoved) {
  const RealProcFs fs;
  const auto first = create_run_cgroup(fs);
  if (!first) GTEST_SKIP() << first.error().message;
  const auto second = create_run_cgroup(fs);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_NE(*first, *second);
  EXPECT_EQ(::mkdir((*first + "/inner").c_str(), 0755), 0) << "a run may make its own";
  EXPECT_THAT(remove_stale_cgroups(fs), IsEmpty()) << "ours are not stale";
  for (const std::string& path : {*first, *second}) {
    const Status removed = remove_cgroup(fs, path, std::chrono::seconds(1));
    EXPECT_TRUE(removed) << removed.error().message;
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
    EXPECT_TRUE(remove_cgroup(fs, path, Nanos(0))) << "what is gone is fine";
  }
}

TEST(RunCgroup, AReusedPidDoesNotMakeItOurs) {
  const RealProcFs fs;
  const auto own = own_cgroup_directory(fs);
  if (!own) GTEST_SKIP() << own.error().message;
  // Our own pid, but a process that started one tick after us.
  const std::int64_t start = read_process_stat(fs, ::getpid())->start_ticks + 1;
  const std::string path =
      *own + "/schedlab-" + std::to_string(::getpid()) + "-" + std::to_string(start) + "-0";
  if (::mkdir(path.c_str(), 0755) != 0) GTEST_SKIP() << "cannot make a cgroup in " << *own;
  const std::string foreign = *own + "/schedlab-notes";
  ASSERT_EQ(::mkdir(foreign.c_str(), 0755), 0);
  EXPECT_THAT(remove_stale_cgroups(fs), testing::Contains(HasSubstr(path)));
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
  EXPECT_EQ(::rmdir(foreign.c_str()), 0) << "a name that is not a run's is left alone";
}

}  // namespace
}  // namespace schedlab::os
