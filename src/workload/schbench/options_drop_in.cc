// The reader for scripts written for the original: atoi numbers, its messages, its defaults.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/text.h"
#include "workload/schbench/option_flags.h"
#include "workload/schbench/options.h"

namespace schedlab::workload::schbench {

namespace {

/// What atoi makes of a text, but saturating instead of undefined where it does not fit.
std::int64_t lenient_integer(std::string_view text) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 16;
  text = text.substr(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    value = std::min(kMost, value * 10 + (c - '0'));
  }
  return negative ? -value : value;
}

class DropInReader {
 public:
  explicit DropInReader(Options& options) : options_(options) {}

  Status take(const Flag& flag) {
    switch (flag.spec->id) {
      case 'L':
        options_.locking = false;
        return {};
      case 'C':
        options_.calibrate = true;
        return {};
      case 'M':
        return take_cpus(flag, options_.message_cpus);
      case 'W':
        return take_cpus(flag, options_.worker_cpus);
      case 'j':
        options_.json_path = flag.value;
        return {};
      case 'J':
        options_.job_name = flag.value;
        return {};
      case kFlagHelp:
        options_.help = true;
        return {};
      case kFlagClassic:
        options_.semantics = Semantics::Classic;
        return {};
      case kFlagNative:
        options_.semantics = Semantics::Native;
        return {};
      case kFlagArrivals:
        return take_arrivals(flag);
      case kFlagEra:
        return {};
      default:
        return take_number(flag);
    }
  }

 private:
  Status take_number(const Flag& flag) {
    const std::int64_t value = lenient_integer(flag.value);
    const int id = flag.spec->id;
    const std::int64_t least = id == 'm' || id == 'F' ? 1 : 0;
    if (value < least) {
      return usage_error(
          fmt::format("{} {}: must be at least {}", flag.spelling, printable(flag.value), least));
    }
    switch (id) {
      case 'm':
        return take_count(flag, value, options_.message_threads);
      case 't':
        return take_count(flag, value, options_.threads);
      case 'r':
        options_.runtime = seconds(value);
        return {};
      case 'w':
        options_.warmup = seconds(value);
        return {};
      case 'i':
        // The original looks once a second: with 0 it reports at every look.
        options_.interval = seconds(std::max<std::int64_t>(value, 1));
        return {};
      case 'z':
        options_.zero_time = seconds(value);
        return {};
      case 's':
        options_.sleep =
            std::chrono::microseconds(std::min<std::int64_t>(value, std::int64_t{1} << 50));
        return {};
      case 'F':
        return take_footprint(flag, value);
      case 'n':
        options_.operations = value;
        return {};
      case 'p':
        return take_pipe(static_cast<std::uint64_t>(value));
      case 'R':
        options_.rps = value;
        return {};
      case 'A':
        options_.auto_rps = static_cast<std::int32_t>(std::min<std::int64_t>(value, 100));
        if (options_.rps == 0 && value > 0) options_.rps = 10;
        return {};
      case kFlagSplit:
        if (value > 100) return usage_error("split must be between 0 and 100");
        options_.split_percent = static_cast<std::int32_t>(value);
        return {};
      case kFlagSeed:
        options_.seed = static_cast<std::uint64_t>(value);
        return {};
      default:
        return {};
    }
  }

  static Nanos seconds(std::int64_t value) {
    return std::chrono::seconds(std::min<std::int64_t>(value, std::int64_t{1} << 32));
  }

  static Status take_count(const Flag& flag, std::int64_t value, std::int32_t& into) {
    if (value > kMaxThreads) {
      return usage_error(fmt::format("{} {}: more than {} threads are not possible on Linux",
                                     flag.spelling,
                                     value,
                                     kMaxThreads));
    }
    into = static_cast<std::int32_t>(value);
    return {};
  }

  Status take_footprint(const Flag& flag, std::int64_t value) {
    if (value > (std::int64_t{1} << 31)) {
      return usage_error(fmt::format("{} {}: more than 2 TiB", flag.spelling, value));
    }
    options_.footprint_kib = static_cast<std::uint64_t>(value);
    return {};
  }

  Status take_pipe(std::uint64_t bytes) {
    options_.pipe_bytes_capped = bytes > kMaxPipeBytes;
    options_.pipe_bytes = std::min(bytes, kMaxPipeBytes);
    return {};
  }

  static Status take_cpus(const Flag& flag, CpuChoice& into) {
    if (flag.value == "auto") {
      into = {CpuChoice::Kind::Auto, {}};
      return {};
    }
    auto cpus = CpuList::parse(flag.value);
    if (!cpus) return usage_error("failed to parse cpuset information");
    into = {CpuChoice::Kind::List, std::move(*cpus)};
    return {};
  }

  Status take_arrivals(const Flag& flag) {
    if (flag.value == "burst")
      options_.arrivals = Arrivals::Burst;
    else if (flag.value == "poisson")
      options_.arrivals = Arrivals::Poisson;
    else if (flag.value == "uniform")
      options_.arrivals = Arrivals::Uniform;
    else
      return usage_error("--arrivals: known are uniform, poisson and burst");
    return {};
  }

