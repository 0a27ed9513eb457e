#include "control/arm_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/text.h"
#include "os/program_path.h"

namespace schedlab::control {

namespace {

constexpr std::array<std::string_view, 7> kKnobs = {
    "same", "cpus=", "nice=", "policy=", "slice=", "cmd:", "args:"};

/// Knobs of the design that this version does not have yet; refused by name rather than as typos.
constexpr std::array<std::string_view, 7> kLaterKnobs = {
    "feature:", "sysctl:", "governor=", "idle-latency=", "cgroup:", "smt=", "boost="};

struct Piece {
  std::string name;  // "cpus=", "same"
  std::string value;
};

/// "cpus=" of "cpus=0-3"; empty when the piece does not look like a knob.
std::string_view knob_of(std::string_view piece) {
  if (piece == "same") return piece;
  const std::size_t end = piece.find_first_of("=:");
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view word = piece.substr(0, end);
  const bool is_word =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-_") == std::string_view::npos &&
      word.front() != '-';
  return is_word ? piece.substr(0, end + 1) : std::string_view{};
}

bool is_known(std::string_view knob) {
  return std::find(kKnobs.begin(), kKnobs.end(), knob) != kKnobs.end();
}

Error unknown_knob(std::string_view knob) {
  if (std::find(kLaterKnobs.begin(), kLaterKnobs.end(), knob) != kLaterKnobs.end()) {
    return usage_error(fmt::format(
        "knob '{}' is not in this version of schedlab; set it by hand and compare two experiments",
        knob));
  }
  const auto nearest = nearest_word(knob, kKnobs);
  return usage_error(fmt::format("unknown knob '{}'{}; known: {}",
                                 printable(knob),
                                 nearest ? fmt::format(", did you mean '{}'?", *nearest) : "",
                                 fmt::join(kKnobs, " ")));
}

Result<std::vector<Piece>> cut(std::string_view text) {
  std::vector<Piece> pieces;
  for (const std::string_view part : split(text, ',')) {
    const std::string_view knob = knob_of(trim(part));
    const bool free_text =
        !pieces.empty() && (pieces.back().name == "args:" || pieces.back().name == "cmd:");
    if (!knob.empty() && (is_known(knob) || !free_text)) {
      if (!is_known(knob)) return unknown_knob(knob);
      pieces.push_back({std::string(knob), std::string(trim(part).substr(knob.size()))});
    } else if (pieces.empty() || pieces.back().name == "same") {
      return unknown_knob(trim(part));
    } else {
      pieces.back().value += ',' + std::string(part);
    }
  }
  return pieces;
}

Status set_knob(ArmSpec& spec, const Piece& piece) {
  if (piece.name == "cpus=") {
    SCHEDLAB_ASSIGN_OR_RETURN(spec.attributes.cpus, CpuList::parse(piece.value));
  } else if (piece.name == "nice=") {
    const auto nice = parse_integer(piece.value, -20, 19);
    if (!nice) return nice.error().within("nice=");
    spec.attributes.nice = static_cast<std::int32_t>(*nice);
  } else if (piece.name == "policy=") {
    SCHEDLAB_ASSIGN_OR_RETURN(spec.attributes.policy, os::parse_policy(piece.value));
  } else if (piece.name == "slice=") {
    const auto slice = parse_duration(piece.value);
    if (!slice) return slice.error().within("slice=");
    spec.attributes.slice = *slice;
  } else if (piece.name == "cmd:") {
    if (piece.value.empty()) return usage_error("cmd: needs a program, like cmd:./schbench");
    spec.program = piece.value;
  } else if (piece.name == "args:") {
    for (const std::string_view word : words(piece.value)) {
      spec.extra_arguments.emplace_back(word);
    }
    if (spec.extra_arguments.empty()) return usage_error("args: needs flags, like args:-n 0");
  } else if (!piece.value.empty()) {
    return usage_error("'same' takes no value");
  }
  return {};
}

}  // namespace

Result<ArmSpec> parse_arm_spec(std::string_view text) {
  if (trim(text).empty()) {
    return usage_error("an arm's SPEC is empty; write `same` for an arm without knobs");
  }
  ArmSpec spec;
  spec.text = trim(text);
  SCHEDLAB_ASSIGN_OR_RETURN(const std::vector<Piece> pieces, cut(spec.text));
  std::set<std::string> seen;
  for (const Piece& piece : pieces) {
    if (!seen.insert(piece.name).second) {
      return usage_error(
          fmt::format("knob '{}' is given twice in '{}'", piece.name, printable(text)));
    }
    SCHEDLAB_RETURN_IF_ERROR(set_knob(spec, piece));
  }
  if (seen.contains("same") && pieces.size() > 1) {
    return usage_error("'same' stands alone: it means no knob at all");
  }
  SCHEDLAB_RETURN_IF_ERROR(os::validate(spec.attributes));
  return spec;
}

Status probe_arm_spec(ArmSpec& spec, std::string_view path) {
  if (spec.program) {
    auto found = os::find_program(*spec.program, path);
    if (!found) return found.error().within("cmd:");
    spec.program = *std::move(found);
  }
  return os::probe(spec.attributes);
}

}  // namespace schedlab::control
