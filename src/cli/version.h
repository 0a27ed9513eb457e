// The version of this binary, as tables, records and `schedlab version` print it.
#pragma once

namespace schedlab::cli {

/// "0.1.0 (1a2b3c4d5e6f)": the project's version and the commit it was configured at.
const char* version();

}  // namespace schedlab::cli
