#include "workload/hackbench/options.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "core/duration.h"
#include "core/text.h"

namespace schedlab::workload::hackbench {

namespace {

struct OptionName {
  std::string_view name;
  char letter;  // short form; '\0' = none
  bool takes_value;
  bool ours;  // not in the original, so not in drop-in style
};

constexpr std::array<OptionName, 13> kOptions = {{
    {"fds", 'f', true, false},
    {"fifo", 'F', false, false},
    {"groups", 'g', true, false},
    {"help", 'h', false, false},
    {"loops", 'l', true, false},
    {"pipe", 'p', false, false},
    {"inet", 'i', false, false},
    {"datasize", 's', true, false},
    {"threads", 'T', false, false},
    {"processes", 'P', false, false},
    {"latency", '\0', false, true},
    {"classic", '\0', false, true},
    {"json", '\0', true, true},
}};

bool known_in(ToolStyle style, const OptionName& option) {
  return style == ToolStyle::Native || !option.ours;
}

std::string did_you_mean(std::string_view name, ToolStyle style) {
  if (style == ToolStyle::DropIn) return {};
  std::vector<std::string_view> names;
  names.reserve(kOptions.size());
  for (const OptionName& option : kOptions)
    names.push_back(option.name);
  const auto nearest = nearest_word(name, names);
  return nearest ? fmt::format("; did you mean --{}?", *nearest) : "; see --help";
}

/// Exact name, or the only one that begins so.
Result<const OptionName*> find_long(std::string_view name,
                                    std::string_view given,
                                    ToolStyle style) {
  std::vector<const OptionName*> matches;
  for (const OptionName& option : kOptions) {
    if (!known_in(style, option) || !option.name.starts_with(name)) continue;
    if (option.name == name) return &option;
    matches.push_back(&option);
  }
  if (matches.size() == 1) return matches.front();
  const std::string shown = printable(given, 60);
  if (matches.empty()) {
    return usage_error(fmt::format("unrecognized option '{}'{}", shown, did_you_mean(name, style)));
  }
  std::string possible;
  for (const OptionName* option : matches)
    possible += fmt::format(" '--{}'", option->name);
  return usage_error(fmt::format("option '{}' is ambiguous; possibilities:{}", shown, possible));
}

const OptionName* find_short(char letter, ToolStyle style) {
  for (const OptionName& option : kOptions) {
    if (option.letter == letter && letter != '\0' && known_in(style, option)) return &option;
  }
  return nullptr;
}

Result<std::int64_t> parse_count(std::string_view text,
                                 const OptionName& option,
                                 std::int64_t highest) {
  const auto value = parse_integer(text, 1, highest);
  if (value) return *value;
  return usage_error(fmt::format("--{}|-{} requires an integer > 0 and <= {}, not '{}'",
                                 option.name,
                                 option.letter,
                                 highest,
                                 printable(text, 40)));
}

/// Bytes; native style also takes a size with its unit, "4KiB".
Result<std::int64_t> parse_datasize(std::string_view text,
                                    const OptionName& option,
                                    ToolStyle style) {
  const bool has_unit = !text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0;
  if (style == ToolStyle::Native && has_unit) {
    const auto size = parse_size(text);
    if (size && *size > 0 && *size <= std::uint64_t{kMaxDatasize}) {
      return static_cast<std::int64_t>(*size);
    }
  }
  return parse_count(text, option, kMaxDatasize);
}

/// Walks the arguments as getopt_long does and fills an Options.
class Parser {
 public:
  Parser(Arguments arguments, ToolStyle style) : arguments_(arguments), style_(style) {}

  Result<Options> parse() {
    while (at_ < arguments_.size() && !options_.help) {
      if (arguments_[at_] == "--") {
        take_rest();
        break;
      }
      SCHEDLAB_RETURN_IF_ERROR(take_one());
    }
    return options_;
  }

 private:
  Status take_one() {
    const std::string_view argument = arguments_[at_++];
    if (argument.starts_with("--")) return take_long(argument);
    if (argument.size() > 1 && argument.front() == '-') return take_cluster(argument.substr(1));
    options_.positional.emplace_back(argument);
    return {};
  }

  /// What follows a "--".
  void take_rest() {
    for (++at_; at_ < arguments_.size(); ++at_)
      options_.positional.push_back(arguments_[at_]);
  }

