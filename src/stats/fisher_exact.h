// Fisher's exact test of two shares: is a of n the same as b of m?
//
// Two-sided p: the summed chance of every table with the same margins that is no likelier than the
// one seen (Fisher 1935; the convention of R). Counts in, nothing but chance assumed. Limits:
// conservative for small counts.
#pragma once

#include <cstdint>

namespace schedlab::stats {

/// 0 <= a <= n, 0 <= b <= m.
double fisher_exact(std::int64_t a, std::int64_t n, std::int64_t b, std::int64_t m);

}  // namespace schedlab::stats
