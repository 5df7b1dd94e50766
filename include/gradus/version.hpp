#pragma once

#pragma GCC visibility push(default)
namespace gradus {

/// The version of the linked library, such as "0.1.0": major, minor and patch, set in CMakeLists.txt.
const char* version();

}  // namespace gradus
#pragma GCC visibility pop
