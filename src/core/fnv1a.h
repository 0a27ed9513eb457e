// FNV-1a over 64 bits (Fowler, Noll, Vo): a checksum and a content address, not cryptographic.
#pragma once

#include <cstdint>
#include <string_view>

namespace schedlab {

inline constexpr std::uint64_t kFnvOffset = 0xCBF29CE484222325U;

/// `hash` is where to start: another start gives another, unrelated sum of the same bytes.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = kFnvOffset) {
  for (const char c : bytes)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

}  // namespace schedlab
