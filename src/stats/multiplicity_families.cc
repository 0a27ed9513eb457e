#include "stats/multiplicity_families.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/e_values.h"
#include "stats/false_discovery.h"

namespace schedlab::stats {

namespace {

Status check_p(std::span<const double> p_values) {
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (!(p_values[i] >= 0 && p_values[i] <= 1)) {
      return failed(fmt::format("p-value {} of {} is {}, not within 0 to 1; leave that row out",
                                i + 1,
                                p_values.size(),
                                p_values[i]));
    }
  }
  return {};
}

std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] < values[b];
  });
  return order;
}

std::vector<double> scaled(std::vector<double> p_values, double factor) {
  for (double& p : p_values)
    p = std::min(1.0, p * factor);
  return p_values;
}

}  // namespace

Result<std::vector<double>> holm(std::span<const double> p_values) {
  SCHEDLAB_RETURN_IF_ERROR(check_p(p_values));
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  std::size_t left = p_values.size();
  for (const std::size_t i : ascending(p_values)) {
    largest = std::max(largest, p_values[i] * static_cast<double>(left));
    adjusted[i] = std::min(1.0, largest);
    --left;
  }
  return adjusted;
}

Result<std::vector<double>> benjamini_yekutieli(std::span<const double> p_values) {
  SCHEDLAB_RETURN_IF_ERROR(check_p(p_values));
  double harmonic = 0;
  for (std::size_t i = p_values.size(); i > 0; --i)
    harmonic += 1 / static_cast<double>(i);
  return scaled(benjamini_hochberg(p_values), harmonic);
}

Result<double> simes(std::span<const double> p_values) {
  SCHEDLAB_RETURN_IF_ERROR(check_p(p_values));
  const std::vector<double> adjusted = benjamini_hochberg(p_values);
  return adjusted.empty() ? 1.0 : *std::min_element(adjusted.begin(), adjusted.end());
}

Result<std::vector<FamilyFindings>> two_stage(std::span<const std::vector<double>> families,
                                              double q) {
  if (!(q > 0 && q < 1)) return usage_error(fmt::format("q is {}, not within 0 to 1", q));
  std::vector<double> family_p;
  for (const auto& family : families) {
    SCHEDLAB_ASSIGN_OR_RETURN(const double p, simes(family));
    family_p.push_back(p);
  }
  const std::vector<double> over_families = benjamini_hochberg(family_p);
  std::vector<FamilyFindings> findings(families.size());
  double selected = 0;
  for (std::size_t f = 0; f < families.size(); ++f) {
    findings[f].simes_p = family_p[f];
    findings[f].selected = !families[f].empty() && over_families[f] <= q;
    selected += findings[f].selected ? 1 : 0;
  }
  for (std::size_t f = 0; f < families.size(); ++f) {
    findings[f].adjusted = findings[f].selected
                               ? scaled(benjamini_hochberg(families[f]),
                                        static_cast<double>(families.size()) / selected)
                               : std::vector<double>(families[f].size(), 1.0);
  }
  return findings;
}

Result<std::vector<double>> e_benjamini_hochberg(std::span<const double> log_e_values) {
  std::vector<double> p_values;
  for (std::size_t i = 0; i < log_e_values.size(); ++i) {
    if (std::isnan(log_e_values[i])) {
      return failed(fmt::format(
          "e-value {} of {} is not a number; leave that row out", i + 1, log_e_values.size()));
    }
    p_values.push_back(anytime_p(log_e_values[i]));
  }
  return benjamini_hochberg(p_values);
}

}  // namespace schedlab::stats
