// The strict reader.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "core/enum_names.h"
#include "core/text.h"
#include "workload/schbench/option_flags.h"
#include "workload/schbench/options.h"

namespace schedlab::workload::schbench {

namespace {

constexpr EnumNames<Arrivals, 3> kArrivalNames{
    {{Arrivals::Uniform, "uniform"}, {Arrivals::Poisson, "poisson"}, {Arrivals::Burst, "burst"}}};
constexpr std::int64_t kMany = std::int64_t{1} << 40;
constexpr Nanos kLongest = std::chrono::hours(24 * 365 * 100);

class NativeReader {
 public:
  explicit NativeReader(bool era_2016) : era_2016_(era_2016) {
    options_.interval = Nanos{0};
    if (!era_2016) return;
    options_.semantics = Semantics::Era2016;
    options_.message_threads = 2;
    options_.threads = 16;
    options_.sleep = std::chrono::milliseconds(30);
  }

  Status take(const Flag& flag) {
    const Status status = era_2016_ ? take_2016(flag) : take_current(flag);
    if (!status) return status.error().within(flag.spelling);
    return {};
  }

  Result<Options> finish() {
    SCHEDLAB_RETURN_IF_ERROR(check_together());
    if (options_.interval == Nanos{0}) {
      options_.interval = std::chrono::seconds(options_.semantics == Semantics::Classic ? 10 : 1);
    }
    if (options_.auto_rps > 0 && options_.rps == 0) options_.rps = 10;
    if (options_.calibrate) options_.locking = false;
    if (options_.pipe_bytes > 0 && era_2016_) {
      if (!sleep_given_) options_.sleep = Nanos{0};
      if (!spin_given_) options_.spin = Nanos{0};
    }
    return std::move(options_);
  }

 private:
  Status take_integer(const Flag& flag, std::int64_t low, std::int64_t high, auto& into) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::int64_t value, parse_integer(flag.value, low, high));
    into = static_cast<std::remove_reference_t<decltype(into)>>(value);
    return {};
  }

  Status take_duration(const Flag& flag, std::string_view unit, Nanos low, Nanos& into) {
    SCHEDLAB_ASSIGN_OR_RETURN(const Nanos value, parse_duration(flag.value, unit));
    if (value < low || value > kLongest) {
      return usage_error(fmt::format(
          "'{}' is outside {} to 100 years", printable(flag.value), format_duration(low)));
    }
    into = value;
    return {};
  }

  Status take_threads(const Flag& flag) {
    if (flag.value == "auto") {
      options_.threads = 0;
      return {};
    }
    if (flag.value == "0") {
      return usage_error("0 workers do nothing; give 1 or more, or 'auto' for one per allowed CPU");
    }
    return take_integer(flag, 1, kMaxThreads, options_.threads);
  }

  Status take_footprint(const Flag& flag) {
    constexpr std::uint64_t kMostKib = std::uint64_t{1} << 31;  // 2 TiB
    std::uint64_t kib = 0;
    const bool bare = flag.value.find_first_not_of("0123456789") == std::string::npos;
    if (bare) {
      SCHEDLAB_RETURN_IF_ERROR(take_integer(flag, 0, kMostKib, kib));
    } else {
      SCHEDLAB_ASSIGN_OR_RETURN(const std::uint64_t bytes, parse_size(flag.value));
      kib = bytes / 1024;
    }
    if (kib == 0 || kib > kMostKib) {
      return usage_error(fmt::format("'{}' is outside 1 KiB to 2 TiB", printable(flag.value)));
    }
    options_.footprint_kib = kib;
    return {};
  }

  Status take_pipe(const Flag& flag) {
    SCHEDLAB_ASSIGN_OR_RETURN(const std::uint64_t bytes, parse_size(flag.value));
    if (bytes > kMaxPipeBytes) {
      return usage_error(fmt::format("'{}' is more than the {} bytes of a worker's page",
                                     printable(flag.value),
                                     kMaxPipeBytes));
    }
    options_.pipe_bytes = bytes;
    return {};
  }

