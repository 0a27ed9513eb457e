// Plan: which cases are run under which arms, how often and in which order. A pure function of its
// fields, so the same seed gives the same sequence of runs everywhere.
//
// A block visits every arm twice for every case, there and back: a random order of the arms, then
// its mirror, which with two arms is ABBA or BAAB by a coin toss. So any linear drift cancels
// within the block, and one block's order says nothing of the next (docs/decisions/0002). The runs
// of one case follow each other directly; cases come in an order shuffled per block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/arm_spec.h"
#include "core/duration.h"
#include "workload/workload.h"

namespace schedlab::lab {

struct Case {
  const workload::Workload* workload = nullptr;
  std::vector<std::string> arguments;  // as asked, without the arm's own
  std::string name;                    // "hackbench -p -g 1"
};

struct PlannedArm {
  std::string name;  // "base", "new", "control"
  control::ArmSpec spec;
};

struct Plan {
  std::vector<Case> cases;
  std::vector<PlannedArm> arms;
  std::int32_t blocks = 0;
  std::uint64_t seed = 0;
  Nanos time_limit{0};  // per run; 0 = four times the forecast plus a minute
};

struct Step {
  std::int32_t block = 0;
  std::int32_t position = 0;  // within the block
  std::size_t case_index = 0;
  std::size_t arm_index = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

/// All steps of one block (from 0), in order: cases x arms x 2.
std::vector<Step> block_steps(const Plan& plan, std::int32_t block);

/// The arguments of a case under an arm: the case's, then the arm's extra ones.
std::vector<std::string> arm_arguments(const Case& c, const PlannedArm& arm);

/// As arm_arguments, without the flags that an external program lacks when the arm has one. Errors:
/// see Workload::external_arguments.
Result<std::vector<std::string>> step_arguments(const Case& c, const PlannedArm& arm);

/// Checks every case under every arm without running anything. Errors (Usage): no case, no arm,
/// blocks out of 1..100000, a case given twice, what the workload or an arm's knobs refuse.
Status check(const Plan& plan);

/// Expected time of the whole plan, 0 when a case can't tell.
Nanos forecast(const Plan& plan);

}  // namespace schedlab::lab
