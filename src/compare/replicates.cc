#include "compare/replicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace schedlab::compare {

namespace {

// Numbers names 0, 1, ... as they first come.
class Numbering {
 public:
  std::size_t number(std::string_view name) {
    return numbers_.try_emplace(name, numbers_.size()).first->second;
  }

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  std::map<std::string_view, std::size_t> numbers_;
};

// Disjoint sets with path halving (Tarjan and van Leeuwen 1984).
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  std::size_t find(std::size_t i) {
    while (parent_[i] != i)
      i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  // The smaller index leads, so a group's leader is its first member.
  void join(std::size_t a, std::size_t b) {
    const auto [first, second] = std::minmax({find(a), find(b)});
    parent_[second] = first;
  }

 private:
  std::vector<std::size_t> parent_;
};

// A side's parts of a block.
struct SideOfBlock {
  Runs PairedBlock::*runs;
  std::size_t PairedBlock::*unit;
  std::size_t PairedBlock::*boot;
};

constexpr SideOfBlock kBaseSide = {
    &PairedBlock::base, &PairedBlock::base_unit, &PairedBlock::base_boot};
constexpr SideOfBlock kContenderSide = {
    &PairedBlock::contender, &PairedBlock::contender_unit, &PairedBlock::contender_boot};

const SideOfBlock& parts_of(Side side) {
  return side == Side::Base ? kBaseSide : kContenderSide;
}

// How many boots and builds an arm's blocks hold.
struct ArmLevels {
  std::size_t boots = 0;
  std::size_t builds = 0;
  std::size_t units = 0;  // builds where there are several, else boots
};

// Numbers the boots and units of one arm. A block's boot is that of its first run there.
ArmLevels number_units(std::vector<PairedBlock>& blocks, const SideOfBlock& side) {
  Numbering boots;
  Numbering builds;
  for (PairedBlock& block : blocks) {
    for (const RunRecord* run : block.*side.runs) {
      boots.number(run->boot_id);
      builds.number(run->build);
    }
    block.*side.boot = boots.number((block.*side.runs).front()->boot_id);
  }
  const bool by_build = builds.size() > 1;
  for (PairedBlock& block : blocks) {
    const RunRecord& first = *(block.*side.runs).front();
    block.*side.unit = by_build ? builds.number(first.build) : block.*side.boot;
  }
  return {boots.size(), builds.size(), by_build ? builds.size() : boots.size()};
}

// In boots that the other arm ran in as well, an arm's boots are no draws of its own.
void take_boots_as_one(std::vector<PairedBlock>& blocks, const SideOfBlock& side, ArmLevels& arm) {
  if (arm.builds > 1) return;
  for (PairedBlock& block : blocks)
    block.*side.unit = 0;
  arm.units = 1;
}

bool knows_its_boots(const PairedBlock& block) {
  const auto known = [](const RunRecord* run) { return !run->boot_id.empty(); };
  return std::all_of(block.base.begin(), block.base.end(), known) &&
         std::all_of(block.contender.begin(), block.contender.end(), known);
}

bool arms_share_a_boot(const PairedBlock& block) {
  return std::any_of(block.base.begin(), block.base.end(), [&](const RunRecord* base) {
    return std::any_of(
        block.contender.begin(), block.contender.end(), [&](const RunRecord* contender) {
          return base->boot_id == contender->boot_id;
        });
  });
}

// A run resumed after a reboot may leave a block with a boot of each arm's own, so most decide.
bool arms_run_in_the_same_boots(const std::vector<PairedBlock>& blocks) {
  const auto together = std::count_if(blocks.begin(), blocks.end(), [](const PairedBlock& block) {
    return !knows_its_boots(block) || arms_share_a_boot(block);
  });
  return 2 * static_cast<std::size_t>(together) >= blocks.size();
}

void count_each_block(PairedCase& paired) {
  for (std::size_t i = 0; i < paired.blocks.size(); ++i)
    paired.blocks[i].replicate = i;
}

// How many groups: blocks that share a unit of a joining arm are of one.
std::size_t count_groups(PairedCase& paired, bool join_base, bool join_contender) {
  Groups groups(paired.blocks.size());
  std::map<std::pair<bool, std::size_t>, std::size_t> block_of_unit;
  for (std::size_t i = 0; i < paired.blocks.size(); ++i) {
    const PairedBlock& block = paired.blocks[i];
    const auto join = [&](bool is_base, std::size_t unit) {
      groups.join(block_of_unit.try_emplace({is_base, unit}, i).first->second, i);
    };
    if (join_base) join(true, block.base_unit);
    if (join_contender) join(false, block.contender_unit);
  }
  std::map<std::size_t, std::size_t> numbers;
  for (std::size_t i = 0; i < paired.blocks.size(); ++i) {
    paired.blocks[i].replicate = numbers.try_emplace(groups.find(i), numbers.size()).first->second;
  }
  return numbers.size();
}

std::string arm_of(const Runs& runs) {
  return runs.front()->arm;
}

// Which arm has one boot (build) only, while the other has several.
std::string single_unit(const PairedCase& paired,
                        bool by_build,
                        const ArmLevels& base,
                        const ArmLevels& contender) {
  const auto is_single = [&](const ArmLevels& arm) {
    return by_build ? arm.builds == 1 : arm.units == 1;
  };
  const std::string_view noun = by_build ? "build" : "boot";
  if (is_single(base)) return fmt::format("one {} of {}", noun, arm_of(paired.base));
  if (is_single(contender)) return fmt::format("one {} of {}", noun, arm_of(paired.contender));
  return {};
}

// At least one arm has several units.
void pair_units(PairedCase& paired, const ArmLevels& base, const ArmLevels& contender) {
  Replication& replication = paired.replication;
  const bool by_build = base.builds > 1 || contender.builds > 1;
  replication.unit = by_build ? ReplicateUnit::Build : ReplicateUnit::Boot;
  replication.conditional = single_unit(paired, by_build, base, contender);
  const std::size_t groups = count_groups(paired, base.units > 1, contender.units > 1);
  const bool both_drawn = base.units > 1 && contender.units > 1;
  replication.paired = !both_drawn || (groups == base.units && groups == contender.units);
}

// The mean over boots of the mean over their blocks, for each group.
std::vector<double> nested_means(std::span<const PairedBlock* const> blocks,
                                 std::span<const double> values,
                                 std::size_t PairedBlock::*group,
                                 std::size_t PairedBlock::*boot) {
  struct Sum {
    double total = 0;
    double count = 0;

    void add(double value) {
      total += value;
      ++count;
    }
  };

  std::map<std::pair<std::size_t, std::size_t>, Sum> of_boot;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    of_boot[{blocks[i]->*group, blocks[i]->*boot}].add(values[i]);
  std::map<std::size_t, Sum> of_group;
  for (const auto& [place, sum] : of_boot)
    of_group[place.first].add(sum.total / sum.count);
  std::vector<double> means;
  means.reserve(of_group.size());
  for (const auto& [number, sum] : of_group)
    means.push_back(sum.total / sum.count);
  return means;
}

}  // namespace

