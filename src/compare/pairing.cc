#include "compare/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "compare/replicates.h"

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
      PairedBlock& block = paired.blocks.emplace_back();
      block.number = number;
      block.base = std::move(in_base->runs);
      block.contender = std::move(in_contender->runs);
    }
  }
  paired.name = std::move(name);
  paired.base = std::move(base);
  paired.contender = std::move(contender);
  find_replicates(paired);
  return paired;
}

}  // namespace schedlab::compare
