#pragma once

#pragma GCC visibility push(default)
namespace gradus {

/// The version of the linked library, such as "0.1.0": major, minor and patch. CMakeLists.txt sets it.
const char* version();

}  // namespace gradus
#pragma GCC visibility pop
