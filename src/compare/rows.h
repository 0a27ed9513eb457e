// The rows of one case: which metrics are compared, their figures and paired log-ratios. Verdicts
// come later, when all rows of the table are known.
#pragma once

#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/pairing.h"

namespace schedlab::compare {

struct CaseRows {
  std::vector<Row> rows;           // primary first, otherwise in the order the workload gave them
  std::vector<std::string> notes;  // metrics of one arm only, or not comparable
};

/// A metric makes a row when it is primary in either arm (or with options.all_metrics), has a
/// direction and is there in both arms with the same unit and direction. Every metric that would
/// and cannot is named in the notes.
/// Of `experiment` the machine's CPUs and the seed are used.
CaseRows build_rows(const PairedCase& paired,
                    const Options& options,
                    const SampleLookup& samples,
                    const Experiment& experiment);

}  // namespace schedlab::compare