  Status take_cpus(const Flag& flag, CpuChoice& into) {
    if (flag.value == "auto") {
      into = {CpuChoice::Kind::Auto, {}};
      return {};
    }
    SCHEDLAB_ASSIGN_OR_RETURN(CpuList cpus, CpuList::parse(flag.value));
    into = {CpuChoice::Kind::List, std::move(cpus)};
    return {};
  }

  Status take_style(Semantics semantics) {
    if (style_given_ && options_.semantics != semantics) {
      return usage_error("--classic and --native exclude each other; give one");
    }
    style_given_ = true;
    options_.semantics = semantics;
    return {};
  }

  Status take_current(const Flag& flag) {
    switch (flag.spec->id) {
      case 't':
        return take_threads(flag);
      case 'F':
        return take_footprint(flag);
      case 'n':
        return take_integer(flag, 0, kMany, options_.operations);
      case 's':
        return take_duration(flag, "us", Nanos{0}, options_.sleep);
      case 'L':
        options_.locking = false;
        return {};
      case 'C':
        options_.calibrate = true;
        return {};
      case 'A':
        return take_integer(flag, 0, 100, options_.auto_rps);
      case 'i':
        return take_duration(flag, "s", std::chrono::milliseconds(10), options_.interval);
      case 'z':
        return take_duration(flag, "s", Nanos{0}, options_.zero_time);
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
      case kFlagSplit:
        return take_integer(flag, 0, 100, options_.split_percent.emplace(0));
      case kFlagClassic:
        return take_style(Semantics::Classic);
      case kFlagNative:
        return take_style(Semantics::Native);
      case kFlagArrivals:
        return take_arrivals(flag);
      default:
        return take_common(flag);
    }
  }

  Status take_2016(const Flag& flag) {
    switch (flag.spec->id) {
      case 't':
        return take_integer(flag, 1, kMaxThreads, options_.threads);
      case 's':
        sleep_given_ = true;
        return take_duration(flag, "us", Nanos{0}, options_.sleep);
      case 'c':
        spin_given_ = true;
        return take_duration(flag, "us", Nanos{0}, options_.spin);
      case 'a':
        return usage_error(
            "growing the worker count until p99 reaches 2 ms is not done here; sweep -t instead");
      default:
        return take_common(flag);
    }
  }

  Status take_common(const Flag& flag) {
    switch (flag.spec->id) {
      case 'm':
        return take_integer(flag, 1, kMaxThreads, options_.message_threads);
      case 'r':
        return take_duration(flag, "s", Nanos{0}, options_.runtime);
      case 'w':
        return take_duration(flag, "s", Nanos{0}, options_.warmup);
      case 'R':
        return take_integer(flag, 0, kMany, options_.rps);
      case 'p':
        return take_pipe(flag);
      case kFlagSeed:
        return take_integer(flag, 0, std::numeric_limits<std::int64_t>::max(), options_.seed);
      case kFlagHelp:
        options_.help = true;
        return {};
      default:
        return {};  // --era, read before
    }
  }

  Status take_arrivals(const Flag& flag) {
    SCHEDLAB_ASSIGN_OR_RETURN(options_.arrivals,
                              value_of(kArrivalNames, flag.value, "arrival process"));
    arrivals_given_ = true;
    return {};
  }

  [[nodiscard]] Status check_together() const {
    const bool classic = options_.semantics == Semantics::Classic;
    const bool open_loop = options_.rps > 0 || options_.auto_rps > 0;
    if (options_.pipe_bytes > 0 && open_loop) {
      return usage_error("-p and -R or -A exclude each other: the pipe mode has no request rate");
    }
    if (classic && arrivals_given_) {
      return usage_error("--arrivals needs --native: classic -R is one burst per second");
    }
    if (arrivals_given_ && !open_loop) {
      return usage_error("--arrivals needs a rate; give -R or -A");
    }
    if (!classic && options_.zero_time > Nanos{0}) {
      return usage_error("-z needs --classic: native intervals are apart from the start (see -i)");
    }
    if (options_.pipe_bytes > 0 && options_.split_percent) {
      return usage_error("--split and -p exclude each other: the pipe mode has no matrices");
    }
    return {};
  }

