#include "os/supervisor_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/enum_names.h"
#include "core/text.h"
#include "os/supervisor.h"

namespace schedlab::os {

namespace {

using Kind = SuperviseEvent::Kind;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

constexpr EnumNames<Kind, 5> kKinds{{{Kind::Started, "started"},
                                     {Kind::Exited, "exited"},
                                     {Kind::Signaled, "signaled"},
                                     {Kind::Error, "error"},
                                     {Kind::Note, "note"}}};

/// The value of "--key=value" when `argument` has that key.
std::optional<std::string_view> value_of_option(std::string_view argument, std::string_view key) {
  if (!argument.starts_with("--")) return std::nullopt;
  argument.remove_prefix(2);
  if (!argument.starts_with(key)) return std::nullopt;
  argument.remove_prefix(key.size());
  if (!argument.starts_with("=")) return std::nullopt;
  return argument.substr(1);
}

Status read_attribute(std::string_view argument, RunAttributes& attributes) {
  if (const auto cpus = value_of_option(argument, "cpus")) {
    SCHEDLAB_ASSIGN_OR_RETURN(attributes.cpus, CpuList::parse(*cpus));
  } else if (const auto nice = value_of_option(argument, "nice")) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t value, parse_integer(*nice, -20, 19));
    attributes.nice = static_cast<std::int32_t>(value);
  } else if (const auto policy = value_of_option(argument, "policy")) {
    SCHEDLAB_ASSIGN_OR_RETURN(attributes.policy, parse_policy(*policy));
  } else if (const auto slice = value_of_option(argument, "slice-ns")) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t value, parse_integer(*slice, 1, kMost));
    attributes.slice = Nanos(value);
  } else {
    return usage_error(fmt::format("unknown argument '{}'", printable(argument)));
  }
  return {};
}

Status read_option(std::string_view argument, SuperviseRequest& request) {
  if (const auto runner = value_of_option(argument, "runner")) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t pid,
                              parse_integer(*runner, 1, std::numeric_limits<pid_t>::max()));
    request.runner = static_cast<pid_t>(pid);
    return {};
  }
  if (const auto cgroup = value_of_option(argument, "cgroup")) {
    request.cgroup = *cgroup;
    return {};
  }
  if (const auto program = value_of_option(argument, "program")) {
    request.program = *program;
    return {};
  }
  return read_attribute(argument, request.attributes);
}

bool has_times(Kind kind) {
  return kind != Kind::Error && kind != Kind::Note;
}

}  // namespace

std::vector<std::string> to_argv(const SuperviseRequest& request) {
  std::vector<std::string> argv{"schedlab", std::string(kSuperviseArgument)};
  argv.push_back(fmt::format("--runner={}", request.runner));
  if (!request.cgroup.empty()) argv.push_back("--cgroup=" + request.cgroup);
  const RunAttributes& attributes = request.attributes;
  if (attributes.cpus) argv.push_back("--cpus=" + attributes.cpus->to_string());
  if (attributes.nice) argv.push_back(fmt::format("--nice={}", *attributes.nice));
  if (attributes.policy) argv.push_back("--policy=" + to_string(*attributes.policy));
  if (attributes.slice) argv.push_back(fmt::format("--slice-ns={}", attributes.slice->count()));
  argv.push_back("--program=" + request.program);
  argv.emplace_back("--");
  argv.insert(argv.end(), request.arguments.begin(), request.arguments.end());
  return argv;
}

Result<SuperviseRequest> parse_argv(const std::vector<std::string>& argv) {
  SuperviseRequest request;
  std::size_t at = 2;
  for (; at < argv.size() && argv[at] != "--"; ++at) {
    SCHEDLAB_RETURN_IF_ERROR(read_option(argv[at], request));
  }
  if (at + 1 >= argv.size() || request.runner == 0 || request.program.empty()) {
    return usage_error(
        fmt::format("{} is how schedlab starts its own runs; it is not for the command line",
                    kSuperviseArgument));
  }
  request.arguments.assign(argv.begin() + static_cast<std::ptrdiff_t>(at) + 1, argv.end());
  return request;
}

std::string to_line(const SuperviseEvent& event) {
  const std::string_view name = name_of(kKinds, event.kind);
  if (has_times(event.kind)) {
    return fmt::format(
        "{} {} {} {}\n", name, event.number, event.monotonic.count(), event.wall.count());
  }
  std::string text = event.text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fmt::format("{} {}\n", name, text);
}

Result<SuperviseEvent> parse_event(std::string_view line) {
  const std::size_t blank = line.find(' ');
  const std::string_view rest = blank == std::string_view::npos ? "" : line.substr(blank + 1);
  SuperviseEvent event;
  SCHEDLAB_ASSIGN_OR_RETURN(event.kind,
                            value_of(kKinds, line.substr(0, blank), "supervisor event"));
  if (!has_times(event.kind)) {
    event.text = rest;
    return event;
  }
  const auto fields = split(rest, ' ');
  if (fields.size() != 3) return failed("supervisor event without its three numbers");
  SCHEDLAB_ASSIGN_OR_RETURN(event.number, parse_integer(fields[0], 0, kMost));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t monotonic, parse_integer(fields[1], 0, kMost));
  SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t wall, parse_integer(fields[2], 0, kMost));
  event.monotonic = Nanos(monotonic);
  event.wall = Nanos(wall);
  return event;
}

}  // namespace schedlab::os
