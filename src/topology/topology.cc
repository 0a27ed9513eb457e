#include "topology/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace schedlab::topology {

namespace {

/// Renumbers one field 0..n-1 in the order of first appearance, which is that of the lowest CPU.
void make_dense(std::vector<CpuPlace>& places, std::int32_t CpuPlace::*field) {
  std::map<std::int32_t, std::int32_t> renumbered;
  for (CpuPlace& place : places) {
    const auto next = static_cast<std::int32_t>(renumbered.size());
    place.*field = renumbered.try_emplace(place.*field, next).first->second;
  }
}

std::int32_t count_of(const std::vector<CpuPlace>& places, std::int32_t CpuPlace::*field) {
  std::int32_t highest = -1;
  for (const CpuPlace& place : places)
    highest = std::max(highest, place.*field);
  return highest + 1;
}

CpuList cpus_where(const std::vector<CpuPlace>& places,
                   std::int32_t CpuPlace::*field,
                   std::int32_t value) {
  std::vector<CpuId> cpus;
  for (const CpuPlace& place : places) {
    if (place.*field == value) cpus.push_back(place.cpu);
  }
  return CpuList(std::move(cpus));
}

}  // namespace

Result<Topology> Topology::from_places(std::vector<CpuPlace> places) {
  if (places.empty()) return failed("cannot make a topology without a CPU; place at least one");
  std::ranges::sort(places, {}, &CpuPlace::cpu);
  if (places.front().cpu.value < 0 || places.back().cpu.value > kMaxCpuId) {
    return failed(fmt::format(
        "cannot make a topology with CPU ids outside 0 to {} (found {} to {}); renumber them",
        kMaxCpuId,
        places.front().cpu.value,
        places.back().cpu.value));
  }
  const auto twice = std::ranges::adjacent_find(places, {}, &CpuPlace::cpu);
  if (twice != places.end()) {
    return failed(fmt::format("cannot make a topology that places CPU {} twice; name it once",
                              twice->cpu.value));
  }
  for (const auto field : {&CpuPlace::core, &CpuPlace::llc, &CpuPlace::package, &CpuPlace::node}) {
    make_dense(places, field);
  }

  Topology topology;
  topology.index_of_.assign(static_cast<std::size_t>(places.back().cpu.value) + 1, -1);
  std::vector<CpuId> online;
  for (const CpuPlace& place : places) {
    topology.index_of_[static_cast<std::size_t>(place.cpu.value)] =
        static_cast<std::int32_t>(online.size());
    online.push_back(place.cpu);
  }
  topology.online_ = CpuList(std::move(online));
  topology.places_ = std::move(places);
  return topology;
}

const CpuPlace* Topology::find(CpuId cpu) const {
  if (cpu.value < 0 || static_cast<std::size_t>(cpu.value) >= index_of_.size()) return nullptr;
  const std::int32_t index = index_of_[static_cast<std::size_t>(cpu.value)];
  return index < 0 ? nullptr : &places_[static_cast<std::size_t>(index)];
}

bool Topology::same_llc(CpuId a, CpuId b) const {
  const CpuPlace* first = find(a);
  const CpuPlace* second = find(b);
  return first != nullptr && second != nullptr && first->llc == second->llc;
}

bool Topology::same_core(CpuId a, CpuId b) const {
  const CpuPlace* first = find(a);
  const CpuPlace* second = find(b);
  return first != nullptr && second != nullptr && first->core == second->core;
}

std::int32_t Topology::llc_count() const {
  return count_of(places_, &CpuPlace::llc);
}

std::int32_t Topology::node_count() const {
  return count_of(places_, &CpuPlace::node);
}

CpuList Topology::cpus_of_llc(std::int32_t llc) const {
  return cpus_where(places_, &CpuPlace::llc, llc);
}

CpuList Topology::cpus_of_node(std::int32_t node) const {
  return cpus_where(places_, &CpuPlace::node, node);
}

std::string Topology::to_string() const {
  const auto counted = [](std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  };
  const auto kinds = [&](std::int32_t CpuPlace::*field, std::string_view noun) {
    return counted(static_cast<std::size_t>(count_of(places_, field)), noun);
  };
  return fmt::format("{}, {}, {}, {}, {}",
                     counted(places_.size(), "CPU"),
                     kinds(&CpuPlace::core, "core"),
                     kinds(&CpuPlace::llc, "LLC"),
                     kinds(&CpuPlace::package, "package"),
                     kinds(&CpuPlace::node, "node"));
}

}  // namespace schedlab::topology
