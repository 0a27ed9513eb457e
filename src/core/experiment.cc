#include "core/experiment.h"

#include <fmt/format.h>

#include "core/enum_names.h"

namespace schedlab {

namespace {

constexpr EnumNames<StopWhen, 4> kStopWhen = {{
    {StopWhen::Blocks, "blocks"},
    {StopWhen::Precision, "precision"},
    {StopWhen::Clear, "clear"},
    {StopWhen::Looks, "looks"},
}};

constexpr EnumNames<Spending, 3> kSpending = {{
    {Spending::LanDeMets, "lan-demets"},
    {Spending::OBrienFleming, "obf"},
    {Spending::Pocock, "pocock"},
}};

}  // namespace

std::string_view to_string(StopWhen when) {
  return name_of(kStopWhen, when);
}

std::string_view to_string(Spending spending) {
  return name_of(kSpending, spending);
}

Result<StopWhen> parse_stop_when(std::string_view text) {
  return value_of(kStopWhen, text, "stopping rule");
}

Result<Spending> parse_spending(std::string_view text) {
  return value_of(kSpending, text, "spending");
}

std::string plan_text(const StoppingRule& rule, std::int32_t blocks_planned) {
  std::string text;
  switch (rule.when) {
    case StopWhen::Blocks:
      text = fmt::format("{} blocks planned", blocks_planned);
      break;
    case StopWhen::Looks:
      text = fmt::format("{} blocks planned with {} looks", blocks_planned, rule.looks);
      break;
    case StopWhen::Clear:
      text = fmt::format("until clear, at most {} blocks", blocks_planned);
      break;
    case StopWhen::Precision:
      text = fmt::format("until every interval is +-{:g}%, at most {} blocks",
                         100 * rule.half_width,
                         blocks_planned);
      break;
  }
  if (rule.max_time.count() > 0) text += " or " + format_duration(rule.max_time);
  return text;
}

}  // namespace schedlab