void find_replicates(PairedCase& paired) {
  Replication& replication = paired.replication;
  replication = {};
  count_each_block(paired);
  if (paired.blocks.empty()) return;
  ArmLevels base = number_units(paired.blocks, kBaseSide);
  ArmLevels contender = number_units(paired.blocks, kContenderSide);
  replication.base_boots = base.boots;
  replication.contender_boots = contender.boots;
  replication.base_builds = base.builds;
  replication.contender_builds = contender.builds;
  const bool together = arms_run_in_the_same_boots(paired.blocks);
  if (together) {
    take_boots_as_one(paired.blocks, kBaseSide, base);
    take_boots_as_one(paired.blocks, kContenderSide, contender);
  }
  if (base.units > 1 || contender.units > 1) {
    pair_units(paired, base, contender);
  } else if (!together) {
    replication.conditional = "one boot of each arm";
  } else if (base.boots == 1 && contender.boots == 1) {
    replication.conditional = "one boot";
  }
}

std::vector<double> paired_levels(const Replication& replication,
                                  std::span<const PairedBlock* const> blocks,
                                  std::span<const double> values,
                                  Side side) {
  if (replication.unit == ReplicateUnit::Block) return {values.begin(), values.end()};
  return nested_means(blocks, values, &PairedBlock::replicate, parts_of(side).boot);
}

std::vector<double> unit_levels(std::span<const PairedBlock* const> blocks,
                                std::span<const double> values,
                                Side side) {
  return nested_means(blocks, values, parts_of(side).unit, parts_of(side).boot);
}

}  // namespace schedlab::compare
