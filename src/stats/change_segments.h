// What every change point carries, whichever method found it: the levels beside it and its
// interval.
#pragma once

#include <span>
#include <vector>

#include "stats/change_points.h"

namespace schedlab::stats {

/// Sorts `points` by index and fills in means and intervals, each from the two segments that meet
/// there. The indices are distinct and within (0, series.size()).
void describe_segments(std::span<const double> series,
                       double confidence,
                       std::vector<ChangePoint>& points);

}  // namespace schedlab::stats
