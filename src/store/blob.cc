#include "store/blob.h"

#include <fmt/format.h>
#include <zstd.h>

#include <bit>

namespace schedlab::store {

namespace {

constexpr std::size_t kDoubleBytes = 8;
constexpr int kLevel = 3;  // zstd's own default

}  // namespace

Result<std::string> compress(std::string_view bytes, std::uint64_t cap) {
  if (bytes.size() > cap) {
    return failed(
        fmt::format("{} bytes are more than the {} that one value may have in the "
                    "database; make the run print less",
                    bytes.size(),
                    cap));
  }
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size) != 0) {
    return failed(
        fmt::format("cannot compress {} bytes: {}", bytes.size(), ZSTD_getErrorName(size)));
  }
  frame.resize(size);
  return frame;
}

Result<std::string> decompress(std::string_view frame,
                               std::int64_t recorded_bytes,
                               std::uint64_t cap) {
  if (recorded_bytes < 0 || static_cast<std::uint64_t>(recorded_bytes) > cap) {
    return failed(
        fmt::format("its recorded size of {} bytes is not within 0 to {}", recorded_bytes, cap));
  }
  const auto expected = static_cast<std::size_t>(recorded_bytes);
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != expected ||
      ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) {
    return failed(fmt::format("it is not a zstd frame of {} bytes", recorded_bytes));
  }
  std::string bytes(expected, '\0');
  const std::size_t size = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0 || size != expected) {
    return failed("its zstd frame is damaged");
  }
  return bytes;
}

std::string pack_doubles(std::span<const double> values) {
  std::string bytes;
  bytes.reserve(values.size() * kDoubleBytes);
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned i = 0; i < kDoubleBytes; ++i)
      bytes.push_back(static_cast<char>((bits >> (8 * i)) & 0xFFU));
  }
  return bytes;
}

Result<std::vector<double>> unpack_doubles(std::string_view bytes) {
  if (bytes.size() % kDoubleBytes != 0) {
    return failed(fmt::format("its {} bytes are not a whole number of values", bytes.size()));
  }
  std::vector<double> values;
  values.reserve(bytes.size() / kDoubleBytes);
  for (std::size_t at = 0; at < bytes.size(); at += kDoubleBytes) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < kDoubleBytes; ++i)
      bits |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    values.push_back(std::bit_cast<double>(bits));
  }
  return values;
}

}  // namespace schedlab::store
