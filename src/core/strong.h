// Strong<Tag, Rep>: an id that does not mix with other ids. CpuId{3} is not BootId{3}.
#pragma once

#include <compare>
#include <cstdint>

namespace schedlab {

template <typename Tag, typename Rep>
struct Strong {
  Rep value{};

  friend constexpr auto operator<=>(const Strong&, const Strong&) = default;
};

using CpuId = Strong<struct CpuIdTag, std::int32_t>;
using ExperimentId = Strong<struct ExperimentIdTag, std::int64_t>;
using RunId = Strong<struct RunIdTag, std::int64_t>;

}  // namespace schedlab
