// CpuList: a set of CPU ids and its text form "0-3,8", as the kernel and taskset write it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/strong.h"

namespace schedlab {

/// Highest CPU id accepted anywhere: the kernel's own NR_CPUS limit is 8192.
inline constexpr std::int32_t kMaxCpuId = 8191;

class CpuList {
 public:
  CpuList() = default;

  /// Duplicates vanish; order does not matter.
  explicit CpuList(std::vector<CpuId> cpus);

  /// "0-3,8". Errors: empty, garbage, reversed range, id above kMaxCpuId.
  static Result<CpuList> parse(std::string_view text);

  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] bool contains(CpuId cpu) const;
  [[nodiscard]] bool contains_all(const CpuList& other) const;
  [[nodiscard]] CpuList intersect(const CpuList& other) const;
  [[nodiscard]] CpuList without(const CpuList& other) const;

  [[nodiscard]] std::size_t size() const { return cpus_.size(); }

  [[nodiscard]] bool empty() const { return cpus_.empty(); }

  [[nodiscard]] auto begin() const { return cpus_.begin(); }

  [[nodiscard]] auto end() const { return cpus_.end(); }

  [[nodiscard]] CpuId operator[](std::size_t index) const { return cpus_[index]; }

  friend bool operator==(const CpuList&, const CpuList&) = default;

 private:
  std::vector<CpuId> cpus_;  // ascending, unique
};

}  // namespace schedlab
