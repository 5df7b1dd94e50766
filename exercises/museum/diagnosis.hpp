#pragma once

#include <functional>
#include <memory>
#include <string>

/// Names the exhibit of the museum that a model resembles.
namespace museum {

class Subject;
struct Sizes;

/// Makes a model of these sizes.
using Make = std::function<std::unique_ptr<Subject>(const Sizes&)>;

/// The result of a diagnosis.
struct Diagnosis {
  int exhibit = 0;        ///< 0: none
  std::string says = {};  ///< the observation of that exhibit's probe
};

/// Runs the probes (probes.hpp) on a model with random parameters. A probe in which the model throws has no
/// result.
Diagnosis diagnose(const Make& make);

}  // namespace museum
