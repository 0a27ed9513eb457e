#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/text.h"

namespace schedlab::cli {

namespace {

/// "-A,--arm-a" -> every single spelling of every flag and subcommand.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      known.push_back("--" + name);
    for (const std::string& name : option->get_snames())
      known.push_back("-" + name);
  }
  for (const CLI::App* sub : app.get_subcommands(nullptr))
    known.push_back(sub->get_name());
  return known;
}

std::string nearest_hint(const CLI::App& app, Arguments arguments) {
  const std::vector<std::string> known = known_words(app);
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  for (const std::string& argument : arguments) {
    const std::string_view flag = std::string_view(argument).substr(0, argument.find('='));
    if (flag.substr(0, 1) != "-") continue;
    if (std::find(candidates.begin(), candidates.end(), flag) != candidates.end()) continue;
    if (const auto nearest = nearest_word(flag, candidates)) {
      return fmt::format("; did you mean {} instead of {}?", *nearest, printable(flag));
    }
  }
  return "; --help lists the flags";
}

}  // namespace

int complain(std::FILE* err, const Error& error) {
  fmt::print(err, "schedlab: {}\n", error.message);
  switch (error.kind) {
    case Error::Kind::Failed:
      return kExitFailed;
    case Error::Kind::Usage:
      return kExitUsage;
    case Error::Kind::Interrupted:
      return kExitInterrupted;
  }
  return kExitFailed;
}

Parsed parse(
    CLI::App& app, Arguments arguments, std::string_view example, std::FILE* out, std::FILE* err) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants it
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    const std::string text = fmt::format("Example: {}\n\n{}", example, app.help());
    const Status printed = print(out, text);
    return {.go_on = false, .exit_status = printed ? kExitDone : complain(err, printed.error())};
  } catch (const CLI::ParseError& error) {
    std::string message = error.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    const Error usage = usage_error(printable(message, 400) + nearest_hint(app, arguments));
    return {.go_on = false, .exit_status = complain(err, usage)};
  }
  return {.go_on = true};
}

Status print(std::FILE* out, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (!written || std::fflush(out) != 0) {
    return failed(
        fmt::format("cannot write the output: {}", std::system_category().message(errno)));
  }
  return {};
}

}  // namespace schedlab::cli
