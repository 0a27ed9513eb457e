// main(): which tool we were called as, which subcommand, and the one place that catches what the
// standard library may throw.

#include <fmt/format.h>
#include <unistd.h>  // isatty: how progress is shown

#include <array>
#include <cstdlib>
#include <exception>
#include <new>

#include "cli/cmd_db.h"
#include "cli/commands.h"
#include "cli/version.h"
#include "core/text.h"
#include "lab/runner.h"
#include "os/supervisor.h"
#include "workload/workload.h"

namespace schedlab::cli {

namespace {

constexpr std::string_view kHelp =
    R"(Example: schedlab ab -A cpus=0 -B cpus=0-1 -- hackbench -p -g 1

schedlab measures what a scheduler change does, and says how sure it is.

  schedlab schbench|hackbench ...     one run, with that tool's flags
  schedlab ab -A SPEC -B SPEC -- CASE interleaved A/B on this boot, then the table
  schedlab compare [BASE NEW]         the table of a stored experiment, any style
  schedlab db list|show|export|check  what the database holds
  schedlab version                    version of this binary

Called by another name (ln -s schedlab schbench) it is that tool: same flags,
same output, same exit status. `schedlab COMMAND --help` says more.
)";

constexpr std::array<std::string_view, 7> kCommands = {
    "schbench", "hackbench", "ab", "compare", "db", "version", "help"};

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

int unknown_command(const std::string& command, const Io& io) {
  const auto nearest = nearest_word(command, kCommands);
  return complain(
      io.err,
      usage_error(fmt::format("unknown command '{}'{}; `schedlab --help` lists them",
                              printable(command),
                              nearest ? fmt::format(", did you mean {}?", *nearest) : "")));
}

int run_child_main(Arguments arguments, const Io& io) {
  const Status done = lab::run_workload_child(arguments, os::kResultFd);
  return done ? kExitDone : complain(io.err, done.error());
}

int dispatch(const std::vector<std::string>& argv, const Io& io) {
  if (const auto* tool = workload::find_workload(base_name(argv.front()))) {
    return tool->tool_main(argv, workload::ToolStyle::DropIn);
  }
  if (argv.size() < 2) {
    (void)print(io.err, kHelp);
    return kExitUsage;
  }
  const std::string& command = argv[1];
  const Arguments rest = Arguments(argv).subspan(2);
  if (command == lab::kRunCommand) return run_child_main(rest, io);
  if (command == "ab") return ab_main(rest, io);
  if (command == "compare") return compare_main(rest, io);
  if (command == "db") return db_main(rest, io.out, io.err);
  if (command == "version" || command == "--version") return version_main(io);
  if (command == "help" || command == "--help" || command == "-h") {
    return print(io.out, kHelp) ? kExitDone : kExitFailed;
  }
  if (const auto* tool = workload::find_workload(command)) {
    return tool->tool_main(Arguments(argv).subspan(1), workload::ToolStyle::Native);
  }
  return unknown_command(command, io);
}

}  // namespace

int version_main(const Io& io) {
  const Status printed = print(io.out, fmt::format("schedlab {}\n", version()));
  return printed ? kExitDone : complain(io.err, printed.error());
}

}  // namespace schedlab::cli

int main(int argc, char** argv) {
  using namespace schedlab;  // NOLINT(google-build-using-namespace): main is not in it
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): no thread yet
  const cli::Io io{.path = path == nullptr ? "" : path, .err_is_terminal = ::isatty(2) == 1};
  if (argc > 1 && std::string_view(argv[1]) == os::kSuperviseArgument) {
    return os::supervise_main(argc, argv);
  }
  try {
    return cli::dispatch({argv, argv + argc}, io);
  } catch (const std::bad_alloc&) {
    return cli::complain(stderr, failed("out of memory; use fewer threads or a smaller footprint"));
  } catch (const std::exception& error) {
    return cli::complain(stderr, failed(fmt::format("internal error: {}", error.what())));
  }
}
