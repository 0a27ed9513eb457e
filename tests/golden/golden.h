// Golden files: text that a person reviewed once and that must not move unseen.
#pragma once

#include <string>
#include <string_view>

namespace schedlab::golden {

/// Compares `text` with tests/golden/expected/`name` byte for byte and reports the first line that
/// differs. With SCHEDLAB_UPDATE_GOLDEN=1 in the environment the file is rewritten instead.
void expect_golden(std::string_view name, std::string_view text);

}  // namespace schedlab::golden
