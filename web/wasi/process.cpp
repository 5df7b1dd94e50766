#include "process.hpp"

// WebAssembly cannot start programs, so no program is ever found.
namespace gradus {

ProcessResult run_process(const std::vector<std::string>&, const std::string&) {
  return {.found = false, .status = {}, .output = {}, .errors = {}};
}

}  // namespace gradus
