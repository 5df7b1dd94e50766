#pragma once

#include <string>

namespace gradus::tools {

/// The name the program was called by ("gradus", "./run gradus" or a program of your own), for suggested
/// commands.
const std::string& program();
void set_program(std::string name);

}  // namespace gradus::tools
