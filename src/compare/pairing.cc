#include "compare/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

namespace schedlab::compare {

namespace {

struct ArmInBlock {
  std::set<std::int32_t> recorded;  // positions
  std::set<std::int32_t> filled;    // positions with a run that ended well
  Runs runs;                        // those
};

using ArmBlocks = std::map<std::int32_t, ArmInBlock>;

void sort_by_place(Runs& runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const RunRecord* a, const RunRecord* b) {
    return std::tie(a->block, a->position, a->id) < std::tie(b->block, b->position, b->id);
  });
}

ArmBlocks by_block(const Runs& runs) {
  ArmBlocks blocks;
  for (const RunRecord* run : runs) {
    ArmInBlock& block = blocks[run->block];
    block.recorded.insert(run->position);
    if (run->outcome != Outcome::Ok) continue;
    block.filled.insert(run->position);
    block.runs.push_back(run);
  }
  return blocks;
}

std::size_t planned_runs(const ArmBlocks& blocks) {
  std::size_t most = 0;
  for (const auto& [number, block] : blocks)
    most = std::max(most, block.recorded.size());
  return most;
}

// Empty when the arm is complete in this block.
std::string shortfall(const ArmBlocks& blocks,
                      std::int32_t number,
                      std::size_t planned,
                      std::string_view arm) {
  const auto found = blocks.find(number);
  const std::size_t filled = found == blocks.end() ? 0 : found->second.filled.size();
  if (filled == planned) return {};
  return fmt::format("block {}: {} has {} of {} runs", number, arm, filled, planned);
}

std::string arm_name(const Runs& runs, std::string_view otherwise) {
  return runs.empty() ? std::string(otherwise) : runs.front()->arm;
}

bool arms_share_a_boot(const PairedBlock& block) {
  return std::any_of(block.base.begin(), block.base.end(), [&](const RunRecord* base) {
    return std::any_of(
        block.contender.begin(), block.contender.end(), [&](const RunRecord* contender) {
          return base->boot_id == contender->boot_id;
        });
  });
}

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

  void join(std::size_t a, std::size_t b) { parent_[find(b)] = find(a); }

 private:
  std::vector<std::size_t> parent_;
};

void number_each_block(PairedCase& paired) {
  for (std::size_t i = 0; i < paired.blocks.size(); ++i)
    paired.blocks[i].replicate = i;
  paired.replicates = paired.blocks.size();
}

void number_replicates(PairedCase& paired) {
  Groups groups(paired.blocks.size());
  if (std::none_of(paired.blocks.begin(), paired.blocks.end(), arms_share_a_boot)) {
    std::map<std::string_view, std::size_t> block_of_boot;
    for (std::size_t i = 0; i < paired.blocks.size(); ++i) {
      for (const Runs* runs : {&paired.blocks[i].base, &paired.blocks[i].contender}) {
        for (const RunRecord* run : *runs) {
          groups.join(block_of_boot.try_emplace(run->boot_id, i).first->second, i);
        }
      }
    }
  }
  std::map<std::size_t, std::size_t> numbers;
  for (std::size_t i = 0; i < paired.blocks.size(); ++i) {
    paired.blocks[i].replicate = numbers.try_emplace(groups.find(i), numbers.size()).first->second;
  }
  paired.replicates = numbers.size();
  if (paired.replicates == 1) number_each_block(paired);
}

}  // namespace

Runs usable(std::span<const RunRecord* const> runs) {
  Runs ended_well;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(ended_well), [](const RunRecord* run) {
    return run->outcome == Outcome::Ok;
  });
  return ended_well;
}

PairedCase pair_case(std::string name, Runs base, Runs contender) {
  sort_by_place(base);
  sort_by_place(contender);
  ArmBlocks base_blocks = by_block(base);
  ArmBlocks contender_blocks = by_block(contender);
  const std::size_t base_planned = planned_runs(base_blocks);
  const std::size_t contender_planned = planned_runs(contender_blocks);

  std::set<std::int32_t> numbers;
  for (const auto& [number, block] : base_blocks)
    numbers.insert(number);
  for (const auto& [number, block] : contender_blocks)
    numbers.insert(number);

  PairedCase paired;
  for (const std::int32_t number : numbers) {
    std::string missing = shortfall(base_blocks, number, base_planned, arm_name(base, "base"));
    if (missing.empty()) {
      missing = shortfall(contender_blocks, number, contender_planned, arm_name(contender, "new"));
    }
    if (!missing.empty()) {
      paired.incomplete.push_back(std::move(missing));
      continue;
    }
    paired.blocks.push_back(
        {number, std::move(base_blocks[number].runs), std::move(contender_blocks[number].runs), 0});
  }
  paired.name = std::move(name);
  paired.base = std::move(base);
  paired.contender = std::move(contender);
  number_replicates(paired);
  return paired;
}

}  // namespace schedlab::compare
