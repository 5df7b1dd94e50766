#pragma once

#include <string>

namespace gradus::tools {

/// The name by which the program was called, such as "gradus" or "./run gradus". Suggested commands begin
/// with it.
const std::string& program();
void set_program(std::string name);

}  // namespace gradus::tools
