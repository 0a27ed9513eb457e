// Blobs: how bulk values lie in a row. Each is one zstd frame next to a column with its true size,
// and is opened only when frame, column and cap agree, so that a damaged or hostile row cannot make
// a reader allocate without bound.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab::store {

/// Caps on what one blob may hold once opened, in bytes. A histogram with every bucket in use is
/// below 128 KiB.
inline constexpr std::uint64_t kMaxHistogramBytes = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t kMaxBulkBytes = std::uint64_t{256} << 20U;

/// Errors: larger than `cap`.
Result<std::string> compress(std::string_view bytes, std::uint64_t cap);

/// Errors: `recorded_bytes` negative or above `cap`, not one zstd frame of just that size, damaged.
Result<std::string> decompress(std::string_view frame,
                               std::int64_t recorded_bytes,
                               std::uint64_t cap);

/// IEEE 754 binary64, little endian, 8 bytes each.
std::string pack_doubles(std::span<const double> values);
/// Errors: not a multiple of 8 bytes.
Result<std::vector<double>> unpack_doubles(std::string_view bytes);

}  // namespace schedlab::store
