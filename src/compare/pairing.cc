#include "compare/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

namespace schedlab::compare {

namespace {

// What an arm did in one block.
struct ArmInBlock {
  std::int32_t number = 0;
  std::size_t recorded = 0;  // positions
  std::size_t filled = 0;    // positions with a run that ended well
  Runs runs;                 // those
};

void sort_by_place(Runs& runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const RunRecord* a, const RunRecord* b) {
    return std::tie(a->block, a->position, a->id) < std::tie(b->block, b->position, b->id);
  });
}

// `runs` sorted by place.
std::vector<ArmInBlock> by_block(const Runs& runs) {
  std::vector<ArmInBlock> blocks;
  const RunRecord* before = nullptr;
  const RunRecord* filled_by = nullptr;
  for (const RunRecord* run : runs) {
    const auto at_the_place_of = [&](const RunRecord* other) {
      return other != nullptr && other->block == run->block && other->position == run->position;
    };
    if (before == nullptr || before->block != run->block) blocks.push_back({run->block, 0, 0, {}});
    ArmInBlock& block = blocks.back();
    if (!at_the_place_of(before)) ++block.recorded;
    before = run;
    if (run->outcome != Outcome::Ok) continue;
    if (!at_the_place_of(filled_by)) ++block.filled;
    filled_by = run;
    block.runs.push_back(run);
  }
  return blocks;
}

std::size_t planned_runs(const std::vector<ArmInBlock>& blocks) {
  std::size_t most = 0;
  for (const ArmInBlock& block : blocks)
    most = std::max(most, block.recorded);
  return most;
}

ArmInBlock* find_block(std::vector<ArmInBlock>& blocks, std::int32_t number) {
  const auto found = std::lower_bound(
      blocks.begin(), blocks.end(), number, [](const ArmInBlock& block, std::int32_t wanted) {
        return block.number < wanted;
      });
  return found != blocks.end() && found->number == number ? &*found : nullptr;
}

// Empty when the arm is complete in this block.
std::string shortfall(const ArmInBlock* block,
                      std::int32_t number,
                      std::size_t planned,
                      std::string_view arm) {
  const std::size_t filled = block == nullptr ? 0 : block->filled;
  if (filled == planned) return {};
  // People count blocks from 1.
  return fmt::format("block {}: {} has {} of {} runs", number + 1, arm, filled, planned);
}

std::vector<std::int32_t> numbers_of(const std::vector<ArmInBlock>& a,
                                     const std::vector<ArmInBlock>& b) {
  std::vector<std::int32_t> numbers;
  for (const auto* blocks : {&a, &b}) {
    for (const ArmInBlock& block : *blocks)
      numbers.push_back(block.number);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
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

  // The smaller index leads, so a group's leader is its first member.
  void join(std::size_t a, std::size_t b) {
    const auto [first, second] = std::minmax({find(a), find(b)});
    parent_[second] = first;
  }

 private:
  std::vector<std::size_t> parent_;
};

void number_each_block(PairedCase& paired) {
  for (std::size_t i = 0; i < paired.blocks.size(); ++i)
    paired.blocks[i].replicate = i;
  paired.replicates = paired.blocks.size();
}

Groups blocks_joined_by_boots(const std::vector<PairedBlock>& blocks) {
  Groups groups(blocks.size());
  std::map<std::string_view, std::size_t> block_of_boot;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (const Runs* runs : {&blocks[i].base, &blocks[i].contender}) {
      for (const RunRecord* run : *runs) {
        groups.join(block_of_boot.try_emplace(run->boot_id, i).first->second, i);
      }
    }
  }
  return groups;
}

void number_replicates(PairedCase& paired) {
  number_each_block(paired);
  if (std::any_of(paired.blocks.begin(), paired.blocks.end(), arms_share_a_boot)) return;
  Groups groups = blocks_joined_by_boots(paired.blocks);
  std::map<std::size_t, std::size_t> numbers;
  for (std::size_t i = 0; i < paired.blocks.size(); ++i)
    numbers.try_emplace(groups.find(i), i);
  if (numbers.size() < 2) return;
  std::size_t next = 0;
  for (auto& [group, number] : numbers)
    number = next++;
  for (std::size_t i = 0; i < paired.blocks.size(); ++i) {
    paired.blocks[i].replicate = numbers.at(groups.find(i));
  }
  paired.replicates = numbers.size();
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
  std::vector<ArmInBlock> base_blocks = by_block(base);
  std::vector<ArmInBlock> contender_blocks = by_block(contender);
  const std::size_t base_planned = planned_runs(base_blocks);
  const std::size_t contender_planned = planned_runs(contender_blocks);
  const std::string base_name = arm_name(base, "base");
  const std::string contender_name = arm_name(contender, "new");

  PairedCase paired;
  for (const std::int32_t number : numbers_of(base_blocks, contender_blocks)) {
    ArmInBlock* in_base = find_block(base_blocks, number);
    ArmInBlock* in_contender = find_block(contender_blocks, number);
    std::string missing = shortfall(in_base, number, base_planned, base_name);
    if (missing.empty()) {
      missing = shortfall(in_contender, number, contender_planned, contender_name);
    }
    if (!missing.empty()) {
      paired.incomplete.push_back(std::move(missing));
    } else if (in_base != nullptr && in_contender != nullptr) {
      paired.blocks.push_back({number, std::move(in_base->runs), std::move(in_contender->runs), 0});
    }
  }
  paired.name = std::move(name);
  paired.base = std::move(base);
  paired.contender = std::move(contender);
  number_replicates(paired);
  return paired;
}

}  // namespace schedlab::compare
