#include "workload/schbench/matrix.h"

#include <fmt/format.h>
#include <sys/mman.h>  // hot file: pages must stay untouched until the work itself reads them

#include <atomic>
#include <cmath>

namespace schedlab::workload::schbench {

namespace {

// malloc puts a large block 16 bytes into its own mapping; the original's matrices start there, and
// where rows meet cache lines moves the time of a step.
constexpr std::size_t kOffsetInMapping = 16;

/// The compiler may not keep the running sum out of memory nor vectorise: a relaxed store is still
/// a store at each step. noinline keeps link-time optimisation from specialising it per call.
[[gnu::noinline, gnu::aligned(64)]] void multiply_square(std::uint64_t* product,
                                                         const std::uint64_t* left,
                                                         const std::uint64_t* right,
                                                         std::uint64_t side) {
  for (std::uint64_t i = 0; i < side; ++i) {
    for (std::uint64_t j = 0; j < side; ++j) {
      std::uint64_t sum = 0;
      const std::atomic_ref<std::uint64_t> cell(product[i * side + j]);
      for (std::uint64_t k = 0; k < side; ++k) {
        sum += left[i * side + k] * right[k * side + j];
        cell.store(sum, std::memory_order_relaxed);
      }
    }
  }
}

}  // namespace

std::uint64_t matrix_side(std::uint64_t kib) {
  const std::uint64_t elements = kib * 1024 / 3 / sizeof(std::uint64_t);
  auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(elements)));
  while (side * side > elements)
    --side;
  return side;
}

void Unmapper::operator()(void* memory) const {
  ::munmap(memory, bytes);
}

Result<MatrixBuffer> MatrixBuffer::map(std::uint64_t side) {
  MatrixBuffer buffer;
  buffer.side_ = side;
  if (side == 0) return buffer;
  const std::size_t bytes = 3 * side * side * sizeof(std::uint64_t) + kOffsetInMapping;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return failed(fmt::format(
        "cannot allocate {} KiB of matrices: out of memory; use a smaller -F or fewer threads",
        bytes / 1024));
  }
  buffer.memory_ = std::unique_ptr<void, Unmapper>(memory, Unmapper{bytes});
  return buffer;
}

Result<MatrixBuffer> MatrixBuffer::make_untouched(std::uint64_t side) {
  return map(side);
}

Result<MatrixBuffer> MatrixBuffer::make_filled(std::uint64_t side) {
  SCHEDLAB_ASSIGN_OR_RETURN(MatrixBuffer buffer, map(side));
  for (std::uint64_t i = 0; i < 3 * side * side; ++i)
    buffer.elements()[i] = i + 1;
  return buffer;
}

std::uint64_t* MatrixBuffer::elements() const {
  auto* bytes = static_cast<std::byte*>(memory_.get());
  return static_cast<std::uint64_t*>(static_cast<void*>(bytes + kOffsetInMapping));
}

void MatrixBuffer::multiply() const {
  if (side_ == 0) return;
  std::uint64_t* const first = elements();
  const std::uint64_t square = side_ * side_;
  multiply_square(first + 2 * square, first, first + square, side_);
}

std::span<const std::uint64_t> MatrixBuffer::left() const {
  return side_ == 0 ? std::span<const std::uint64_t>() : std::span(elements(), side_ * side_);
}

std::span<const std::uint64_t> MatrixBuffer::right() const {
  return side_ == 0 ? std::span<const std::uint64_t>()
                    : std::span(elements() + side_ * side_, side_ * side_);
}

std::span<const std::uint64_t> MatrixBuffer::product() const {
  return side_ == 0 ? std::span<const std::uint64_t>()
                    : std::span(elements() + 2 * side_ * side_, side_ * side_);
}

}  // namespace schedlab::workload::schbench
