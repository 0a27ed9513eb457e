#include "topology/topology.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

namespace schedlab::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Files = std::map<std::string, std::string>;

struct FakeCpu {
  std::int32_t id;
  std::string core;  // as core_cpus_list says it
  std::int32_t package;
  std::string llc;  // as shared_cpu_list of the last level says it; empty: no cache directory
};

std::string cpu_dir(std::int32_t id) {
  return fmt::format("/sys/devices/system/cpu/cpu{}", id);
}

void add_cache(Files& files, const FakeCpu& cpu) {
  const std::string cache = cpu_dir(cpu.id) + "/cache/";
  const auto add = [&](int index, int level, const std::string& type, const std::string& shared) {
    const std::string dir = fmt::format("{}index{}/", cache, index);
    files[dir + "level"] = fmt::format("{}\n", level);
    files[dir + "type"] = type + "\n";
    files[dir + "shared_cpu_list"] = shared + "\n";
  };
  add(0, 1, "Data", cpu.core);
  add(1, 1, "Instruction", cpu.core);
  add(2, 2, "Unified", cpu.core);
  add(3, 3, "Unified", cpu.llc);
  files[cache + "uevent"] = "";
}

/// `nodes`: cpulist of node 0, 1, ...
Files machine(const std::string& online,
              const std::vector<FakeCpu>& cpus,
              const std::vector<std::string>& nodes) {
  Files files{{"/sys/devices/system/cpu/online", online + "\n"}};
  for (const FakeCpu& cpu : cpus) {
    const std::string topology = cpu_dir(cpu.id) + "/topology/";
    files[topology + "core_cpus_list"] = cpu.core + "\n";
    files[topology + "physical_package_id"] = fmt::format("{}\n", cpu.package);
    if (!cpu.llc.empty()) add_cache(files, cpu);
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    files[fmt::format("/sys/devices/system/node/node{}/cpulist", node)] = nodes[node] + "\n";
  }
  return files;
}

Files two_cpus_one_cache() {
  return machine("0-1", {{0, "0", 0, "0-1"}, {1, "1", 0, "0-1"}}, {"0-1"});
}

/// 2 sockets x 2 LLCs x 2 cores x SMT, siblings 8 apart as on x86.
Files two_sockets(const std::vector<std::string>& nodes) {
  std::vector<FakeCpu> cpus;
  for (std::int32_t id = 0; id < 16; ++id) {
    const std::int32_t core = id % 8;
    const std::int32_t first = core / 2 * 2;  // of the LLC
    cpus.push_back({id,
                    fmt::format("{},{}", core, core + 8),
                    core / 4,
                    fmt::format("{}-{},{}-{}", first, first + 1, first + 8, first + 9)});
  }
  return machine("0-15", cpus, nodes);
}

Result<Topology> read(Files files) {
  return Topology::read(os::FakeProcFs(std::move(files)));
}

CpuList cpus(const char* text) {
  return *CpuList::parse(text);
}

TEST(Topology, ReadsAVirtualMachineOfTwoCores) {
  const auto topology = read(two_cpus_one_cache());
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->to_string(), "2 CPUs, 2 cores, 1 LLC, 1 package, 1 node");
  EXPECT_EQ(topology->online(), cpus("0-1"));
  EXPECT_TRUE(topology->same_llc(CpuId{0}, CpuId{1}));
  EXPECT_FALSE(topology->same_core(CpuId{0}, CpuId{1}));
  EXPECT_THAT(topology->notes(), IsEmpty());
}

