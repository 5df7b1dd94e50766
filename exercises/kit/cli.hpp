#pragma once

#include <gradus/tools/cli.hpp>

#include <iostream>

#include "finding.hpp"

namespace exercise {

/// Runs the gradus command with a learner's classes in the registry. Returns the command's exit code, or 3 at
/// a ToDo, like the checker.
inline int cli(int argc, char** argv, const gradus::models::Registry& registry) {
  try {
    return gradus::tools::cli_main(argc, argv, registry);
  } catch (const ToDo& to_do) {
    std::cerr << "to do: " << to_do.task << '\n';
    return 3;
  }
}

}  // namespace exercise
