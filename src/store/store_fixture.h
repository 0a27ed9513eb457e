// For tests: a store in a directory of its own.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"
#include "store/test_records.h"

namespace schedlab::store {

class StoreTest : public ::testing::Test {
 protected:
  Store& store() {
    if (!store_) {
      auto opened = Store::open(dir_.file());
      EXPECT_TRUE(opened) << opened.error().message;
      store_.emplace(std::move(*opened));
    }
    return *store_;
  }

  /// Changes the file behind the store's back.
  void tamper(const std::string& sql) {
    SQLite::Database(dir_.file(), SQLite::OPEN_READWRITE).exec(sql);
  }

  std::vector<Finding> findings() {
    const auto found = store().check();
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(std::vector<Finding>{});
  }

  const TempDir dir_;
  std::optional<Store> store_;
};

}  // namespace schedlab::store
