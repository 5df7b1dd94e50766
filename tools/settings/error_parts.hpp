#pragma once

#include <gradus/error.hpp>

#include <string>

namespace gradus::tools {

/// Splits the message of a library's error, "operation: problem; advice". The advice is for programmers. The
/// command gives its users other advice.
struct ErrorParts {
  explicit ErrorParts(const Error& error) : problem(error.what()) {
    const auto colon = problem.find(": ");
    if (colon != problem.npos) {
      operation = problem.substr(0, colon);
      problem.erase(0, colon + 2);
    }
    const auto semicolon = problem.rfind("; ");
    if (semicolon != problem.npos) problem.erase(semicolon);
  }

  std::string operation, problem;
};

}  // namespace gradus::tools
