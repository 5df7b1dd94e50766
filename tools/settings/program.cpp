#include "settings/program.hpp"

#include <utility>

namespace gradus::tools {
namespace {

std::string program_name = "gradus";

}  // namespace

const std::string& program() { return program_name; }
void set_program(std::string name) { program_name = std::move(name); }

}  // namespace gradus::tools