  Options& options_;
};

Error refuse(std::vector<std::string> lines, bool usage, Refusal* refusal) {
  Error error = usage_error(join(lines, "\n"));
  if (refusal != nullptr) *refusal = {std::move(lines), usage};
  return error;
}

}  // namespace

Result<Options> parse_drop_in(std::string_view program, Arguments arguments, Refusal* refusal) {
  const auto era_2016 = asks_for_2016(arguments);
  if (!era_2016) return refuse({era_2016.error().message}, false, refusal);
  if (*era_2016) {
    auto options = parse_native(arguments);
    if (!options) return refuse({options.error().message}, false, refusal);
    return options;
  }
  const FlagList list = split_flags(arguments, current_flags());
  Options options;
  options.semantics = Semantics::Classic;
  DropInReader reader(options);
  for (const Flag& flag : list.flags) {
    if (const Status status = reader.take(flag); !status) {
      return refuse({status.error().message}, false, refusal);
    }
    if (options.help) return options;
  }
  if (!list.errors.empty()) {
    return refuse(
        {fmt::format("{}: {}", program, printable(list.errors.front().message))}, true, refusal);
  }
  if (!list.operands.empty()) {
    return refuse(
        {fmt::format("Error Extra arguments '{}'", printable(list.operands[0]))}, false, refusal);
  }
  if (options.pipe_bytes > 0) options.rps = options.auto_rps = 0;
  if (options.calibrate) options.locking = false;
  return options;
}

std::string drop_in_usage() {
  std::string text = "schbench usage:\n";
  const auto line = [&](std::string_view flags, std::string_view meaning) {
    text += fmt::format("\t{}: {}\n", flags, meaning);
  };
  line("-m (--message-threads)", "threads that wake the workers (def: 1)");
  line("-t (--threads)", "workers of each message thread (def: CPUs / message threads)");
  line("-r (--runtime)", "seconds to run, 0 = until SIGINT or SIGTERM (def: 30)");
  line("-F (--cache_footprint)", "KB of one worker's matrices (def: 256)");
  line("-n (--operations)", "matrix multiplications per request (def: 5)");
  line("-s (--sleep_usec)", "usecs of sleep at the start of a request (def: 100)");
  line("-L (--no-locking)", "no per-CPU spinlock around the work (def: locking on)");
  line("-C (--calibrate)", "time the work alone, without sleep and locks");
  line("-p (--pipe)", "bytes to transfer per wakeup instead of working (def: 0)");
  line("-R (--rps)", "requests per second, all workers together (def: 0, closed loop)");
  line("-A (--auto-rps)", "seek the request rate that keeps CPUs this busy, in percent");
  line("-w (--warmuptime)", "seconds before statistics are zeroed (def: 0)");
  line("-i (--intervaltime)", "seconds between reports (def: 10)");
  line("-z (--zerotime)", "seconds between zeroings of the statistics (def: never)");
  line("-M (--message-cpus)", "CPUs of the message threads: 'a-b,c' or 'auto' (def: any)");
  line("-W (--worker-cpus)", "CPUs of the workers: 'a-b,c' or 'auto' (def: any)");
  line("-j (--json) <file>", "also write JSON, '-' = stdout");
  line("-J (--jobname) <name>", "a name to put into the JSON");
  line("--split <percent>", "part of the footprint private to a thread (0-100, def: all)");
  line("--native, --era 2016", "other semantics, see 'schedlab schbench --help'");
  return text;
}

std::string native_help() {
  return R"(Wakeup latency, request latency and throughput of message threads and workers.

  schedlab schbench -r 10s -m 1 -t 4          closed loop, 4 workers
  schedlab schbench -R 500 --arrivals poisson open loop, 500 requests/s
  schedlab schbench --classic -L -n 0 -t 1    as the original measures it

  -m, --message-threads N    threads that wake the workers (1)
  -t, --threads N|auto       workers of each message thread (auto: allowed CPUs / message threads)
  -r, --runtime TIME         measured time, seconds unless a unit follows; 0 = until Ctrl-C (30s)
  -w, --warmuptime TIME      before it, not measured (0)
  -i, --intervaltime TIME    length of the intervals in the series (1s; 10s with --classic)
  -z, --zerotime TIME        zero the statistics every TIME (only with --classic)
  -n, --operations N         matrix multiplications per request (5)
  -F, --cache_footprint KIB  a worker's matrices; sizes like 1MiB too (256)
      --split PERCENT        this part private, the rest shared and written by all
  -s, --sleep_usec TIME      sleep at the start of a request, microseconds unless a unit follows (100)
  -L, --no-locking           no per-CPU spinlock around the work
  -C, --calibrate            time the work alone; implies -L
  -p, --pipe BYTES           transfer BYTES per wakeup instead of working
  -R, --rps N                open loop, N requests per second in all
  -A, --auto-rps PERCENT     seek the rate that keeps the machine this busy
      --arrivals KIND        uniform, poisson or burst (uniform)
      --seed N               of the Poisson arrivals (1)
  -M, --message-cpus LIST    or auto
  -W, --worker-cpus LIST     or auto
  -j, --json FILE            figures as JSON; - = stdout
  -J, --jobname NAME         a name to put into the JSON
      --classic              the original's semantics, quirks included
      --era 2016             the first generation's: -m -t -r -s -c -p -R -w
)";
}

}  // namespace schedlab::workload::schbench
