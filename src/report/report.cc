#include "report/report.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "report/styles.h"
#include "report/why.h"

namespace schedlab::report {

namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "native", "amd", "amd-cv", "mmtests", "mmtests-old", "lkp", "json", "csv"};
constexpr std::array<Style, 8> kStyles = {Style::Native,
                                          Style::Amd,
                                          Style::AmdCv,
                                          Style::Mmtests,
                                          Style::MmtestsOld,
                                          Style::Lkp,
                                          Style::Json,
                                          Style::Csv};

std::string table_text(const compare::Comparison& comparison, Style style) {
  switch (style) {
    case Style::Native:
      return render_native(comparison);
    case Style::Amd:
      return render_amd(comparison);
    case Style::AmdCv:
      return render_amd_cv(comparison);
    case Style::Mmtests:
      return render_mmtests(comparison, StarRule::BandsApart);
    case Style::MmtestsOld:
      return render_mmtests(comparison, StarRule::TTest);
    case Style::Lkp:
      return render_lkp(comparison);
    case Style::Json:
      return render_json(comparison, std::nullopt);
    case Style::Csv:
      return render_csv(comparison);
  }
  check_failed(__FILE__, __LINE__, "every style is rendered");
}

}  // namespace

Result<Style> parse_style(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return kStyles[i];
    known += (i == 0 ? "" : ", ") + std::string(kNames[i]);
  }
  const auto nearest = nearest_word(name, kNames);
  return usage_error(fmt::format("unknown style '{}'{} (known: {})",
                                 printable(name),
                                 nearest ? "; did you mean '" + *nearest + "'?" : "",
                                 known));
}

std::string render(const compare::Comparison& comparison,
                   Style style,
                   const std::optional<Why>& why) {
  if (!why || style == Style::Csv) return table_text(comparison, style);
  if (style == Style::Json) return render_json(comparison, why->filter);
  return table_text(comparison, style) + "\n" + why_text(comparison, why->filter);
}

}  // namespace schedlab::report
