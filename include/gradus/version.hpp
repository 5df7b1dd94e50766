#pragma once

#pragma GCC visibility push(default)
namespace gradus {

/// The version of the library that runs, "0.1.0": major, minor and patch, as CMakeLists.txt has it.
const char* version();

}  // namespace gradus
#pragma GCC visibility pop