  Status take_long(std::string_view argument) {
    const std::string_view body = argument.substr(2);
    const std::size_t equals = body.find('=');
    const bool has_value = equals != std::string_view::npos;
    SCHEDLAB_ASSIGN_OR_RETURN(const OptionName* const option,
                              find_long(body.substr(0, equals), argument, style_));
    if (!option->takes_value) {
      if (!has_value) return apply(*option, {});
      return usage_error(fmt::format("option '--{}' doesn't allow an argument", option->name));
    }
    if (has_value) return apply(*option, body.substr(equals + 1));
    if (at_ == arguments_.size()) {
      return usage_error(fmt::format("option '--{}' requires an argument", option->name));
    }
    return apply(*option, arguments_[at_++]);
  }

  Status take_cluster(std::string_view letters) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const OptionName* const option = find_short(letters[i], style_);
      if (option == nullptr) {
        return usage_error(fmt::format("invalid option -- '{}'", printable(letters.substr(i, 1))));
      }
      if (!option->takes_value) {
        SCHEDLAB_RETURN_IF_ERROR(apply(*option, {}));
        if (options_.help) return {};
        continue;
      }
      if (i + 1 < letters.size()) return apply(*option, letters.substr(i + 1));
      if (at_ == arguments_.size()) {
        return usage_error(fmt::format("option requires an argument -- '{}'", option->letter));
      }
      return apply(*option, arguments_[at_++]);
    }
    return {};
  }

  Status apply(const OptionName& option, std::string_view value) {
    if (option.takes_value && option.letter != '\0') return apply_number(option, value);
    if (option.name == "json") {
      if (value.empty())
        return usage_error("option '--json' requires a file name, or - for stdout");
      options_.json_path = value;
      return {};
    }
    if (option.name == "pipe" || option.name == "inet") return apply_ipc(option.letter);
    options_.fifo |= option.name == "fifo";
    options_.help |= option.name == "help";
    options_.latency |= option.name == "latency";
    options_.classic |= option.name == "classic";
    if (option.name == "threads") options_.tasks = TaskKind::Thread;
    if (option.name == "processes") options_.tasks = TaskKind::Process;
    return {};
  }

  Status apply_number(const OptionName& option, std::string_view value) {
    if (option.letter == 's') {
      SCHEDLAB_ASSIGN_OR_RETURN(options_.datasize, parse_datasize(value, option, style_));
      return {};
    }
    // A group has at least two tasks, and so has each of its channels.
    const std::int64_t highest = option.letter == 'l' ? kMaxLoops : kMaxTasks / 2;
    SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t count, parse_count(value, option, highest));
    if (option.letter == 'g') options_.groups = count;
    if (option.letter == 'f') options_.fds = count;
    if (option.letter == 'l') options_.loops = count;
    return {};
  }

  Status apply_ipc(char letter) {
    const Ipc asked = letter == 'p' ? Ipc::Pipe : Ipc::Inet;
    if (options_.ipc != Ipc::Socket && options_.ipc != asked) {
      return usage_error("--pipe|-p and --inet|-i cannot be used together");
    }
    options_.ipc = asked;
    return {};
  }

  Arguments arguments_;
  ToolStyle style_;
  std::size_t at_ = 0;
  Options options_;
};

/// "-g 5 -P -l 100" for what the hackbench of 2008 was told by `5 process 100`.
Error positional_error(const std::vector<std::string>& positional) {
  const std::array<std::string_view, 3> flags = {"-g ", "", "-l "};
  std::string instead;
  for (std::size_t i = 0; i < positional.size() && i < flags.size(); ++i) {
    std::string word = positional[i];
    if (i == 1) word = word.starts_with("thread") ? "-T" : "-P";
    instead += fmt::format("{}{}{}", instead.empty() ? "" : " ", flags[i], word);
  }
  return usage_error(
      fmt::format("'{}' is no option: the hackbench of 2008 took GROUPS [process|thread [LOOPS]], "
                  "this one does not; say {}",
                  printable(positional.front(), 40),
                  printable(instead, 80)));
}

