// One function per style; render() picks.
#pragma once

#include <optional>
#include <string>

#include "compare/comparison.h"

namespace schedlab::report {

std::string render_native(const compare::Comparison& comparison);
std::string render_amd(const compare::Comparison& comparison);
std::string render_amd_cv(const compare::Comparison& comparison);

/// mmtests' star changed its meaning on 2024-11-28 (mmtests 8cd087ae).
enum class StarRule { BandsApart, TTest };

std::string render_mmtests(const compare::Comparison& comparison, StarRule rule);
std::string render_lkp(const compare::Comparison& comparison);
/// `why`: explains the rows whose case or metric contains it.
std::string render_json(const compare::Comparison& comparison,
                        const std::optional<std::string>& why);
std::string render_csv(const compare::Comparison& comparison);

}  // namespace schedlab::report
