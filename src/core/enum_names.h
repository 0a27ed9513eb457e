// One table per enumeration for both ways: value -> word and word -> value.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/result.h"

namespace schedlab {

template <typename Enum, std::size_t N>
using EnumNames = std::array<std::pair<Enum, std::string_view>, N>;

template <typename Enum, std::size_t N>
std::string_view name_of(const EnumNames<Enum, N>& names, Enum value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  check_failed(__FILE__, __LINE__, "every enumerator has a name");
}

/// Errors name `what` and list the words that are known.
template <typename Enum, std::size_t N>
Result<Enum> value_of(const EnumNames<Enum, N>& names,
                      std::string_view text,
                      std::string_view what) {
  std::string known;
  for (const auto& [candidate, name] : names) {
    if (name == text) return candidate;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return usage_error("unknown " + std::string(what) + " '" + std::string(text) +
                     "' (known: " + known + ")");
}

}  // namespace schedlab
