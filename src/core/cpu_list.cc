#include "core/cpu_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/text.h"

namespace schedlab {

CpuList::CpuList(std::vector<CpuId> cpus) : cpus_(std::move(cpus)) {
  std::sort(cpus_.begin(), cpus_.end());
  cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
}

Result<CpuList> CpuList::parse(std::string_view text) {
  const auto complain = [&](std::string_view why) {
    return usage_error(fmt::format(
        "cannot read '{}' as a CPU list: {}; write it like 0-3,8", printable(text), why));
  };
  const std::string_view all = trim(text);
  if (all.empty()) return complain("it is empty");
  // A set, not a list that grows: "0-8191,0-8191,..." repeated costs no memory.
  std::vector<bool> named(kMaxCpuId + 1, false);
  for (const std::string_view piece : split(all, ',')) {
    const auto ends = split(piece, '-');
    if (ends.size() > 2) return complain("a range has two ends");
    const auto first = parse_integer(trim(ends.front()), 0, kMaxCpuId);
    const auto last = parse_integer(trim(ends.back()), 0, kMaxCpuId);
    if (!first || !last)
      return complain(fmt::format("ids are whole numbers from 0 to {}", kMaxCpuId));
    if (*first > *last) return complain("a range goes upwards");
    std::fill(named.begin() + *first, named.begin() + *last + 1, true);
  }
  std::vector<CpuId> cpus;
  for (std::int32_t id = 0; id <= kMaxCpuId; ++id) {
    if (named[static_cast<std::size_t>(id)]) cpus.push_back(CpuId{id});
  }
  return CpuList(std::move(cpus));
}

std::string CpuList::to_string() const {
  std::string out;
  for (std::size_t i = 0; i < cpus_.size();) {
    std::size_t last = i;
    while (last + 1 < cpus_.size() && cpus_[last + 1].value == cpus_[last].value + 1)
      ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(cpus_[i].value);
    if (last > i) out += '-' + std::to_string(cpus_[last].value);
    i = last + 1;
  }
  return out;
}

bool CpuList::contains(CpuId cpu) const {
  return std::binary_search(cpus_.begin(), cpus_.end(), cpu);
}

bool CpuList::contains_all(const CpuList& other) const {
  return std::includes(cpus_.begin(), cpus_.end(), other.cpus_.begin(), other.cpus_.end());
}

CpuList CpuList::intersect(const CpuList& other) const {
  CpuList out;
  std::set_intersection(cpus_.begin(),
                        cpus_.end(),
                        other.cpus_.begin(),
                        other.cpus_.end(),
                        std::back_inserter(out.cpus_));
  return out;
}

CpuList CpuList::without(const CpuList& other) const {
  CpuList out;
  std::set_difference(cpus_.begin(),
                      cpus_.end(),
                      other.cpus_.begin(),
                      other.cpus_.end(),
                      std::back_inserter(out.cpus_));
  return out;
}

}  // namespace schedlab
