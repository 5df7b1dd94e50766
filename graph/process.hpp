#pragma once

#include <string>
#include <vector>

namespace gradus {

struct ProcessResult {
  bool found = true;   ///< whether the program was found
  std::string status;  ///< how the program failed: "status 1", "signal 9"; empty on success
  std::string output, errors;
};

/// Runs a program from the PATH, without a shell, with `input` as its standard input. Waits until the program
/// ends.
/// @throws std::system_error if the program was found but cannot be run, if its status is lost because
/// SIGCHLD is ignored, or if a temporary file cannot be created or written.
ProcessResult run_process(const std::vector<std::string>& command, const std::string& input);

}  // namespace gradus
