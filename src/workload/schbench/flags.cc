#include "workload/schbench/flags.h"

#include <fmt/format.h>

#include "core/text.h"

namespace schedlab::workload::schbench {

namespace {

class Walker {
 public:
  Walker(std::span<const std::string> arguments, std::span<const FlagSpec> specs)
      : arguments_(arguments), specs_(specs) {}

  FlagList walk() {
    while (at_ < arguments_.size() && list_.errors.empty()) {
      const std::string& argument = arguments_[at_];
      if (argument == "--") {
        list_.operands.insert(list_.operands.end(),
                              arguments_.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                              arguments_.end());
        break;
      }
      if (argument.starts_with("--")) {
        take_long(std::string_view(argument).substr(2));
      } else if (argument.size() > 1 && argument[0] == '-') {
        take_cluster(std::string_view(argument).substr(1));
      } else {
        list_.operands.push_back(argument);
      }
      ++at_;
    }
    return std::move(list_);
  }

 private:
  void fail(FlagError::Kind kind, std::string message, std::string spelling) {
    list_.errors.push_back({kind, std::move(message), std::move(spelling)});
  }

  [[nodiscard]] std::vector<const FlagSpec*> candidates(std::string_view name) const {
    std::vector<const FlagSpec*> found;
    for (const FlagSpec& spec : specs_) {
      if (spec.long_name == name) return {&spec};
      if (!spec.ours && spec.long_name.starts_with(name)) found.push_back(&spec);
    }
    return found;
  }

  void take_long(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const std::string spelling = "--" + std::string(name);
    const auto found = candidates(name);
    if (found.empty()) {
      return fail(
          FlagError::Kind::Unknown, fmt::format("unrecognized option '--{}'", text), spelling);
    }
    if (found.size() > 1) {
      std::string message = fmt::format("option '--{}' is ambiguous; possibilities:", text);
      for (const FlagSpec* spec : found)
        message += fmt::format(" '--{}'", spec->long_name);
      return fail(FlagError::Kind::Ambiguous, message, spelling);
    }
    const FlagSpec& spec = *found.front();
    Flag flag{&spec, "", "--" + std::string(spec.long_name), at_, 1};
    if (equals != std::string_view::npos) {
      if (!spec.takes_value) {
        return fail(FlagError::Kind::UnwantedValue,
                    fmt::format("option '--{}' doesn't allow an argument", spec.long_name),
                    spelling);
      }
      flag.value = text.substr(equals + 1);
    } else if (spec.takes_value && !take_next(flag)) {
      return fail(FlagError::Kind::MissingValue,
                  fmt::format("option '--{}' requires an argument", spec.long_name),
                  spelling);
    }
    list_.flags.push_back(std::move(flag));
  }

  void take_cluster(std::string_view letters) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const std::string spelling = std::string("-") + letters[i];
      const FlagSpec* spec = by_letter(letters[i]);
      if (spec == nullptr) {
        return fail(
            FlagError::Kind::Unknown, fmt::format("invalid option -- '{}'", letters[i]), spelling);
      }
      Flag flag{spec, "", spelling, at_, 1};
      if (!spec->takes_value) {
        list_.flags.push_back(std::move(flag));
        continue;
      }
      if (i + 1 < letters.size()) {
        flag.value = letters.substr(i + 1);
      } else if (!take_next(flag)) {
        return fail(FlagError::Kind::MissingValue,
                    fmt::format("option requires an argument -- '{}'", letters[i]),
                    spelling);
      }
      list_.flags.push_back(std::move(flag));
      return;
    }
  }

  [[nodiscard]] const FlagSpec* by_letter(char letter) const {
    for (const FlagSpec& spec : specs_) {
      if (spec.letter == letter && letter != 0) return &spec;
    }
    return nullptr;
  }

  bool take_next(Flag& flag) {
    if (at_ + 1 >= arguments_.size()) return false;
    flag.value = arguments_[++at_];
    flag.count = 2;
    return true;
  }

  std::span<const std::string> arguments_;
  std::span<const FlagSpec> specs_;
  std::size_t at_ = 0;
  FlagList list_;
};

}  // namespace

FlagList split_flags(std::span<const std::string> arguments, std::span<const FlagSpec> specs) {
  return Walker(arguments, specs).walk();
}

std::string with_nearest_flag(std::string_view spelling, std::span<const FlagSpec> specs) {
  std::vector<std::string_view> names;
  for (const FlagSpec& spec : specs)
    names.push_back(spec.long_name);
  std::string_view bare = spelling;
  while (bare.starts_with('-'))
    bare.remove_prefix(1);
  std::string message = fmt::format("unknown flag {}", printable(spelling));
  if (spelling.starts_with("--")) {
    if (const auto nearest = nearest_word(bare, names)) {
      return message + fmt::format("; did you mean --{}?", *nearest);
    }
  }
  return message + "; see --help for the flags there are";
}

}  // namespace schedlab::workload::schbench
