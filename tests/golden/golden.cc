#include "tests/golden/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace schedlab::golden {

namespace {

bool updating() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the test has one thread and nobody sets the environment
  const char* value = std::getenv("SCHEDLAB_UPDATE_GOLDEN");
  return value != nullptr && std::string_view(value) == "1";
}

std::optional<std::string> read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

std::string line_around(std::string_view text, std::size_t at) {
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return std::string(text.substr(start, text.find('\n', start) - start));
}

}  // namespace

void expect_golden(std::string_view name, std::string_view text) {
  const auto path = std::filesystem::path(SCHEDLAB_SOURCE_DIR) / "tests/golden/expected" / name;
  if (updating()) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  const auto expected = read(path);
  ASSERT_TRUE(expected) << path << " is missing; SCHEDLAB_UPDATE_GOLDEN=1 writes it";
  if (*expected == text) return;
  const auto differs = std::mismatch(expected->begin(), expected->end(), text.begin(), text.end());
  const auto at = static_cast<std::size_t>(differs.first - expected->begin());
  const auto line = 1 + std::count(expected->begin(), differs.first, '\n');
  ADD_FAILURE() << name << ":" << line << " differs\n  expected: " << line_around(*expected, at)
                << "\n  got:      " << line_around(text, at)
                << "\n(SCHEDLAB_UPDATE_GOLDEN=1 rewrites it; review the diff)";
}

}  // namespace schedlab::golden
