// main() of os_test: besides the tests it is the supervisor and the commands that they run, since
// /proc/self/exe is this program.
#include <gmock/gmock.h>

#include <string_view>

#include "os/supervised_helper.h"
#include "os/supervisor.h"

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == schedlab::os::kSuperviseArgument) return schedlab::os::supervise_main(argc, argv);
  if (first == schedlab::os::kHelperArgument) return schedlab::os::helper_main(argc, argv);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
