// Experiment: one comparison or plan as it was asked for: its arms, order, seed and the line that
// repeats it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/duration.h"
#include "core/run_record.h"
#include "core/strong.h"

namespace schedlab {

struct Arm {
  std::string name;  // "base", "new", "control" (the A/A' arm)
  std::string spec;  // the SPEC as given: "cpus=0-3,nice=5", "same"

  friend bool operator==(const Arm&, const Arm&) = default;
};

struct Machine {
  std::string hostname;
  std::string cpu_model;
  std::int32_t online_cpus = 0;
  std::string kernel;  // uname -r and -v

  friend bool operator==(const Machine&, const Machine&) = default;
};

struct Experiment {
  ExperimentId id;  // 0 until stored
  RunKind kind = RunKind::Measured;
  std::string tool_version;          // of schedlab
  std::vector<std::string> command;  // argv that repeats it, seed included
  std::uint64_t seed = 0;
  std::string order;  // "ABBA/BAAB"
  std::int32_t blocks_planned = 0;
  std::vector<Arm> arms;  // base first
  std::vector<std::string> cases;
  Machine machine;
  Nanos start_wall{0};

  friend bool operator==(const Experiment&, const Experiment&) = default;
};

}  // namespace schedlab
