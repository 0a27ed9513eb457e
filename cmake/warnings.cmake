# The warning set of every target of ours; errors in the presets that say so (CMAKE_COMPILE_WARNING_AS_ERROR).
add_library(schedlab_warnings INTERFACE)
target_compile_options(schedlab_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wnull-dereference)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(schedlab_warnings INTERFACE -Wduplicated-cond -Wlogical-op -Wsuggest-override)
endif()
