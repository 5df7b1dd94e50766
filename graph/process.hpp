#pragma once

#include <string>
#include <vector>

namespace gradus {

struct ProcessResult {
  bool found = true;   ///< whether there was such a program
  std::string status;  ///< how it failed: "status 1", "signal 9"; empty when it succeeded
  std::string output, errors;
};

/// Runs a program from the PATH, without a shell, on `input`, and waits for its end.
/// @throws std::system_error when it cannot be run for other reasons than that there is none, or its end is
/// lost because SIGCHLD is ignored.
ProcessResult run_process(const std::vector<std::string>& command, const std::string& input);

}  // namespace gradus
