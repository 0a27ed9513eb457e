#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/command.h"

namespace schedlab::e2e {
namespace {

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Whether an ELF file asks for a dynamic loader.
bool has_interpreter(const std::string& bytes) {
  Elf64_Ehdr head{};
  std::memcpy(&head, bytes.data(), sizeof head);
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(
        &segment, bytes.data() + head.e_phoff + std::size_t{i} * head.e_phentsize, sizeof segment);
    if (segment.p_type == PT_INTERP) return true;
  }
  return false;
}

TEST(ShippedBinary, IsStaticAndUnderTwelveMegabytes) {
  if (!std::filesystem::exists(SCHEDLAB_SHIPPED))
    GTEST_SKIP() << "build/schedlab is not there; `make` builds it";
  const std::string bytes = read_bytes(SCHEDLAB_SHIPPED);
  ASSERT_GT(bytes.size(), sizeof(Elf64_Ehdr));
  EXPECT_FALSE(has_interpreter(bytes));
  EXPECT_LT(bytes.size(), 12'000'000U);
  const auto done = testing::run(
      {.argv = {SCHEDLAB_SHIPPED, "version"}, .working_directory = {}, .extra_environment = {}});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out.rfind("schedlab ", 0), 0U) << done.out;
}

}  // namespace
}  // namespace schedlab::e2e
