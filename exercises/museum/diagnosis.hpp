#pragma once

#include <functional>
#include <memory>
#include <string>

/// Names the exhibit of the museum that a model resembles.
namespace museum {

class Subject;
struct Sizes;

/// Makes a model with the given sizes.
using Make = std::function<std::unique_ptr<Subject>(const Sizes&)>;

/// The result of a diagnosis.
struct Diagnosis {
  int exhibit = 0;        ///< number of the exhibit; 0: none
  std::string says = {};  ///< what that exhibit's probe observed
};

/// Runs the probes (probes.hpp) on a random model. If the model throws, the probe finds nothing.
Diagnosis diagnose(const Make& make);

}  // namespace museum
