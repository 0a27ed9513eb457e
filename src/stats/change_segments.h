// What every change point carries, whichever method found it: the levels beside it and its
// interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "stats/change_points.h"

namespace schedlab::stats {

/// Of the places 0 .. n: 1 where a segment may begin or end.
using Places = std::vector<std::uint8_t>;

/// All of them for no boundaries; else the boundaries, 0 and n. Errors, naming `what`: boundaries
/// that do not ascend strictly within 1 .. n-1.
Result<Places> places_for(std::size_t n,
                          std::span<const std::size_t> boundaries,
                          std::string_view what);

/// Sorts `points` by index and fills in means and intervals, each from the two segments that meet
/// there. The indices are distinct and places within (0, series.size()).
void describe_segments(std::span<const double> series,
                       const Places& places,
                       double confidence,
                       std::vector<ChangePoint>& points);

}  // namespace schedlab::stats