Status check_together(const Options& options) {
  // Both factors are at most 2^21, so the product is exact.
  if (options.task_count() > kMaxTasks) {
    return usage_error(
        fmt::format("--groups {} x 2 x --fds {} are {} tasks; the kernel has at most {}",
                    options.groups,
                    options.fds,
                    options.task_count(),
                    kMaxTasks));
  }
  std::int64_t bytes = 0;
  const bool countable =
      !__builtin_mul_overflow(options.messages_per_task(), options.channel_count(), &bytes) &&
      !__builtin_mul_overflow(bytes, options.datasize, &bytes);
  if (!countable) {
    return usage_error(
        fmt::format("groups {} x fds {}^2 x loops {} x datasize {} is beyond 2^63 bytes; a run "
                    "would not end: lower --loops",
                    options.groups,
                    options.fds,
                    options.loops,
                    options.datasize));
  }
  return {};
}

Status check_latency(const Options& options) {
  if (!options.latency) return {};
  if (options.classic) {
    return usage_error(
        "--latency and --classic cannot be used together: --classic adds nothing to a message");
  }
  if (options.datasize < 8) {
    return usage_error(
        fmt::format("--latency needs 8 bytes of each message for its time stamp; --datasize is {}",
                    options.datasize));
  }
  constexpr std::int64_t kPipeBuf = 4096;
  if (options.ipc == Ipc::Pipe && options.datasize > kPipeBuf) {
    return usage_error(
        fmt::format("--latency over pipes needs --datasize <= {}: the kernel mixes larger writes "
                    "of several senders, and a stamp could not be found again",
                    kPipeBuf));
  }
  return {};
}

}  // namespace

Result<Options> parse_options(Arguments arguments, ToolStyle style) {
  SCHEDLAB_ASSIGN_OR_RETURN(Options options, Parser(arguments, style).parse());
  if (options.help) return options;
  if (style == ToolStyle::Native && !options.positional.empty()) {
    return positional_error(options.positional);
  }
  SCHEDLAB_RETURN_IF_ERROR(check_together(options));
  SCHEDLAB_RETURN_IF_ERROR(check_latency(options));
  return options;
}

Result<std::vector<std::string>> original_arguments(const Options& options) {
  if (options.latency) {
    return usage_error("--latency: the original hackbench cannot measure single messages");
  }
  if (!options.json_path.empty()) {
    return usage_error("--json: the original hackbench writes no JSON");
  }
  const Options defaults;
  std::vector<std::string> out;
  const auto add_count = [&out](const char* flag, std::int64_t value, std::int64_t usual) {
    if (value == usual) return;
    out.emplace_back(flag);
    out.push_back(std::to_string(value));
  };
  if (options.ipc == Ipc::Pipe) out.emplace_back("-p");
  if (options.ipc == Ipc::Inet) out.emplace_back("-i");
  if (options.tasks == TaskKind::Thread) out.emplace_back("-T");
  if (options.fifo) out.emplace_back("-F");
  add_count("-g", options.groups, defaults.groups);
  add_count("-f", options.fds, defaults.fds);
  add_count("-l", options.loops, defaults.loops);
  add_count("-s", options.datasize, defaults.datasize);
  return out;
}

std::string help_text(ToolStyle style) {
  constexpr std::string_view kCommon =
      "  -f, --fds=NUM        channels, receivers and senders per group, each (20)\n"
      "  -F, --fifo           the main thread runs as SCHED_FIFO; the tasks do not\n"
      "  -g, --groups=NUM     groups (10)\n"
      "  -h, --help           this text\n"
      "  -i, --inet           messages go over TCP on the loopback interface\n"
      "  -l, --loops=LOOPS    messages from each sender to each receiver of its group (100)\n"
      "  -p, --pipe           messages go through pipes; default are AF_UNIX socket pairs\n"
      "  -P, --processes      a process per task (default)\n"
      "  -s, --datasize=SIZE  bytes per message (100)\n"
      "  -T, --threads        a thread per task\n";
  if (style == ToolStyle::DropIn) {
    return fmt::format("hackbench of schedlab, as rt-tests 2.4\nUsage: hackbench [options]\n\n{}",
                       kCommon);
  }
  return fmt::format(
      "Example: schedlab hackbench -g 4 -l 1000 --pipe --threads\n\n"
      "Groups of senders and receivers pass messages as fast as they can; Time is how long all\n"
      "of them took, from the common wake-up until the last task is reaped.\n\n{}"
      "      --latency        time each message from send to receipt; moves Time a little\n"
      "      --classic        nothing of ours inside the timed part: what Time compares with\n"
      "      --json=FILE      the figures as JSON too; - is standard output\n",
      kCommon);
}

}  // namespace schedlab::workload::hackbench
