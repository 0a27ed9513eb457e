#include "workload/schbench/plan.h"

#include <fmt/format.h>
#include <sys/resource.h>  // RLIMIT_NPROC has no file of its own

#include <algorithm>
#include <limits>

#include "core/histogram.h"
#include "core/text.h"
#include "os/affinity.h"
#include "workload/schbench/limits.h"
#include "workload/schbench/matrix.h"

namespace schedlab::workload::schbench {

namespace {

void plan_threads(Plan& plan, const Surroundings& here) {
  const Options& options = plan.options;
  plan.threads = options.threads;
  if (options.threads > 0) return;
  // Classic counts the machine's CPUs, whatever the affinity mask says, as the original does.
  const std::size_t cpus =
      options.semantics == Semantics::Classic ? here.topology.online().size() : here.allowed.size();
  const auto per_message = static_cast<std::int32_t>(cpus) + options.message_threads - 1;
  plan.threads = std::max(1, per_message / options.message_threads);
  plan.threads_chosen = true;
}

void plan_matrices(Plan& plan) {
  const Options& options = plan.options;
  plan.private_operations = options.operations;
  plan.private_kib = options.footprint_kib;
  if (options.split_percent) {
    const auto percent = static_cast<std::uint64_t>(*options.split_percent);
    plan.shared_kib = options.footprint_kib * (100 - percent) / 100;
    plan.private_kib = options.footprint_kib * percent / 100;
    plan.private_operations = options.operations / 100 * *options.split_percent +
                              options.operations % 100 * *options.split_percent / 100;
    plan.shared_operations = options.operations - plan.private_operations;
  }
  plan.private_side = matrix_side(plan.private_kib);
  plan.shared_side = options.split_percent ? matrix_side(plan.shared_kib) : 0;
}

Status require_allowed(std::string_view flag, const CpuList& wanted, const Surroundings& here) {
  if (here.allowed.contains_all(wanted)) return {};
  return usage_error(
      fmt::format("{} {}: CPUs {} are not allowed here (allowed: {}); choose among "
                  "those",
                  flag,
                  wanted.to_string(),
                  wanted.without(here.allowed).to_string(),
                  here.allowed.to_string()));
}

Error too_few_cpus(const Plan& plan, const Surroundings& here, std::size_t needed) {
  return usage_error(
      fmt::format("cannot pin {} message threads automatically: that needs {} CPUs, "
                  "allowed are {} ({}); use fewer -m or give lists",
                  plan.options.message_threads,
                  needed,
                  here.allowed.size(),
                  here.allowed.to_string()));
}

/// The lowest allowed CPUs, one per message thread; workers anywhere, message CPUs included. (The
/// original means to spare those, but a shadowed loop variable gives the workers every CPU, and
/// nearly all published figures come from that.)
Status pin_auto_classic(Plan& plan, const Surroundings& here) {
  const auto count = static_cast<std::size_t>(plan.options.message_threads);
  if (here.allowed.size() < count) return too_few_cpus(plan, here, count);
  for (std::size_t i = 0; i < count; ++i)
    plan.message_cpus.push_back(CpuList({here.allowed[i]}));
  plan.worker_cpus = here.allowed;
  return {};
}

/// Message threads round robin over the last-level caches, on the lowest CPU still free there;
/// workers on all the rest.
Status pin_auto_native(Plan& plan, const Surroundings& here) {
  const auto count = static_cast<std::size_t>(plan.options.message_threads);
  if (here.allowed.size() < count + 1) return too_few_cpus(plan, here, count + 1);
  CpuList rest = here.allowed;
  const auto caches = std::max(1, here.topology.llc_count());
  std::int32_t cache = 0;
  while (plan.message_cpus.size() < count) {
    const CpuList here_free = here.topology.cpus_of_llc(cache % caches).intersect(rest);
    ++cache;
    if (here_free.empty()) continue;
    plan.message_cpus.push_back(CpuList({here_free[0]}));
    rest = rest.without(plan.message_cpus.back());
  }
  plan.worker_cpus = rest;
  return {};
}

Status pin_to_lists(Plan& plan, const Surroundings& here) {
  const Options& options = plan.options;
  const auto count = static_cast<std::size_t>(options.message_threads);
  plan.message_cpus.resize(count);
  if (options.worker_cpus.kind == CpuChoice::Kind::List) {
    SCHEDLAB_RETURN_IF_ERROR(require_allowed("-W", options.worker_cpus.cpus, here));
    plan.worker_cpus = options.worker_cpus.cpus;
    // The original binds the thread that creates the workers too.
    if (options.semantics == Semantics::Classic) {
      std::fill(plan.message_cpus.begin(), plan.message_cpus.end(), plan.worker_cpus);
    }
  }
  if (options.message_cpus.kind == CpuChoice::Kind::List) {
    const CpuList& cpus = options.message_cpus.cpus;
    SCHEDLAB_RETURN_IF_ERROR(require_allowed("-M", cpus, here));
    for (std::size_t i = 0; i < count; ++i)
      plan.message_cpus[i] = CpuList({cpus[i % cpus.size()]});
  }
  return {};
}

Status plan_placement(Plan& plan, const Surroundings& here) {
  const Options& options = plan.options;
  const bool automatic = options.message_cpus.kind == CpuChoice::Kind::Auto ||
                         options.worker_cpus.kind == CpuChoice::Kind::Auto;
  if (!automatic) return pin_to_lists(plan, here);
  const bool has_list = options.message_cpus.kind == CpuChoice::Kind::List ||
                        options.worker_cpus.kind == CpuChoice::Kind::List;
  if (has_list) {
    if (options.semantics != Semantics::Classic) {
      return usage_error("-M and -W must both be auto or both be lists: auto decides for both");
    }
    plan.notes.emplace_back("auto pinning decides for both -M and -W: the list is not used");
  }
  return options.semantics == Semantics::Classic ? pin_auto_classic(plan, here)
                                                 : pin_auto_native(plan, here);
}

void note_footprint(Plan& plan) {
  if (plan.pipe() || plan.options.operations == 0 || plan.options.semantics == Semantics::Era2016) {
    return;
  }
  const auto kib = [](std::uint64_t side, std::uint64_t matrices) {
    return static_cast<double>(matrices * side * side * sizeof(std::uint64_t)) / 1024;
  };
  if (plan.options.semantics == Semantics::Classic) {
    plan.notes.push_back(fmt::format(
        "true cache footprint about {:.0f} KiB per worker, a third of -F {}: two of three matrices "
        "are never written and read the kernel's zero page",
        kib(plan.private_side, 1) + kib(plan.shared_side, 1) + 4,
        plan.options.footprint_kib));
    return;
  }
  std::string text = fmt::format("true cache footprint {:.0f} KiB per worker ({} x {} matrices)",
                                 kib(plan.private_side, 3),
                                 plan.private_side,
                                 plan.private_side);
  if (plan.shared_side > 0) {
    text += fmt::format(", plus {:.0f} KiB shared and written by all", kib(plan.shared_side, 3));
  }
  plan.notes.push_back(std::move(text));
}

void note_placement(Plan& plan) {
  std::string where;
  for (const CpuList& cpus : plan.message_cpus) {
    if (where.size() > 60) {
      where += "...";
      break;
    }
    where += (where.empty() ? "" : " ") + (cpus.empty() ? std::string("any") : cpus.to_string());
  }
  plan.notes.push_back(fmt::format("message threads on CPUs {}; workers on {}",
                                   where,
                                   plan.worker_cpus.empty() ? "any of " + plan.allowed.to_string()
                                                            : plan.worker_cpus.to_string()));
}

}  // namespace

std::uint64_t bytes_per_worker(const Plan& plan) {
  constexpr std::uint64_t kHistogram = Histogram::kBucketCount * sizeof(std::uint64_t);
  constexpr std::uint64_t kStackAndKernel = 64 * 1024;
  constexpr std::uint64_t kHistograms = 12;
  // As the worker allocates them: none without operations of its own.
  const bool none = plan.pipe() || plan.private_operations == 0;
  const std::uint64_t matrices =
      none ? 0 : 3 * plan.private_side * plan.private_side * sizeof(std::uint64_t);
  return kHistograms * kHistogram + kStackAndKernel + matrices + plan.options.pipe_bytes;
}

Result<Plan> make_plan(const Options& options, const Surroundings& here) {
  Plan plan;
  plan.options = options;
  plan.allowed = here.allowed;
  if (here.allowed.empty()) return failed("no CPU is allowed to this process");
  plan_threads(plan, here);
  plan_matrices(plan);
  SCHEDLAB_RETURN_IF_ERROR(check_limits(plan, here));
  SCHEDLAB_RETURN_IF_ERROR(plan_placement(plan, here));
  plan.llc_of_cpu.resize(kMaxCpuId + 1, -1);
  for (const topology::CpuPlace& place : here.topology.places())
    plan.llc_of_cpu[static_cast<std::size_t>(place.cpu.value)] = place.llc;
  note_placement(plan);
  note_footprint(plan);
  return plan;
}

Result<Plan> make_plan_here(const Options& options) {
  const os::RealProcFs files;
  SCHEDLAB_ASSIGN_OR_RETURN(CpuList allowed, os::allowed_cpus());
  SCHEDLAB_ASSIGN_OR_RETURN(const topology::Topology topology, topology::Topology::read(files));
  std::uint64_t process_limit = std::numeric_limits<std::uint64_t>::max();
  rlimit limit{};
  // Root is exempt from RLIMIT_NPROC.
  if (::geteuid() != 0 && ::getrlimit(RLIMIT_NPROC, &limit) == 0 &&
      limit.rlim_cur != RLIM_INFINITY) {
    process_limit = limit.rlim_cur;
  }
  return make_plan(options, {files, std::move(allowed), topology, process_limit});
}

}  // namespace schedlab::workload::schbench
