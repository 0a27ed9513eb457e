#include "workload/schbench/external.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/text.h"

namespace schedlab::workload::schbench {

namespace {

constexpr std::string_view kTransfer = "avg worker transfer:";
constexpr std::string_view kAverage = "average rps:";
constexpr std::string_view kGoal = "final rps goal was";
constexpr std::string_view kDelay = "sched delay: message";

Error garbled(std::string_view line) {
  return failed(fmt::format("not schbench's output: cannot read '{}'", printable(line, 80)));
}

Result<std::uint64_t> count(std::string_view text, std::string_view line) {
  const auto value = parse_integer(text, 0, INT64_MAX);
  if (!value) return garbled(line);
  return static_cast<std::uint64_t>(*value);
}

Result<double> number(std::string_view text, std::string_view line) {
  const auto value = parse_number(text);
  if (!value || *value < 0) return garbled(line);
  return *value;
}

/// "\t* 99.0th: 111        (204 samples)"
Result<ClassicRow> parse_row(std::string_view line) {
  auto fields = words(line);
  if (!fields.empty() && fields[0] == "*") fields.erase(fields.begin());
  const bool shaped = fields.size() == 4 && fields[0].ends_with("th:") &&
                      fields[2].starts_with('(') && fields[3] == "samples)";
  if (!shaped) return garbled(line);
  ClassicRow row;
  SCHEDLAB_ASSIGN_OR_RETURN(row.percentile,
                            number(fields[0].substr(0, fields[0].size() - 3), line));
  SCHEDLAB_ASSIGN_OR_RETURN(row.value, count(fields[1], line));
  SCHEDLAB_ASSIGN_OR_RETURN(row.samples, count(fields[2].substr(1), line));
  return row;
}

/// "\t  min=1, max=8136"
Status parse_range(std::string_view line, ClassicBlock& block) {
  const auto fields = words(line);
  const bool shaped = fields.size() == 2 && fields[0].starts_with("min=") &&
                      fields[0].ends_with(',') && fields[1].starts_with("max=");
  if (!shaped) return garbled(line);
  SCHEDLAB_ASSIGN_OR_RETURN(block.min, count(fields[0].substr(4, fields[0].size() - 5), line));
  SCHEDLAB_ASSIGN_OR_RETURN(block.max, count(fields[1].substr(4), line));
  return {};
}

/// "... (6342 total samples)"
Result<std::uint64_t> parse_total(std::string_view line) {
  const auto fields = words(line);
  const std::size_t n = fields.size();
  const bool shaped = n >= 3 && fields[n - 1] == "samples)" && fields[n - 2] == "total" &&
                      fields[n - 3].starts_with('(');
  if (!shaped) return garbled(line);
  return count(fields[n - 3].substr(1), line);
}

/// "264.23MB/s" in bytes.
Result<double> parse_transfer(std::string_view text, std::string_view line) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"TB/s", 0x1p40}, {"GB/s", 0x1p30}, {"MB/s", 0x1p20}, {"KB/s", 0x1p10}, {"B/s", 1}}};
  for (const auto& [suffix, factor] : kUnits) {
    if (!text.ends_with(suffix)) continue;
    SCHEDLAB_ASSIGN_OR_RETURN(const double value,
                              number(text.substr(0, text.size() - suffix.size()), line));
    return value * factor;
  }
  return garbled(line);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : lines_(split(text, '\n')) {}

  Result<ClassicReport> read() {
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      SCHEDLAB_RETURN_IF_ERROR(read_line(lines_[at_]));
    }
    return std::move(report_);
  }

 private:
  Status read_line(std::string_view line) {
    if (line.starts_with("Wakeup Latencies percentiles (usec)")) {
      return read_block(line, report_.wakeup);
    }
    if (line.starts_with("Request Latencies percentiles (usec)")) {
      return read_block(line, report_.request);
    }
    if (line.starts_with("RPS percentiles (requests)")) return read_block(line, report_.rps);
    if (line.starts_with(kAverage)) {
      SCHEDLAB_ASSIGN_OR_RETURN(report_.average_rps,
                                number(trim(line.substr(kAverage.size())), line));
    } else if (line.starts_with(kGoal)) {
      SCHEDLAB_ASSIGN_OR_RETURN(const std::uint64_t goal,
                                count(trim(line.substr(kGoal.size())), line));
      report_.rps_goal = static_cast<std::int64_t>(goal);
    } else if (line.starts_with(kTransfer)) {
      return read_transfer(line);
    } else if (line.starts_with(kDelay)) {
      return read_delay(line);
    }
    return {};  // progress and pinning lines
  }

  Status read_block(std::string_view line, std::optional<ClassicBlock>& into) {
    ClassicBlock block;
    SCHEDLAB_ASSIGN_OR_RETURN(block.total, parse_total(line));
    for (++at_; at_ < lines_.size() && lines_[at_].find("th:") != std::string_view::npos; ++at_) {
      SCHEDLAB_ASSIGN_OR_RETURN(const ClassicRow row, parse_row(lines_[at_]));
      block.rows.push_back(row);
    }
    if (at_ == lines_.size()) {
      return failed("schbench's output is cut off inside a block of percentiles");
    }
    SCHEDLAB_RETURN_IF_ERROR(parse_range(lines_[at_], block));
    if (block.rows.empty()) return garbled(line);
    into = std::move(block);
    return {};
  }

  Status read_transfer(std::string_view line) {
    const auto fields = words(line.substr(kTransfer.size()));
    if (fields.size() != 3 || fields[1] != "ops/sec") return garbled(line);
    SCHEDLAB_ASSIGN_OR_RETURN(report_.ops_per_second, number(fields[0], line));
    SCHEDLAB_ASSIGN_OR_RETURN(report_.bytes_per_second, parse_transfer(fields[2], line));
    return {};
  }

  Status read_delay(std::string_view line) {
    const auto fields = words(line.substr(kDelay.size()));
    if (fields.size() != 5) return garbled(line);
    SCHEDLAB_ASSIGN_OR_RETURN(const std::uint64_t message, count(fields[0], line));
    SCHEDLAB_ASSIGN_OR_RETURN(const std::uint64_t worker, count(fields[3], line));
    report_.message_delay_us = static_cast<std::int64_t>(message);
    report_.worker_delay_us = static_cast<std::int64_t>(worker);
    return {};
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  ClassicReport report_;
};

Status require(bool present, std::string_view what) {
  if (present) return {};
  return failed(
      fmt::format("schbench's output has no {}: it stopped early or is another tool's", what));
}

bool has_p99(const std::optional<ClassicBlock>& block) {
  return block && block->at(99);
}

}  // namespace

Result<ClassicReport> parse_classic_text(const Options& options, std::string_view text) {
  SCHEDLAB_ASSIGN_OR_RETURN(ClassicReport report, Reader(text).read());
  SCHEDLAB_RETURN_IF_ERROR(require(has_p99(report.wakeup), "wakeup percentiles with a 99th"));
  if (options.pipe_bytes > 0) {
    SCHEDLAB_RETURN_IF_ERROR(require(report.ops_per_second.has_value(), "'avg worker transfer'"));
    return report;
  }
  SCHEDLAB_RETURN_IF_ERROR(require(has_p99(report.request), "request percentiles with a 99th"));
  SCHEDLAB_RETURN_IF_ERROR(
      require(report.rps && report.rps->at(50).has_value(), "RPS percentiles with a 50th"));
  SCHEDLAB_RETURN_IF_ERROR(require(report.average_rps || report.rps_goal,
                                   "'average rps' or 'final rps goal' at its end"));
  return report;
}

}  // namespace schedlab::workload::schbench