TEST(Topology, ReadsTwoSocketsWithTwoCachesEachAndSmt) {
  const auto topology = read(two_sockets({"0-3,8-11", "4-7,12-15"}));
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->to_string(), "16 CPUs, 8 cores, 4 LLCs, 2 packages, 2 nodes");
  EXPECT_EQ(topology->cpus_of_llc(0), cpus("0-1,8-9"));
  EXPECT_EQ(topology->cpus_of_llc(3), cpus("6-7,14-15"));
  EXPECT_EQ(topology->cpus_of_node(1), cpus("4-7,12-15"));
  EXPECT_TRUE(topology->same_core(CpuId{3}, CpuId{11}));
  EXPECT_FALSE(topology->same_core(CpuId{3}, CpuId{10}));
  EXPECT_TRUE(topology->same_llc(CpuId{2}, CpuId{11}));
  EXPECT_FALSE(topology->same_llc(CpuId{2}, CpuId{4}));
  EXPECT_EQ(topology->find(CpuId{14})->core, 6);
  EXPECT_EQ(topology->find(CpuId{14})->package, 1);
  EXPECT_THAT(topology->notes(), IsEmpty());
}

TEST(Topology, TwoNodesPerSocketShareAPackage) {
  const auto topology = read(two_sockets({"0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"}));
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->to_string(), "16 CPUs, 8 cores, 4 LLCs, 2 packages, 4 nodes");
  EXPECT_EQ(topology->find(CpuId{0})->package, topology->find(CpuId{2})->package);
  EXPECT_NE(topology->find(CpuId{0})->node, topology->find(CpuId{2})->node);
}

TEST(Topology, CpuZeroMayBeOffline) {
  Files files = two_sockets({"1-3,8-11", "4-7,12-15"});
  files["/sys/devices/system/cpu/online"] = "1-15\n";
  std::erase_if(files, [](const auto& file) { return file.first.starts_with(cpu_dir(0) + "/"); });
  const auto topology = read(files);
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->to_string(), "15 CPUs, 8 cores, 4 LLCs, 2 packages, 2 nodes");
  EXPECT_EQ(topology->find(CpuId{0}), nullptr);
  EXPECT_FALSE(topology->same_llc(CpuId{0}, CpuId{1}));
  // Core ids go by the lowest CPU that is online: CPU 8 alone is left of the first core.
  EXPECT_EQ(topology->find(CpuId{1})->core, 0);
  EXPECT_EQ(topology->find(CpuId{8})->core, 7);
  EXPECT_THAT(topology->notes(), IsEmpty());
}

TEST(Topology, CpuIdsMayBeSparse) {
  const auto topology =
      read(machine("4,100,8191",
                   {{4, "4", 7, "4,100"}, {100, "100", 7, "4,100"}, {8191, "8191", 9, "8191"}},
                   {"", "4,100", "8191"}));
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->to_string(), "3 CPUs, 3 cores, 2 LLCs, 2 packages, 2 nodes");
  EXPECT_EQ(topology->find(CpuId{8191})->package, 1) << "ids are dense, the kernel's are not";
  EXPECT_EQ(topology->find(CpuId{8191})->node, 1) << "a node without CPUs does not count";
  EXPECT_EQ(topology->find(CpuId{8192}), nullptr);
  EXPECT_EQ(topology->find(CpuId{-1}), nullptr);
  EXPECT_EQ(topology->find(CpuId{5}), nullptr);
}

TEST(Topology, WithoutCacheFilesAPackageIsAnLlcAndANoteSaysSo) {
  const auto topology = read(machine(
      "0-3", {{0, "0", 0, ""}, {1, "1", 0, ""}, {2, "2", 1, ""}, {3, "3", 1, ""}}, {"0-3"}));
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->to_string(), "4 CPUs, 4 cores, 2 LLCs, 2 packages, 1 node");
  EXPECT_THAT(topology->notes(), ElementsAre(HasSubstr("CPU 0-3: no cache directory")));
}

TEST(Topology, AnOnlineListAloneIsEnough) {
  const auto topology = read({{"/sys/devices/system/cpu/online", "0-1\n"}});
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->to_string(), "2 CPUs, 2 cores, 1 LLC, 1 package, 1 node");
  EXPECT_EQ(topology->notes().size(), 4U) << "cores, package, cache and node were all assumed";
}

