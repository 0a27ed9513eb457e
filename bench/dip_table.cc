// Makes src/stats/dip_table.h's rows: the quantiles of sqrt(n) D over uniform samples, one row to a
// line, seed 1 and a stream per sample. Not part of the build; `cmake --build ... --target
// dip_table`.
#include "stats/dip_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/rng.h"
#include "stats/dip.h"

int main() {
  constexpr std::size_t kSamples = 100'000;
  for (const std::size_t n :
       {4U, 5U, 6U, 7U, 8U, 9U, 10U, 12U, 15U, 20U, 30U, 50U, 100U, 200U, 500U, 1000U, 2000U}) {
    std::vector<double> dips;
    std::vector<double> sample(n);
    for (std::size_t r = 0; r < (n > 100 ? kSamples / 5 : kSamples); ++r) {
      schedlab::Rng rng(1, r);
      std::generate(sample.begin(), sample.end(), [&] { return rng.uniform(); });
      dips.push_back(*schedlab::stats::dip(sample));
    }
    std::sort(dips.begin(), dips.end());
    fmt::print("    {{{}, {{", n);
    for (const double tail : schedlab::stats::kDipTails) {
      const auto rank = static_cast<std::size_t>((1 - tail) * static_cast<double>(dips.size()));
      fmt::print("{:.4f}, ", std::sqrt(static_cast<double>(n)) * dips[rank]);
    }
    fmt::print("}}}},\n");
    std::fflush(stdout);
  }
}
