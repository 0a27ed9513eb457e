// The work of a request: naive multiplication of square matrices of 64-bit integers.
//
// Three m x m matrices fill the footprint: m = floor(sqrt(KiB * 1024 / 3 / 8)), integer divisions.
// One multiplication takes m^3 inner steps; every step stores to memory, is not vectorised and not
// hoisted, so that a step costs the same under -O2, -O3 and LTO. Each thread has its own matrices;
// with --split a part of the operations goes to one buffer that all threads write.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/result.h"

namespace schedlab::workload::schbench {

/// Side of the matrices that fill `kib`; 0 when not even 1 x 1 fits.
std::uint64_t matrix_side(std::uint64_t kib);

struct Unmapper {
  std::size_t bytes = 0;
  void operator()(void* memory) const;
};

/// Anonymous memory for three matrices.
class MatrixBuffer {
 public:
  /// Fresh pages that nothing has written: reading them maps the kernel's shared zero page, as the
  /// original's do, so the true cache footprint is a third. Errors: no memory.
  static Result<MatrixBuffer> make_untouched(std::uint64_t side);

  /// Every element written by the calling thread, so that memory is local to it and the footprint
  /// is what was asked for. Errors: no memory.
  static Result<MatrixBuffer> make_filled(std::uint64_t side);

  MatrixBuffer() = default;

  [[nodiscard]] std::uint64_t side() const { return side_; }

  /// One multiplication. Several threads may call it on the same buffer: they write the same
  /// product with relaxed stores.
  void multiply() const;

  /// First element of the product, for tests.
  [[nodiscard]] std::span<const std::uint64_t> product() const;
  [[nodiscard]] std::span<const std::uint64_t> left() const;
  [[nodiscard]] std::span<const std::uint64_t> right() const;

 private:
  static Result<MatrixBuffer> map(std::uint64_t side);
  [[nodiscard]] std::uint64_t* elements() const;

  std::unique_ptr<void, Unmapper> memory_;
  std::uint64_t side_ = 0;
};

}  // namespace schedlab::workload::schbench
