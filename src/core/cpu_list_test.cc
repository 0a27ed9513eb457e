#include "core/cpu_list.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

namespace schedlab {
namespace {

CpuList list_of(std::initializer_list<std::int32_t> ids) {
  std::vector<CpuId> cpus;
  for (const std::int32_t id : ids)
    cpus.push_back(CpuId{id});
  return CpuList(cpus);
}

TEST(CpuList, ReadsRangesAndSingles) {
  EXPECT_EQ(CpuList::parse("0-3,8").value(), list_of({0, 1, 2, 3, 8}));
  EXPECT_EQ(CpuList::parse(" 8 , 0-1\n").value(), list_of({0, 1, 8}));
  EXPECT_EQ(CpuList::parse("3,3,2-4").value(), list_of({2, 3, 4}));
  EXPECT_EQ(CpuList::parse("8191").value(), list_of({8191}));
}

TEST(CpuList, RefusesWhatIsNotOneAndSaysHowToWriteIt) {
  for (const std::string text : {"",
                                 " ",
                                 ",",
                                 "0,",
                                 "a",
                                 "-1",
                                 "1-",
                                 "3-1",
                                 "0-1-2",
                                 "8192",
                                 "0-8192",
                                 "1.5",
                                 "0x3",
                                 "99999999999999999999",
                                 "0;1",
                                 "\x1b[31m"}) {
    const auto read = CpuList::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, Error::Kind::Usage);
    EXPECT_NE(read.error().message.find("0-3,8"), std::string::npos);
    EXPECT_EQ(read.error().message.find('\x1b'), std::string::npos);
  }
}

TEST(CpuList, ARepeatedRangeCostsNoMemory) {
  std::string text = "0-8191";
  for (int i = 0; i < 2'000; ++i)
    text += ",0-8191";
  EXPECT_EQ(CpuList::parse(text)->size(), 8192U);
}

TEST(CpuList, TextReadsBackForAnySet) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint16_t>& raw) {
    std::vector<CpuId> cpus;
    for (const std::uint16_t id : raw)
      cpus.push_back(CpuId{id % (kMaxCpuId + 1)});
    const CpuList list(cpus);
    if (list.empty()) {
      RC_ASSERT(list.to_string().empty());
    } else {
      RC_ASSERT(CpuList::parse(list.to_string()).value() == list);
    }
  }));
}

TEST(CpuList, SetOperationsAgreeWithMembership) {
  EXPECT_TRUE(
      rc::check([](const std::vector<std::uint8_t>& left, const std::vector<std::uint8_t>& right) {
        const auto make = [](const std::vector<std::uint8_t>& ids) {
          std::vector<CpuId> cpus;
          for (const std::uint8_t id : ids)
            cpus.push_back(CpuId{id});
          return CpuList(cpus);
        };
        const CpuList a = make(left);
        const CpuList b = make(right);
        for (std::int32_t id = 0; id < 256; ++id) {
          const CpuId cpu{id};
          RC_ASSERT(a.intersect(b).contains(cpu) == (a.contains(cpu) && b.contains(cpu)));
          RC_ASSERT(a.without(b).contains(cpu) == (a.contains(cpu) && !b.contains(cpu)));
        }
        RC_ASSERT(a.contains_all(a.intersect(b)));
        RC_ASSERT(a.contains_all(b) == b.without(a).empty());
      }));
}

TEST(CpuList, WritesTheShortestForm) {
  EXPECT_EQ(list_of({8, 0, 2, 1, 3}).to_string(), "0-3,8");
  EXPECT_EQ(list_of({5}).to_string(), "5");
  EXPECT_EQ(list_of({1, 2}).to_string(), "1-2");
  EXPECT_EQ(CpuList().to_string(), "");
}

}  // namespace
}  // namespace schedlab
