#pragma once

#include <string>

namespace gradus::tools {

/// The name under which the program was called, such as "gradus" or "./run gradus". Commands suggested in
/// messages begin with this name.
const std::string& program();
void set_program(std::string name);

}  // namespace gradus::tools
