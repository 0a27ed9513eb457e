// Topology: which CPUs there are and what they share, as the running kernel tells it in /sys.
//
// Ids of cores, LLCs, packages and nodes are dense (0..n-1) in the order of their lowest CPU; the
// kernel's own numbers repeat per package and have gaps. An LLC is the set of CPUs that share the
// highest-level cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cpu_list.h"
#include "core/result.h"
#include "os/procfs.h"

namespace schedlab::topology {

struct CpuPlace {
  CpuId cpu;
  std::int32_t core = 0;
  std::int32_t llc = 0;
  std::int32_t package = 0;
  std::int32_t node = 0;
};

class Topology {
 public:
  /// Reads online CPUs from `fs` (/sys/devices/system/{cpu,node}). A machine whose /sys lacks cache
  /// or node directories counts as one LLC per package and one node; notes() says so. Errors: no
  /// online list.
  static Result<Topology> read(const os::ProcFs& fs);

  /// From ready places (tests, foreign machines). Errors: empty, a CPU named twice.
  static Result<Topology> from_places(std::vector<CpuPlace> places);

  [[nodiscard]] const CpuList& online() const { return online_; }

  [[nodiscard]] const std::vector<CpuPlace>& places() const { return places_; }

  /// nullptr for a CPU that is not online.
  [[nodiscard]] const CpuPlace* find(CpuId cpu) const;

  /// False when either is not online.
  [[nodiscard]] bool same_llc(CpuId a, CpuId b) const;
  [[nodiscard]] bool same_core(CpuId a, CpuId b) const;

  [[nodiscard]] std::int32_t llc_count() const;
  [[nodiscard]] std::int32_t node_count() const;
  [[nodiscard]] CpuList cpus_of_llc(std::int32_t llc) const;
  [[nodiscard]] CpuList cpus_of_node(std::int32_t node) const;

  /// What had to be assumed for want of a file.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// "2 CPUs, 2 cores, 1 LLC, 1 package, 1 node".
  [[nodiscard]] std::string to_string() const;

 private:
  CpuList online_;
  std::vector<CpuPlace> places_;        // by CPU id
  std::vector<std::int32_t> index_of_;  // CPU id -> index in places_, -1 when absent
  std::vector<std::string> notes_;
};

}  // namespace schedlab::topology
