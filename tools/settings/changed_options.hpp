#pragma once

#include <gradus/models/model.hpp>

#include <string>
#include <vector>

namespace gradus::tools {

/// A model option that has different values in two models, as lines of a configuration file.
struct ChangedOption {
  std::string before, now;  ///< "hidden=128", "hidden=64"
};

/// The model options in which `now` differs from `before`.
std::vector<ChangedOption> changed_options(const models::ModelOptions& before,
                                           const models::ModelOptions& now);

/// The model with one option set by a line of a configuration file. @throws Error for a wrong line.
models::ModelOptions with_option(models::ModelOptions model, const std::string& line);

}  // namespace gradus::tools
