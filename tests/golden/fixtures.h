// Comparisons made by hand, so that report is tested without compare.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"
#include "core/result.h"

namespace schedlab::golden {

/// mean, median, sd (divisor n-1), ... of the values.
compare::ArmSummary summary_of(std::vector<double> values);

/// An experiment of 12 blocks on a made-up machine; no rows yet.
compare::Comparison empty_comparison();

Metric time_metric();
Metric wakeup_p99_metric();
Metric request_p99_metric();
Metric rps_metric();

/// The twelve paired blocks that freeze the statistics (log-ratios 0.021 0.035 -0.004 ...): better
/// by 2.34 % (1.53..3.16), Hodges-Lehmann 0.02425 in (0.0150, 0.0315).
compare::Row worked_example();

/// A row of `blocks` blocks around the two means, with the effect given.
compare::Row row_of(const Metric& metric,
                    const std::string& case_name,
                    double base,
                    double contender,
                    compare::Interval interval95,
                    compare::Verdict verdict,
                    std::size_t blocks = 12);

/// Every kind of row: the worked example, hackbench at two loads, schbench with mixed units, two
/// modes, inconclusive, too few blocks, a secondary one, a long case name, an A/A' control.
compare::Comparison full_comparison();

/// By way of compare(): runs of two cases whose doubts are real ones. hackbench of another program,
/// in two modes, with notes and a block that lost a run; schbench in classic mode, with a zero, a
/// coarse instrument and a row that only the correction keeps from a verdict. Errors are compare's.
Result<compare::Comparison> compared_runs();

/// By way of compare(): two kernels, each booted four times; in the second case base boots once
/// less often, so that boots do not pair off there.
Result<compare::Comparison> compared_boots();

/// Names and texts as a hostile store could hold them.
compare::Comparison hostile_comparison();

}  // namespace schedlab::golden
