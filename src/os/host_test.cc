#include "os/host.h"

#include <gmock/gmock.h>
#include <sys/utsname.h>

namespace schedlab::os {
namespace {

using testing::HasSubstr;

using Files = std::map<std::string, std::string>;

Files some_host() {
  return {{"/proc/sys/kernel/hostname", "box\n"},
          {"/proc/sys/kernel/osrelease", "6.12.1\n"},
          {"/proc/sys/kernel/version", "#1 SMP today\n"},
          {"/proc/sys/kernel/random/boot_id", "6b22c7ef-588a\n"},
          {"/sys/devices/system/cpu/online", "0-3,8\n"},
          {"/proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU @ 3GHz\nflags\t: a\n"}};
}

TEST(Host, SaysWhichMachineAndKernel) {
  const auto host = read_host(FakeProcFs(some_host()));
  ASSERT_TRUE(host) << host.error().message;
  EXPECT_EQ(host->boot_id, "6b22c7ef-588a");
  const Machine machine = host->to_machine();
  EXPECT_EQ(machine.hostname, "box");
  EXPECT_EQ(machine.cpu_model, "Fast CPU @ 3GHz");
  EXPECT_EQ(machine.online_cpus, 5);
  EXPECT_EQ(machine.kernel, "6.12.1 #1 SMP today");
}

TEST(Host, ArmNamesItsCpuByNumbers) {
  Files files = some_host();
  files["/proc/cpuinfo"] = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
  EXPECT_EQ(read_host(FakeProcFs(files))->cpu_model, "implementer 0x41 part 0xd0c");
  files["/proc/cpuinfo"] = "nothing known\n";
  EXPECT_EQ(read_host(FakeProcFs(files))->cpu_model, "unknown");
  files.erase("/proc/cpuinfo");
  EXPECT_EQ(read_host(FakeProcFs(files))->cpu_model, "unknown");
}

TEST(Host, AMissingOrEmptyFileIsAnErrorThatNamesIt) {
  for (const auto& [path, text] : some_host()) {
    if (path == "/proc/cpuinfo") continue;
    Files files = some_host();
    files[path] = "\n";
    EXPECT_THAT(read_host(FakeProcFs(files)).error().message, HasSubstr(path));
    files.erase(path);
    EXPECT_THAT(read_host(FakeProcFs(files)).error().message, HasSubstr(path));
  }
}

TEST(Host, AgreesWithUname) {
  const auto host = read_host(RealProcFs());
  ASSERT_TRUE(host) << host.error().message;
  utsname name{};
  ASSERT_EQ(::uname(&name), 0);
  EXPECT_EQ(host->kernel_release, name.release);
  EXPECT_EQ(host->kernel_version, name.version);
  EXPECT_EQ(host->hostname, name.nodename);
}

}  // namespace
}  // namespace schedlab::os