TEST(Topology, OldKernelsNameSiblingsDifferently) {
  Files files = two_cpus_one_cache();
  for (const int id : {0, 1}) {
    files.erase(cpu_dir(id) + "/topology/core_cpus_list");
    files[cpu_dir(id) + "/topology/thread_siblings_list"] = "0-1\n";
  }
  const auto topology = read(files);
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_TRUE(topology->same_core(CpuId{0}, CpuId{1}));
}

TEST(Topology, InstructionCachesAreNotTheLastLevel) {
  Files files = two_cpus_one_cache();
  for (const int id : {0, 1}) {
    files[cpu_dir(id) + "/cache/index3/type"] = "Instruction\n";
  }
  EXPECT_FALSE(read(files)->same_llc(CpuId{0}, CpuId{1})) << "the L2 is what is left";
}

TEST(Topology, CpusThatDisagreeAboutSharingLeaveANote) {
  Files files = two_cpus_one_cache();
  files[cpu_dir(1) + "/topology/core_cpus_list"] = "0-1\n";
  const auto topology = read(files);
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_THAT(topology->notes(), ElementsAre(HasSubstr("CPU 1: core_cpus_list differs")));
}

TEST(Topology, GarbageIsAnErrorThatNamesTheFile) {
  const std::string cpu1 = cpu_dir(1);
  for (const std::string& path : {std::string("/sys/devices/system/cpu/online"),
                                  cpu1 + "/topology/core_cpus_list",
                                  cpu1 + "/topology/physical_package_id",
                                  cpu1 + "/cache/index3/level",
                                  cpu1 + "/cache/index3/shared_cpu_list",
                                  std::string("/sys/devices/system/node/node0/cpulist")}) {
    for (const char* garbage : {"banana\n", "3-1\n", "0-99999999999\n", "\xff\n"}) {
      Files files = two_cpus_one_cache();
      files[path] = garbage;
      const auto topology = read(files);
      ASSERT_FALSE(topology) << path << " = " << garbage;
      EXPECT_THAT(topology.error().message, HasSubstr(path));
      EXPECT_EQ(topology.error().kind, Error::Kind::Failed) << "not the user's mistake";
    }
  }
}

TEST(Topology, AGroupThatLacksItsOwnCpuIsAnError) {
  Files files = two_cpus_one_cache();
  files[cpu_dir(1) + "/cache/index3/shared_cpu_list"] = "0\n";
  EXPECT_THAT(read(files).error().message, HasSubstr("cpu1/cache/index3/shared_cpu_list"));
}

TEST(Topology, ACpuInTwoNodesIsAnError) {
  Files files = two_cpus_one_cache();
  files["/sys/devices/system/node/node1/cpulist"] = "1\n";
  EXPECT_THAT(read(files).error().message, HasSubstr("node1/cpulist"));
}

TEST(Topology, NoOnlineListIsAnError) {
  EXPECT_THAT(read({}).error().message, HasSubstr("/sys/devices/system/cpu/online"));
}

TEST(Topology, FromPlacesSortsAndRenumbers) {
  const auto topology = Topology::from_places({{CpuId{9}, 50, 4, 1, 3}, {CpuId{2}, 70, 6, 1, 8}});
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->online(), cpus("2,9"));
  EXPECT_EQ(topology->find(CpuId{2})->llc, 0);
  EXPECT_EQ(topology->find(CpuId{9})->llc, 1);
  EXPECT_EQ(topology->llc_count(), 2);
  EXPECT_EQ(topology->node_count(), 2);
}

TEST(Topology, FromPlacesRefusesNothingTwiceAndOutOfRange) {
  EXPECT_FALSE(Topology::from_places({}));
  EXPECT_THAT(Topology::from_places({{CpuId{1}}, {CpuId{1}}}).error().message,
              HasSubstr("places CPU 1 twice"));
  EXPECT_FALSE(Topology::from_places({{CpuId{-1}}}));
  EXPECT_FALSE(Topology::from_places({{CpuId{kMaxCpuId + 1}}}));
}

TEST(Topology, ReadsTheMachineItRunsOn) {
  const auto topology = Topology::read(os::RealProcFs());
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->places().size(), topology->online().size());
}

}  // namespace
}  // namespace schedlab::topology