  bool era_2016_;
  bool style_given_ = false;
  bool arrivals_given_ = false;
  bool sleep_given_ = false;
  bool spin_given_ = false;
  Options options_;
};

Error native_flag_error(const FlagError& error, std::span<const FlagSpec> specs) {
  if (error.kind == FlagError::Kind::Unknown) {
    return usage_error(with_nearest_flag(error.spelling, specs));
  }
  return usage_error(printable(error.message));
}

/// The value as the original reads it: whole units of `unit` (1 s or 1 us), no suffix.
Result<std::string> in_whole_units(const Flag& flag, std::string_view suffix, Nanos unit) {
  SCHEDLAB_ASSIGN_OR_RETURN(const Nanos value, parse_duration(flag.value, suffix));
  if (value % unit != Nanos{0}) {
    return usage_error(fmt::format("{} {}: the original takes whole {} only",
                                   flag.spelling,
                                   printable(flag.value),
                                   suffix == "s" ? "seconds" : "microseconds"));
  }
  return std::to_string(value / unit);
}

Result<std::string> value_for_original(const Flag& flag) {
  switch (flag.spec->id) {
    case 'r':
    case 'w':
    case 'i':
    case 'z':
      return in_whole_units(flag, "s", std::chrono::seconds(1));
    case 's':
      return in_whole_units(flag, "us", std::chrono::microseconds(1));
    case 'F': {
      if (flag.value.find_first_not_of("0123456789") == std::string::npos) return flag.value;
      SCHEDLAB_ASSIGN_OR_RETURN(const std::uint64_t bytes, parse_size(flag.value));
      return std::to_string(bytes / 1024);
    }
    case 'p': {
      SCHEDLAB_ASSIGN_OR_RETURN(const std::uint64_t bytes, parse_size(flag.value));
      return std::to_string(bytes);
    }
    default:
      return flag.value;
  }
}

}  // namespace

Result<Options> parse_native(Arguments arguments) {
  SCHEDLAB_ASSIGN_OR_RETURN(const bool era_2016, asks_for_2016(arguments));
  const auto specs = era_2016 ? flags_of_2016() : current_flags();
  const FlagList list = split_flags(arguments, specs);
  if (!list.errors.empty()) return native_flag_error(list.errors.front(), specs);
  if (!list.operands.empty()) {
    return usage_error(fmt::format("'{}' is not a flag; schbench takes none but flags",
                                   printable(list.operands[0])));
  }
  NativeReader reader(era_2016);
  for (const Flag& flag : list.flags) {
    SCHEDLAB_RETURN_IF_ERROR(reader.take(flag));
  }
  return reader.finish();
}

Result<std::vector<std::string>> arguments_for_original(Arguments arguments) {
  SCHEDLAB_ASSIGN_OR_RETURN(const Options checked, parse_native(arguments));
  if (checked.semantics == Semantics::Era2016) {
    return usage_error("--era 2016 has no counterpart in today's original; leave it out for cmd:");
  }
  std::vector<std::string> out;
  for (const Flag& flag : split_flags(arguments, current_flags()).flags) {
    const bool default_threads = flag.spec->id == 't' && flag.value == "auto";
    if (flag.spec->ours && flag.spec->id != kFlagArrivals) continue;
    if (flag.spec->id == kFlagArrivals && checked.arrivals == Arrivals::Burst) continue;
    if (flag.spec->id == kFlagArrivals) {
      return usage_error(
          "--arrivals has no counterpart in the original, which sends one burst "
          "per second; leave it out for cmd:");
    }
    if (default_threads || flag.spec->id == 'j' || flag.spec->id == 'J') continue;
    // The original accepts its long --cache_footprint and ignores it; only -F works there.
    out.push_back(flag.spec->letter != 0 ? std::string("-") + flag.spec->letter
                                         : "--" + std::string(flag.spec->long_name));
    if (!flag.spec->takes_value) continue;
    SCHEDLAB_ASSIGN_OR_RETURN(std::string value, value_for_original(flag));
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace schedlab::workload::schbench
